#include "core/status.h"

#include <cstdio>
#include <cstdlib>

namespace comex {

void bug(const char* file, int line, const char* what) {
  std::fprintf(stderr, "comex: bug at %s:%d: %s\n", file, line, what);
  std::abort();
}

void out_of_memory(std::size_t bytes, const char* what) {
  std::fprintf(
      stderr,
      "comex: out of memory: malloc of %zu bytes for %s failed (a limit of the process, see ulimit -v, "
      "or of the machine)\n",
      bytes, what);
  std::abort();
}

}  // namespace comex
