#include "checked/process.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "checked/next.h"

extern "C" int comex_checker_attached(void) __attribute__((visibility("default")));

namespace comex::checker {
namespace {

struct State {
  std::atomic<Checker*> checker{nullptr};
  std::unique_ptr<Checker> owner;
  std::atomic<int> openings{0};
  std::atomic<bool> is_told_of_forks{false};
};

State& state() {
  static State* const self = new State;  // never destroyed: exit handlers call MPI
  return *self;
}

// A forked child has no runtime, so no checker either.
void stand_aside() {
  state().checker.store(nullptr);
}

// A worker that serves itself without a thread answers nobody while it waits in MPI for the program.
bool can_check(int workers) {
  int level = MPI_THREAD_SINGLE;
  int ranks = 0;
  int last_host = 0;
  PMPI_Query_thread(&level);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next<&comex_host_of>("comex_host_of")(workers - 1, COMEX_GROUP_WORLD, &last_host);
  return ranks > workers || level == MPI_THREAD_MULTIPLE || last_host == 0;
}

std::optional<std::string> variable(std::string_view name) {
  const char* const value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string mode() {
  return variable("COMEX_CHECK").value_or("1");
}

}  // namespace

const Settings& settings() {
  static const Settings read = [] {
    Result<Settings> parsed = parse_settings(variable);
    return parsed ? std::move(parsed).value() : Settings();  // the runtime has told what is wrong
  }();
  return read;
}

Checker* checker() {
  return state().checker.load(std::memory_order_acquire);
}

InitScope::InitScope() {
  ++state().openings;
}

InitScope::~InitScope() {
  --state().openings;
}

void InitScope::opened() const {
  if (checker() != nullptr || mode() == "0") return;
  int workers = 0;
  int me = 0;
  next<&comex_group_size>("comex_group_size")(COMEX_GROUP_WORLD, &workers);
  next<&comex_group_rank>("comex_group_rank")(COMEX_GROUP_WORLD, &me);
  constexpr int most_workers = UINT16_MAX / Checker::endpoints_each;
  if (!can_check(workers) || workers > most_workers) {
    if (me == 0)
      std::fprintf(
          stderr,
          "comex: the calls are not checked: that takes progress ranks, or MPI_THREAD_MULTIPLE, where "
          "there are several hosts, and at most %d workers\n",
          most_workers);
    return;
  }
  if (me == 0) std::fprintf(stderr, "comex: the calls of %d workers are checked (COMEX_CHECK)\n", workers);
  state().owner = std::make_unique<Checker>(workers, me, mode() == "fail");
  state().checker.store(state().owner.get(), std::memory_order_release);
  if (!state().is_told_of_forks.exchange(true)) pthread_atfork(nullptr, nullptr, stand_aside);
}

void close(const FollowedCall& call) {
  Checker* const open = state().checker.exchange(nullptr);
  if (open == nullptr) return;
  open->finalize(call);
  state().owner.reset();
}

}  // namespace comex::checker

int comex_checker_attached() {
  return comex::checker::state().openings.load() != 0 ? 1 : 0;
}
