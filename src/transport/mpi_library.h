// Finds functions of the MPI library that are not in the standard. They are looked up at run time, because
// another MPI, or another version of Open MPI, may not have them.
#pragma once

namespace comex::transport {

void* find_in_mpi(const char* name);  // null: there is none

template <typename Function>
Function* in_mpi(const char* name) {
  return reinterpret_cast<Function*>(find_in_mpi(name));
}

}  // namespace comex::transport
