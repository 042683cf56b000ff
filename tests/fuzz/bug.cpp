// The orderly end of a job, as an exception: it is what a process is allowed to do with bytes that no peer
// sends.
#include "fuzz/fuzz.h"

namespace comex {

void bug(const char* file, int line, const char* what) {
  fuzz::tell(file, line, what);
  throw fuzz::OrderlyEnd();
}

void out_of_memory(std::size_t, const char* what) {
  fuzz::tell(__FILE__, __LINE__, what);
  throw fuzz::OrderlyEnd();
}

}  // namespace comex
