#include "runtime/process.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runtime/caller.h"
#include "runtime/environment.h"
#include "shm/posix_os.h"

namespace comex::runtime {
namespace detail {

constinit std::atomic<Runtime*> current_runtime{nullptr};

// MPI_Finalize first deletes the attributes of MPI_COMM_SELF, while messages still travel.
int on_mpi_finalize(MPI_Comm, int, void*, void*) {
  if (process().is_forked_child) return MPI_SUCCESS;  // the parent and its progress ranks go on
  if (detail::current() != nullptr) finalize();
  if (process().has_dead_workers) {  // MPI_Finalize may wait for them for ever
    std::fflush(nullptr);
    std::_Exit(EXIT_SUCCESS);
  }
  process().launch.release_progress_ranks();
  return MPI_SUCCESS;
}

}  // namespace detail

namespace {

void hook_into_mpi_finalize(Process& self) {
  if (self.has_finalize_hook) return;
  int key = MPI_KEYVAL_INVALID;
  const auto& check = mpi_check();
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, detail::on_mpi_finalize, &key, nullptr),
        "MPI_Comm_create_keyval");
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  check(PMPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
  call_in_forked_children([] {
    process().is_forked_child = true;
    Runtime* const parents = detail::current_runtime.exchange(nullptr, std::memory_order_acq_rel);
    if (parents == nullptr) return;
    parents->world().arena->drop_life_in_child();
    parents->other_worlds().drop_lives_in_child();
  });
  self.has_finalize_hook = true;
}

// True if this rank may become a worker that serves itself, which needs a thread: without progress ranks, or
// if it is alone on its host. A launcher over ssh carries no settings to other hosts, so a number counts only
// if it is set here. Threads add 25 to 30 ns to a pair of MPI messages, and nothing inside a host.
bool may_serve_itself() {
  const Result<Settings> settings = parse_settings(environment_lookup());
  if (!settings || settings->progress_ranks == 0) return true;
  const Result<pr::VirtualHosts> cut = pr::parse_virtual_hosts(settings->virtual_hosts);
  const mpi::LaunchedProcess launched = launched_process();
  if (!launched.is_launched) return false;  // a job of one process
  if (!cut || !launched.size || !launched.size_on_host) return true;
  if (launched.size != 1 && pr::has_lone_rank(cut.value(), *launched.size_on_host)) return true;
  return launched.size_on_host != launched.size && !settings->is_explicit(SettingId::progress_ranks);
}

void start_mpi(int* argc, char*** argv) {
  int started = 0;
  PMPI_Initialized(&started);
  if (started != 0) return;
  int provided = 0;
  mpi_check()(PMPI_Init_thread(argc, argv, wanted_thread_level(), &provided), "MPI_Init_thread");
}

// libcomex_world names the world that it split. If this copy of the runtime did not split it, another copy
// did, and the progress ranks would never answer.
bool was_split_by_another_copy(const Process& self) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  if (!self.launch.has_split()) PMPI_Comm_get_name(MPI_COMM_WORLD, name.data(), &length);
  return std::string_view(name.data()) == "MPI_COMM_WORLD, split by libcomex_world";
}

// On a progress rank that has served. What is under way after a death stays: MPI would wait for it for ever.
int leave_service(Process& self, World& world) {
  if (world.failures.epoch() != 0) {
    self.has_dead_workers = true;
    static_cast<void>(world.transport->abandon());
    world.wire.forget();
    hook_into_mpi_finalize(self);
  }
  return 1;
}

// Closes the world. Returns true if everything under way has succeeded.
bool close_runtime(Process& self) {
  const bool succeeded = self.runtime->close();
  self.has_dead_workers = self.runtime->world().failures.epoch() != 0;
  detail::current_runtime.store(nullptr, std::memory_order_release);
  self.runtime.reset();
  return succeeded;
}

}  // namespace

int wanted_thread_level() {
  return may_serve_itself() ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
}

Process& process() {
  static Process* self = new Process;  // never destroyed, because an exit handler may call MPI_Finalize
  return *self;
}

const char* why_there_is_none() {
  const Process& self = process();
  if (self.is_forked_child) {
    return "called in a forked child: the runtime is the parent's; with COMEX_FORK=share a child may load "
           "and store";
  }
  return self.was_initialized ? "called after comex_finalize" : "called before comex_init";
}

Reporter& introduced_reporter() {
  Process& self = process();
  const std::lock_guard lock(self.introducing);
  Reporter& reporter = self.reporter;
  const Identity& known = reporter.identity();
  if (known.rank >= 0 || (!known.host.empty() && !mpi_is_running())) return reporter;
  Identity who{.rank = -1, .host = shm::make_posix_os()->host_facts().host_name};
  if (mpi_is_running()) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &who.rank);
  } else {
    who.rank = launched_process().rank.value_or(-1);
  }
  reporter.identify(who);
  return reporter;
}

void mpi_failure(const Failure& failure) {
  introduced_reporter().fatal({}, failure.text);
}

const transport::MpiCheck& mpi_check() {
  static const transport::MpiCheck check(mpi_failure);
  return check;
}

int initialize(const WorldJoiner& joiner, MPI_Comm comm, int* argc, char*** argv) {
  Process& self = process();
  const auto refuse = [](const char* why) { return introduced_reporter().fail({.operation = "init"}, why); };
  if (self.is_forked_child) return refuse(why_there_is_none());
  const std::lock_guard lock(self.starting);
  if (pass() != nullptr) return 0;
  start_mpi(argc, argv);
  if (!mpi_is_running()) return refuse("MPI was finalized already");
  if (self.has_dead_workers)
    return refuse("a worker has died: the job ends, and does not start the runtime again");
  // After a first init over all ranks, only workers can still name MPI_COMM_WORLD.
  const bool over_all_ranks = comm == MPI_COMM_NULL || (comm == MPI_COMM_WORLD && self.launch.has_split());
  if ((over_all_ranks || comm == MPI_COMM_WORLD) && was_split_by_another_copy(self)) {
    return refuse(
        "libcomex_world has split the ranks with another copy of the runtime; link the program with the "
        "shared library, or with libcomex_world itself");
  }
  const bool is_first = over_all_ranks && !self.has_met_parents;
  if (is_first) self.launch.hear_parents(joiner);  // again where a first init could not meet them
  std::unique_ptr<World> world;
  if (over_all_ranks) {
    world = self.launch.over_all_ranks(joiner);
  } else {
    world = self.launch.over(comm, joiner);
    if (!world->is_worker()) return leave_service(self, *world);
  }
  hook_into_mpi_finalize(self);
  self.runtime = std::make_unique<Runtime>(std::move(world), self.reporter, joiner);
  detail::current_runtime.store(self.runtime.get(), std::memory_order_release);
  const CallScope call("init", groups::world_handle);
  self.runtime->barrier(groups::world_handle);
  if (is_first && !joiner.meet_parents(*self.runtime)) {
    close_runtime(self);  // on all workers; the next init tries again
    return COMEX_FAILURE;
  }
  self.was_initialized = true;
  self.has_met_parents |= is_first;
  return COMEX_SUCCESS;
}

int finalize() {
  Process& self = process();
  if (self.is_forked_child) return self.reporter.fail({.operation = "finalize"}, why_there_is_none());
  const std::lock_guard lock(self.starting);
  if (detail::current() == nullptr) return 0;
  const CallScope call("finalize", groups::world_handle);
  if (close_runtime(self)) return 0;
  Reporter::drop_failure_line();  // what was refused had its line elsewhere, or earlier
  return 1;
}

}  // namespace comex::runtime
