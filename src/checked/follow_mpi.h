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
  return check != nullptr && is_in_armci_messages(caller) ? check : nullptr;
}

using enum Flow::Way;

// What may or may not have received something.
inline void follow_receive(const void* caller, int is_done = 1) {
  if (is_done == 0 || is_done == MPI_UNDEFINED) return;
  if (Checker* const check = following(caller)) check->received();
}

// A collective that blocks. Where not all members are workers of one group, it is followed as messages.
template <auto Function, class... Arguments>
int follow_collective(const char* name, const void* caller, MPI_Comm comm, const Flow& flow,
                      Arguments... arguments) {
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
