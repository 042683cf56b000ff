#include "checked/process.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "checked/exchange.h"
#include "checked/next.h"

extern "C" int comex_checker_attached(void) __attribute__((visibility("default")));

namespace comex::checker {
namespace {

struct State {
  std::atomic<Checker*> checker{nullptr};
  std::unique_ptr<Checker> owner;
  std::atomic<int> openings{0};
  std::atomic<bool> has_decided{false};  // since init, whether to check
  std::atomic<bool> is_told_of_forks{false};
};

State& state() {
  static State* const self = new State;  // never destroyed: exit handlers call MPI
  return *self;
}

// A forked child has no runtime, so no checker either.
void disable_in_forked_child() {
  state().checker.store(nullptr);
}

bool are_on_one_host(int workers) {
  for (int worker = 0, host = 0; worker < workers; ++worker) {
    next<&comex_host_of>("comex_host_of")(worker, COMEX_GROUP_WORLD, &host);
    if (host != 0) return false;
  }
  return true;
}

// A worker that serves itself without a thread answers nobody while it waits in MPI for the program. all: the
// ranks that the runtime was started over, progress ranks too.
bool can_check(int workers, MPI_Comm all) {
  constexpr int most_workers = UINT16_MAX / Checker::endpoints_each;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return workers <= most_workers &&
         (size_of(all) > workers || level == MPI_THREAD_MULTIPLE || are_on_one_host(workers));
}

std::optional<std::string> variable(std::string_view name) {
  const char* const value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// If the library is loaded and COMEX_CHECK is not set, lines are printed.
CheckMode own_mode() {
  const Result<Settings> settings = parse_settings(variable);  // the runtime has told what is wrong
  return settings && settings->is_explicit(SettingId::check) ? settings->check : CheckMode::on;
}

// What holds for all workers, since the environments of processes may differ. Collective over them.
CheckMode decide(int workers, int me, MPI_Comm all) {
  MPI_Comm comm = MPI_COMM_NULL;
  next<&comex_group_comm>("comex_group_comm")(COMEX_GROUP_WORLD, &comm);
  std::int64_t mode = static_cast<std::int64_t>(own_mode());
  broadcast_from(comm, 0, {&mode, 1});
  if (static_cast<CheckMode>(mode) == CheckMode::off) return CheckMode::off;
  if (greatest_of(comm, can_check(workers, all) ? 0 : 1) == 0) return static_cast<CheckMode>(mode);
  if (me == 0) {
    std::fprintf(stderr,
                 "comex: the calls are not checked: that takes progress ranks, or MPI_THREAD_MULTIPLE, where "
                 "there are several hosts, and at most %d workers\n",
                 UINT16_MAX / Checker::endpoints_each);
  }
  return CheckMode::off;
}

}  // namespace

Checker* checker() {
  return state().checker.load(std::memory_order_acquire);
}

void begin_init() {
  ++state().openings;
}

void end_init(bool is_open, MPI_Comm all) {
  --state().openings;
  if (!is_open || state().has_decided.exchange(true)) return;
  int workers = 0;
  int me = 0;
  next<&comex_group_size>("comex_group_size")(COMEX_GROUP_WORLD, &workers);
  next<&comex_group_rank>("comex_group_rank")(COMEX_GROUP_WORLD, &me);
  const CheckMode mode = decide(workers, me, all);
  if (mode == CheckMode::off) return;
  if (me == 0) std::fprintf(stderr, "comex: the calls of %d workers are checked (COMEX_CHECK)\n", workers);
  state().owner = std::make_unique<Checker>(workers, me, mode == CheckMode::fail);
  state().checker.store(state().owner.get(), std::memory_order_release);
  if (!state().is_told_of_forks.exchange(true)) pthread_atfork(nullptr, nullptr, disable_in_forked_child);
}

bool close(const FollowedCall& call) {
  state().has_decided.store(false);
  Checker* const open = state().checker.exchange(nullptr);
  if (open == nullptr) return true;
  const bool succeeded = open->finalize(call);
  state().owner.reset();
  return succeeded;
}

}  // namespace comex::checker

int comex_checker_attached() {
  return comex::checker::state().openings.load() != 0 ? 1 : 0;
}
