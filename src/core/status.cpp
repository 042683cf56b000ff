#include "core/status.h"

#include <cstdio>
#include <cstdlib>

namespace comex {

void bug(const char* file, int line, const char* what) {
  std::fprintf(stderr, "comex: bug at %s:%d: %s\n", file, line, what);
  std::abort();
}

}  // namespace comex
