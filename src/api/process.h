// What this process is to the runtime: the C interface has no handle, so its objects hang here.
//
// The only static state of the library, but for what a thread stands for (caller.h). `current()` is one load;
// init and finalize write it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "api/launch.h"
#include "api/report.h"
#include "api/runtime.h"

namespace comex::api {

struct Process {
  Reporter reporter;
  Launch launch{reporter};
  std::unique_ptr<Runtime> runtime;
  std::mutex starting;  // one init or finalize at a time
  bool was_initialized = false;
  bool has_finalize_hook = false;
};

Process& process();
// For errors that may come before init: says who this is as far as it can be known by then.
Reporter& introduced_reporter();

namespace detail {
extern std::atomic<Runtime*> current_runtime;
}
// Null before init and after finalize.
inline Runtime* current() {
  return detail::current_runtime.load(std::memory_order_acquire);
}

// Threads are asked of MPI only where a worker may have to serve itself.
int wanted_thread_level();

// Both return COMEX_SUCCESS or COMEX_FAILURE; comm null: over all ranks of MPI_COMM_WORLD.
int initialize(MPI_Comm comm, int* argc, char*** argv);
int finalize();

}  // namespace comex::api
