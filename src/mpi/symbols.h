// Finds functions of the MPI library that are not in the standard. They are looked up at run time, because
// another MPI, or another version of the same one, may not have them.
#pragma once

namespace comex::mpi {

void* find_symbol(const char* name);  // null: there is none

template <typename Function>
Function* function_named(const char* name) {
  return reinterpret_cast<Function*>(find_symbol(name));
}

}  // namespace comex::mpi
