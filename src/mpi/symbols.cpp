#include "mpi/symbols.h"

#include <dlfcn.h>

namespace comex::mpi {

void* find_symbol(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

}  // namespace comex::mpi
