// Results of non-blocking operations, and what can be made of them. Included by comex.hpp.
#pragma once

#include <comex/cpp/concepts.hpp>
#include <comex/cpp/requests.hpp>

#include <concepts>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace comex {

// What futures have in common:
//   ready()   true if get() does not wait; makes a round of progress otherwise, and throws nothing
//   settle()  waits, and throws nothing
//   wait()    waits, and throws what has failed
//   get()     waits, throws what has failed, and gives the result
// "Complete" means as after the blocking form: sources may be reused, results are there. Futures move and do
// not copy. One that is destroyed waits first, since the operation uses its buffers until it is complete. One
// thread at a time uses a future.
template <class F>
concept future_like = requires(F& future) {
  typename F::value_type;
  { future.ready() } -> std::same_as<bool>;
  { future.get() } -> std::same_as<typename F::value_type>;
  future.settle();
  future.wait();
};

template <class Before, class F>
class continuation;

namespace detail {

template <class Derived>
class chained {
 public:
  // f is called with the result once it is there, by the call of ready(), settle(), wait() or get() on the
  // new future that finds it, on that thread. The new future gives what f returns or throws. If it is
  // destroyed before, the operation is waited for and f is not called.
  template <class F>
  [[nodiscard]] continuation<Derived, std::decay_t<F>> then(F&& f) && {
    return {std::move(static_cast<Derived&>(*this)), std::forward<F>(f)};
  }
};

template <class F, class T>
struct after {
  using type = std::decay_t<std::invoke_result_t<F&, T>>;
};
template <class F>
struct after<F, void> {
  using type = std::decay_t<std::invoke_result_t<F&>>;
};

}  // namespace detail

template <class T = void>
class future;

// An operation without a result. A default-made one is complete.
template <>
class [[nodiscard]] future<void> : public detail::chained<future<void>> {
 public:
  using value_type = void;

  future() noexcept = default;
  // start() returns the requests.
  template <class Start>
  requires std::is_invocable_r_v<detail::requests, Start>
  explicit future(Start&& start) : requests_(start()) {}
  explicit future(detail::requests&& started) noexcept : requests_(std::move(started)) {}

  bool ready() noexcept { return requests_.is_done(); }
  void settle() noexcept { requests_.settle(); }
  void wait() { requests_.finish(); }
  void get() { wait(); }

 private:
  detail::requests requests_;
};

// An operation with a result, which may be asked for more than once. The future has the memory for it: no
// allocation, in the long run, for up to 64 bytes.
template <class T>
class [[nodiscard]] future : public detail::chained<future<T>> {
 public:
  using value_type = T;

  // start(place of the result) returns the requests.
  template <class Start>
  requires std::is_invocable_r_v<detail::requests, Start, void*>
  explicit future(Start&& start) : requests_(start(result_.at())) {}
  // Complete from the beginning.
  explicit future(const T& value) { std::memcpy(result_.at(), std::addressof(value), sizeof(T)); }

  bool ready() noexcept { return requests_.is_done(); }
  void settle() noexcept { requests_.settle(); }
  void wait() { requests_.finish(); }
  T get() {
    wait();
    return result_.value();
  }

 private:
  detail::result<T> result_;
  detail::requests requests_;  // ends before the memory that it writes to
};

// What then() makes.
template <class Before, class F>
class [[nodiscard]] continuation : public detail::chained<continuation<Before, F>> {
 public:
  using value_type = typename detail::after<F, typename Before::value_type>::type;

  template <class G>
  continuation(Before&& before, G&& f) : f_(std::forward<G>(f)), before_(std::move(before)) {}
  continuation(continuation&&) = default;
  continuation& operator=(continuation&& other) requires std::is_move_assignable_v<F> {
    if (this == &other) return *this;
    before_ = std::move(other.before_);  // ends the old one, which may use what f_ owns
    f_ = std::move(other.f_);
    outcome_ = std::move(other.outcome_);
    return *this;
  }

