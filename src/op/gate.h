// The lock of the engine: lets one thread of a worker in at a time.
//
// Under MPI_THREAD_MULTIPLE a mutex. Below, callers are one at a time by MPI's own rule and one atomic
// exchange keeps it: half the price, paid by every small operation. Whoever breaks the rule waits awake.
// Made by op/engine; std::unique_lock holds it.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace comex::op {

class Gate {
 public:
  explicit Gate(bool has_threads) : has_threads_(has_threads) {}

  bool try_lock() {
    if (has_threads_) return mutex_.try_lock();
    return !is_taken_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    if (has_threads_) {
      mutex_.lock();
    } else {
      while (!try_lock()) std::this_thread::yield();
    }
  }
  void unlock() {
    if (has_threads_) {
      mutex_.unlock();
    } else {
      is_taken_.store(false, std::memory_order_release);
    }
  }

 private:
  const bool has_threads_;
  std::atomic<bool> is_taken_{false};
  std::mutex mutex_;
};

}  // namespace comex::op
