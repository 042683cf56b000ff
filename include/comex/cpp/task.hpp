// Coroutines that wait for futures while others go on. Included by comex.hpp.
#pragma once

#include <comex/cpp/future.hpp>

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace comex {

template <class T = void>
class task;

namespace detail {

// What the tasks of one run() wait for. All of them run on its thread.
class scheduler {
 public:
  template <class F>
  void park(std::coroutine_handle<> who, F& future) {
    parked_.push_back({who, &future, [](void* what) { return static_cast<F*>(what)->ready(); },
                       [](void* what) { static_cast<F*>(what)->settle(); }});
  }
  // Returns when nobody waits any more.
  void run() {
    constexpr unsigned rounds_without_yield = 64;
    for (unsigned idle = 0; !parked_.empty();) {
      idle = resume_ready() ? 0 : idle + 1;
      if (idle == 0) continue;
      if (parked_.size() == 1) {
        parked_.front().settle(parked_.front().what);  // waits as the runtime does
      } else if (idle > rounds_without_yield) {
        std::this_thread::yield();
      }
    }
  }

 private:
  struct parked {
    std::coroutine_handle<> who;
    void* what;
    bool (*is_ready)(void*);
    void (*settle)(void*);
  };

  bool resume_ready() {
    bool is_any = false;
    for (std::size_t i = 0; i < parked_.size();) {
      if (!parked_[i].is_ready(parked_[i].what)) {
        ++i;
        continue;
      }
      const std::coroutine_handle<> who = parked_[i].who;
      parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(i));
      who.resume();  // may park itself or others, at the end
      is_any = true;
    }
    return is_any;
  }

  std::vector<parked> parked_;
};

struct promise_base {
  // A task that has ended goes on with the one that awaits it.
  struct to_follower {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      return ended.promise().follower;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  to_follower final_suspend() const noexcept { return {}; }

  scheduler* loop = nullptr;
  std::coroutine_handle<> follower = std::noop_coroutine();
};

template <class T>
struct promise : promise_base {
  task<T> get_return_object() noexcept;
  void unhandled_exception() noexcept { result.set_exception(); }
  template <class Value>
  void return_value(Value&& value) {
    result.set(std::forward<Value>(value));
  }

  outcome<T> result;
};
template <>
struct promise<void> : promise_base {
  task<void> get_return_object() noexcept;
  void unhandled_exception() noexcept { result.set_exception(); }
  void return_void() noexcept { result.set(); }

  outcome<void> result;
};

// co_await of a future: in a task, others go on meanwhile; in any other coroutine it waits at once.
template <class F>
struct future_awaiter {
  bool await_ready() const noexcept { return future->ready(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> who) const {
    if constexpr (std::is_base_of_v<promise_base, Promise>) {
      who.promise().loop->park(who, *future);
      return true;
    } else {
      future->settle();
      return false;
    }
  }
  typename F::value_type await_resume() const { return future->get(); }

  F* future;
};

}  // namespace detail

// Gives the future's result, or throws what has failed.
template <class F>
requires future_like<std::remove_reference_t<F>> detail::future_awaiter<std::remove_reference_t<F>>
operator co_await(F&& future) noexcept {
  return {&future};
}

// A coroutine that awaits futures and other tasks. It begins when it is run or awaited, and ends with a value
// or an exception, which run() or the co_await hands on. What its parameters refer to lives until then.
template <class T>
class [[nodiscard]] task {
 public:
  using value_type = T;
  using promise_type = detail::promise<T>;
  using handle_type = std::coroutine_handle<promise_type>;

  explicit task(handle_type handle) noexcept : handle_(handle) {}
  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~task() {
    if (handle_) handle_.destroy();
  }

  // In another task: begins this one, and goes on there when it has ended.
  auto operator co_await() && noexcept { return awaiter{handle_}; }

  // For run().
  void begin(detail::scheduler& loop) {
    handle_.promise().loop = &loop;
    handle_.resume();
  }
  T take() {
    if (!handle_.done()) throw std::logic_error("comex::run: a task awaits what is no future and no task");
    return handle_.promise().result.take();
  }

 private:
  struct awaiter {
    bool await_ready() const noexcept { return false; }
    // It begins in here, and one that ends without waiting goes on by the result, not by its follower: a
    // compiler that does not optimize would use stack for each turn of a loop.
    template <std::derived_from<detail::promise_base> Promise>
    bool await_suspend(std::coroutine_handle<Promise> who) const {
      handle.promise().loop = who.promise().loop;
      handle.resume();
      if (handle.done()) return false;
      handle.promise().follower = who;
      return true;
    }
    T await_resume() const { return handle.promise().result.take(); }

    handle_type handle;
  };

  handle_type handle_;
};

template <class T>
task<T> detail::promise<T>::get_return_object() noexcept {
  return task<T>(std::coroutine_handle<promise>::from_promise(*this));
}
inline task<void> detail::promise<void>::get_return_object() noexcept {
  return task<void>(std::coroutine_handle<promise>::from_promise(*this));
}

// Runs a task on the calling thread and gives its result.
template <class T>
T run(task<T> only) {
  detail::scheduler loop;
  only.begin(loop);
  loop.run();
  return only.take();
}

// Runs several at once: while one awaits, others go on. Results are as those of when_all. All run to their
// ends; then the first exception, in the order of the tasks, is thrown.
template <class... Ts>
requires(sizeof...(Ts) > 1) typename detail::together<Ts...>::type run(task<Ts>... tasks) {
  detail::scheduler loop;
  (tasks.begin(loop), ...);
  loop.run();
  if constexpr ((std::is_void_v<Ts> && ...)) {
    (tasks.take(), ...);
  } else {
    return typename detail::together<Ts...>::type{detail::keep<Ts>([&] { return tasks.take(); })...};
  }
}
template <class T>
detail::in_a_row<T> run(std::vector<task<T>> tasks) {
  detail::scheduler loop;
  for (task<T>& each : tasks) each.begin(loop);
  loop.run();
  if constexpr (std::is_void_v<T>) {
    for (task<T>& each : tasks) each.take();
  } else {
    std::vector<T> results;
    results.reserve(tasks.size());
    for (task<T>& each : tasks) results.push_back(each.take());
    return results;
  }
}

}  // namespace comex
