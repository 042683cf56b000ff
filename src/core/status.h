// The result of a step that can fail: a value or a Failure.
//
// There are three kinds of failure. A caller's error and a refusal by the system travel as a Failure to the C
// function, which reports them once. A bug aborts at its place (see COMEX_BUG_IF).
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace comex {

enum class Fault : unsigned char {
  caller,       // the program passed an argument that is not allowed
  environment,  // the machine or the system refused; the text has the call and errno
};

struct Failure {
  std::string text;  // what is wrong and what is allowed, without the "rank R on HOST" prefix
  Fault fault = Fault::caller;
};

inline Failure caller_error(std::string text) {
  return {std::move(text), Fault::caller};
}
inline Failure environment_error(std::string text) {
  return {std::move(text), Fault::environment};
}

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  const Failure& failure() const { return *std::get_if<1>(&state_); }
  Failure&& take_failure() { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Failure> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure failure) : failed_(true), failure_(std::move(failure)) {}

  explicit operator bool() const { return !failed_; }
  const Failure& failure() const { return failure_; }
  Failure&& take_failure() { return std::move(failure_); }

 private:
  bool failed_ = false;
  Failure failure_;
};

using Status = Result<void>;

// Prints the place and the reason, then aborts. It is never compiled out.
[[noreturn]] void bug(const char* file, int line, const char* what);
// Says that the process cannot have so many bytes, and for what, then aborts.
[[noreturn]] void out_of_memory(std::size_t bytes, const char* what);

}  // namespace comex

#define COMEX_BUG_IF(condition)                                  \
  do {                                                           \
    if (condition) ::comex::bug(__FILE__, __LINE__, #condition); \
  } while (false)
