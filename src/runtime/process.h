// What this process is to the runtime: the C interface has no handle, so its objects hang here.
//
// The only static state of the library, but for what a thread stands for (caller.h). Init and finalize write
// where the runtime is. A call of the interface comes to it by `pass` or, for what it can serve at once, by
// `at_once`: where a worker serves itself, no call gets round its round of service.
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
  std::mutex starting;  // one init or finalize at a time
  bool was_initialized = false;
  bool has_finalize_hook = false;
  bool is_forked_child = false;                  // of one that has been initialized: nothing here is its own
  std::atomic<bool> has_told_of_no_room{false};  // by malloc_local, which fails without ending anything
};

Process& process();
// Why there is no runtime.
const char* why_there_is_none();
// For errors that may come before init: says who this is as far as it can be known by then.
Reporter& introduced_reporter();

namespace detail {
extern std::atomic<Runtime*> current_runtime;

inline Runtime* current() {
  return current_runtime.load(std::memory_order_acquire);
}
}  // namespace detail

// The way into a call: now and then with a round of service, where that is left to calls. Null before init
// and after finalize.
inline Runtime* pass() {
  Runtime* runtime = detail::current();
  if (runtime != nullptr) [[likely]]
    runtime->serve_now_and_then();
  return runtime;
}
// The same for what a few loads and stores can serve. Null as well where calls have to serve: they pass.
inline Runtime* at_once() {
  Runtime* runtime = detail::current();
  return runtime != nullptr && !runtime->serves_in_calls() ? runtime : nullptr;
}

// Threads are asked of MPI only where a worker may have to serve itself.
int wanted_thread_level();

// Both return COMEX_SUCCESS or COMEX_FAILURE; comm null: over all ranks of MPI_COMM_WORLD.
int initialize(const WorldJoiner& joiner, MPI_Comm comm, int* argc, char*** argv);
int finalize();

}  // namespace comex::runtime