  bool ready() noexcept {
    if (!outcome_.is_empty()) {
      comex_initialized();  // serves, as in is_done()
      return true;
    }
    if (!before_.ready()) return false;
    go_on();
    return true;
  }
  void settle() noexcept {
    if (outcome_.is_empty()) {
      go_on();
    } else {
      comex_initialized();
    }
  }
  void wait() {
    settle();
    outcome_.rethrow();
  }
  // Moves the result out: once.
  value_type get() {
    settle();
    return outcome_.take();
  }

 private:
  void go_on() noexcept {
    outcome_.set_from([&]() -> value_type {
      if constexpr (std::is_void_v<typename Before::value_type>) {
        before_.get();
        return f_();
      } else {
        return f_(before_.get());
      }
    });
  }

  F f_;  // it may own what the operation uses, which ends before
  Before before_;
  detail::outcome<value_type> outcome_;
};

template <class Before, class F>
continuation(Before, F) -> continuation<Before, F>;

namespace detail {

// Results of several futures or tasks. Those without one are std::monostate; if none has one, void.
template <class T>
using kept = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
template <class... Ts>
struct together {
  using type = std::tuple<kept<Ts>...>;
};
template <class... Ts>
requires(std::is_void_v<Ts>&&...) struct together<Ts...> {
  using type = void;
};
template <class T>
using in_a_row = std::conditional_t<std::is_void_v<T>, void, std::vector<kept<T>>>;

template <class T, class Get>
kept<T> keep(Get&& get) {
  if constexpr (std::is_void_v<T>) {
    get();
    return {};
  } else {
    return get();
  }
}

}  // namespace detail

// Complete when all of several are. It always waits for all; then the first failure, in their order, is
// thrown.
template <class... Fs>
class [[nodiscard]] all_of : public detail::chained<all_of<Fs...>> {
 public:
  using value_type = typename detail::together<typename Fs::value_type...>::type;

  explicit all_of(Fs&&... futures) : futures_(std::move(futures)...) {}

  bool ready() noexcept {
    return std::apply([](auto&... each) { return (int{each.ready()} & ... & 1) != 0; }, futures_);
  }
  void settle() noexcept {
    std::apply([](auto&... each) { (each.settle(), ...); }, futures_);
  }
  void wait() {
    settle();
    std::apply([](auto&... each) { (each.wait(), ...); }, futures_);
  }
  value_type get() {
    settle();
    if constexpr (std::is_void_v<value_type>) {
      wait();
    } else {
      return std::apply(
          [](auto&... each) {
            return value_type{detail::keep<typename std::remove_reference_t<decltype(each)>::value_type>(
                [&] { return each.get(); })...};
          },
          futures_);
    }
  }

 private:
  std::tuple<Fs...> futures_;
};

// The same of futures of one type; the results are in a vector.
template <class F>
class [[nodiscard]] all_in : public detail::chained<all_in<F>> {
 public:
  using value_type = detail::in_a_row<typename F::value_type>;

  explicit all_in(std::vector<F>&& futures) noexcept : futures_(std::move(futures)) {}

  bool ready() noexcept {
    if (futures_.empty()) comex_initialized();
    bool are_ready = true;
    for (F& each : futures_) are_ready = each.ready() && are_ready;
    return are_ready;
  }
  void settle() noexcept {
    if (futures_.empty()) comex_initialized();
    for (F& each : futures_) each.settle();
  }
  void wait() {
    settle();
    for (F& each : futures_) each.wait();
  }
  value_type get() {
    settle();
    if constexpr (std::is_void_v<value_type>) {
      wait();
    } else {
      value_type results;
      results.reserve(futures_.size());
      for (F& each : futures_) results.push_back(each.get());
      return results;
    }
  }

 private:
  std::vector<F> futures_;
};

// Futures are moved in. get() gives the results as a tuple, with std::monostate for those that have none, or
// as a vector; nothing if no future has a result.
template <future_like... Fs>
requires(sizeof...(Fs) > 0) all_of<Fs...> when_all(Fs... futures) {
  return all_of<Fs...>(std::move(futures)...);
}
template <future_like F>
all_in<F> when_all(std::vector<F> futures) {
  return all_in<F>(std::move(futures));
}

}  // namespace comex
