#include "transport/mpi_library.h"

#include <dlfcn.h>

namespace comex::transport {

void* find_in_mpi(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

}  // namespace comex::transport
