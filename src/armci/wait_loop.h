// How the façade waits, for requests of MPI too: it drives the runtime and MPI, and soon leaves the core to
// others, unless it serves.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "flavour.h"
#include "runtime/facade.h"

namespace comex::armci {

class WaitLoop {
 public:
  // Words of runtime/facade.
  WaitLoop(const char* operation, int worker) : operation_(operation), worker_(worker) {}
  WaitLoop(const WaitLoop&) = delete;
  WaitLoop& operator=(const WaitLoop&) = delete;
  ~WaitLoop() { comex_message_waits.end(watched_); }

  // Waits for one round. Call it between two checks of the awaited condition.
  void wait_a_round() {
    if (comex_message_waits.progress()) {
      nap_ = first_nap;  // a worker that serves itself has requests, and more may come
      return;
    }
    if (++round_ < spins) return;
    if (round_ < yields) {
      std::this_thread::yield();
      return;
    }
    if (watched_ == nullptr) watched_ = comex_message_waits.begin(operation_, worker_);
    comex_message_waits.look(watched_);
    std::this_thread::sleep_for(nap_);
    if (nap_ < longest_nap) nap_ *= 2;
  }

 private:
  static constexpr int spins = 20;
  static constexpr int yields = 400;
  static constexpr std::chrono::microseconds first_nap{20};
  static constexpr std::chrono::microseconds longest_nap{320};
  const char* operation_;
  int worker_;
  void* watched_ = nullptr;  // once the wait is long
  int round_ = 0;
  std::chrono::microseconds nap_ = first_nap;
};

// Ends the job where a call of MPI has failed: the others would wait for its message.
inline void require_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  comex_error((std::string(call) + " failed: " + text).c_str(), 1);
}

// Returns MPI's code. The operation is "send" or "receive", the worker its other side.
inline int wait_for(MPI_Request& request, const char* operation, int worker,
                    MPI_Status* status = MPI_STATUS_IGNORE) {
  int done = 0;
  int code = PMPI_Test(&request, &done, status);
  for (WaitLoop loop(operation, worker); done == 0 && code == MPI_SUCCESS;) {
    loop.wait_a_round();
    code = PMPI_Test(&request, &done, status);
  }
  return code;
}

}  // namespace comex::armci
