// Finds functions of the MPI library that are not in the standard. They are looked up at run time, because
// another MPI, or another version of the same one, may not have them.
#pragma once

#include <dlfcn.h>

namespace comex::mpi {

template <typename Function>
Function* function_named(const char* name) {  // null: there is none
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace comex::mpi
