// How a function of this library follows the one behind it.
#pragma once

#include <optional>

#include "checked/next.h"
#include "checked/process.h"
#include "runtime/facade.h"

// The call of the program that the function with this in it is.
#define COMEX_CALL (comex::checker::FollowedCall{__func__, __builtin_return_address(0)})

namespace comex::checker {

// A call whose operation is complete when it returns.
template <auto Function, class Operation, class... Arguments>
int follow(const Operation& operation, Arguments... arguments) {
  auto* const real = next<Function>(operation.call.name);
  Checker* const check = checker();
  if (check == nullptr) return real(arguments...);
  const int started = check->start(operation, Ending::on_return);
  const int code = real(arguments...);
  if (code == COMEX_FAILURE) {
    check->abandon(started);
  } else {
    check->complete(started);
  }
  return code;
}

// A call that starts an operation. The program gets a handle of the checker's for the one of the runtime.
template <auto Function, class Operation, class... Arguments>
int follow_start(const Operation& operation, comex_request_t* handle, Arguments... arguments) {
  auto* const real = next<Function>(operation.call.name);
  Checker* const check = checker();
  if (check == nullptr) return real(arguments..., handle);
  const int started = check->start(operation, handle != nullptr ? Ending::handle : Ending::implicit);
  const int code = real(arguments..., handle);
  if (code == COMEX_FAILURE) {
    check->abandon(started);
  } else if (started != 0) {
    check->issued(started, handle != nullptr ? std::optional<int>(*handle) : std::nullopt);
    if (handle != nullptr) *handle = started;
  } else if (code == COMEX_SUCCESS && handle != nullptr && Pending::is_ours(*handle)) {
    *handle = check->renumbered(*handle);
  }
  return code;
}

// `done(checker)` after a call that succeeded.
template <class Done>
int after(int code, const Done& done) {
  if (Checker* const check = checker(); check != nullptr && code == COMEX_SUCCESS) done(*check);
  return code;
}

// A collective call over a group; it may be a barrier to what went before.
template <auto Function, class... Arguments>
int together(const FollowedCall& call, comex_group_t group, bool is_barrier, Arguments... arguments) {
  auto* const real = next<Function>(call.name);
  Checker* const check = checker();
  if (check == nullptr) return real(arguments...);
  check->meet(call, group, is_barrier);
  const int code = real(arguments...);
  check->met(group);
  if (is_barrier) check->take_settled();
  return code;
}

}  // namespace comex::checker

// Defines a call whose operation is complete when it returns, and the one that starts the same operation,
// which takes a handle after the same parameters. operation(call, arguments...) is what the checker follows.
#define COMEX_FOLLOWED_PAIR(blocking, starting, operation, parameters, ...)                  \
  int blocking(COMEX_LIST parameters) {                                                      \
    return follow<&blocking>(operation(COMEX_CALL, __VA_ARGS__), __VA_ARGS__);               \
  }                                                                                          \
  int starting(COMEX_LIST parameters, comex_request_t* handle) {                             \
    return follow_start<&starting>(operation(COMEX_CALL, __VA_ARGS__), handle, __VA_ARGS__); \
  }
