// The runtime's state of this process. The C interface has no handle, so its objects are kept here.
//
// It is the only static state of the library that changes, besides that of a thread. Init and finalize set
// the pointer to the runtime. A call gets it by `pass`, or by `at_once` if it can be served without delay. On
// a worker that has to poll in calls, no call skips its round.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "runtime/opening/launch.h"
#include "runtime/report.h"
#include "runtime/runtime.h"

namespace comex::runtime {

struct Process {
  Reporter reporter;
  Launch launch{reporter};
  std::unique_ptr<Runtime> runtime;
  // Only one init or finalize at a time. A progress rank ends inside init, where exit handlers may finalize.
  std::recursive_mutex starting;
  std::mutex introducing;  // only one thread at a time finds out who this process is
  bool was_initialized = false;
  bool has_met_parents = false;  // or has none; equal on all ranks
  bool has_finalize_hook = false;
  bool has_dead_workers = false;                   // known when the last world was closed
  bool is_forked_child = false;                    // of an initialized process; it owns nothing here
  std::atomic<bool> has_told_of_no_memory{false};  // set by malloc_local, whose failure does not end the job
};

Process& process();
// Why there is no runtime.
const char* why_there_is_none();
// For errors that may come before init: it has identified this process as far as possible.
Reporter& introduced_reporter();

namespace detail {
extern std::atomic<Runtime*> current_runtime;

inline Runtime* current() {
  return current_runtime.load(std::memory_order_acquire);
}
}  // namespace detail

// The entry of a call. Where calls have to serve or to send, it makes a round of progress now and then. Null
// before init and after finalize.
inline Runtime* pass() {
  Runtime* runtime = detail::current();
  if (runtime != nullptr) [[likely]]
    runtime->poll_now_and_then();
  return runtime;
}
// The same for calls that take a few loads and stores. Also null where these have to make progress; those use
// pass().
inline Runtime* at_once() {
  Runtime* runtime = detail::current();
  return runtime != nullptr && !runtime->polls_in_calls() ? runtime : nullptr;
}
// The same for calls that add to a batch: what has not left yet leaves in later ones.
inline Runtime* at_once_to_batch() {
  Runtime* runtime = detail::current();
  return runtime != nullptr && !runtime->serves_in_calls() ? runtime : nullptr;
}

// MPI is asked for threads only if a worker may have to serve itself.
int wanted_thread_level();

// Both return COMEX_SUCCESS or COMEX_FAILURE. A null comm stands for all ranks of MPI_COMM_WORLD.
int initialize(const WorldJoiner& joiner, MPI_Comm comm, int* argc, char*** argv);
int finalize();

}  // namespace comex::runtime
