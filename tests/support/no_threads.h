// A process that gets no thread, as where the system has none left.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace comex::testing {

// From here on; no address space has room for such a stack.
inline void get_no_threads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 47);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

}  // namespace comex::testing
