// How a function of MPI's in this library follows the one behind it.
#pragma once

#include <mpi.h>

#include "checked/follow.h"

namespace comex::checker {
// The checker, if the program makes the call.
inline Checker* following(const void* caller) {
  Checker* const check = checker();
  return check != nullptr && !is_runtime(caller) ? check : nullptr;
}

// The same for calls of the ARMCI library.
inline Checker* following_armci(const void* caller) {
  Checker* const check = checker();
  return check != nullptr && is_message_of_armci(caller) ? check : nullptr;
}

inline constexpr Flow::Way among_all = Flow::Way::among_all;
inline constexpr Flow::Way from_root = Flow::Way::from_root;
inline constexpr Flow::Way to_root = Flow::Way::to_root;
inline constexpr Flow::Way to_higher_ranks = Flow::Way::to_higher_ranks;
inline constexpr Flow::Way to_one = Flow::Way::to_one;

// A message, and a collective that does not block.
template <auto Function, class... Arguments>
int sending(const char* name, const void* caller, MPI_Comm comm, const Flow& flow, Arguments... arguments) {
  if (Checker* const check = following(caller)) check->sends(comm, flow);
  return next<Function>(name)(arguments...);
}

template <auto Function, class... Arguments>
int receiving(const char* name, const void* caller, Arguments... arguments) {
  const int code = next<Function>(name)(arguments...);
  if (Checker* const check = following(caller)) check->received();
  return code;
}

// What may or may not have received something.
template <auto Function, class... Arguments>
int testing(const char* name, const void* caller, const int* is_done, Arguments... arguments) {
  const int code = next<Function>(name)(arguments...);
  Checker* const check = following(caller);
  if (check != nullptr && *is_done != 0 && *is_done != MPI_UNDEFINED) check->received();
  return code;
}

template <auto Function, class... Arguments>
int meeting(const char* name, const void* caller, MPI_Comm comm, const Flow& flow, Arguments... arguments) {
  Checker* const check = following(caller);
  const bool is_exact = check == nullptr || check->reaches_exactly(comm);
  if (!is_exact) check->sends(comm, flow);
  const int code = next<Function>(name)(arguments...);
  if (!is_exact) {
    check->received();
  } else if (check != nullptr) {
    check->met_over(comm, flow);
  }
  return code;
}

}  // namespace comex::checker
