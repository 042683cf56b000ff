// What one rank does in a test, written as straight code that pauses where it waits.
//
// The same code then runs on a thread, in a process of an MPI job, or in turns with the other ranks
// on one thread: `co_await pause;` gives the turn away. Starts at the first resume().
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace comex::transport::test {

class RankTask {
 public:
  struct promise_type {
    RankTask get_return_object() {
      return RankTask(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };

  explicit RankTask(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  RankTask(RankTask&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  RankTask& operator=(RankTask&&) = delete;
  ~RankTask() {
    if (handle_) handle_.destroy();
  }

  bool finished() const { return handle_.done(); }
  void resume() { handle_.resume(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

inline constexpr std::suspend_always pause;

}  // namespace comex::transport::test
