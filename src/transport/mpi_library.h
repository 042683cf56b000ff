// Functions of the MPI library that the standard does not have. Looked up at run time: another MPI, or
// another Open MPI, may be without them.
#pragma once

namespace comex::transport {

void* find_in_mpi(const char* name);  // null: there is none

template <typename Function>
Function* in_mpi(const char* name) {
  return reinterpret_cast<Function*>(find_in_mpi(name));
}

}  // namespace comex::transport
