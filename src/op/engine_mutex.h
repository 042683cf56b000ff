// The lock of the engine, which lets one thread of a worker in at a time.
//
// Under MPI_THREAD_MULTIPLE it is a mutex. Below that level MPI's own rule allows one caller at a time, and
// one atomic exchange keeps it at half the price; a second caller spins. op/engine owns it, and
// std::unique_lock holds it.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace comex::op {

class EngineMutex {
 public:
  explicit EngineMutex(bool has_threads) : has_threads_(has_threads) {}

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
