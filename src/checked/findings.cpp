#include "checked/findings.h"

#include <cstdio>

namespace comex::checker {

void Findings::tell(const std::string& what, const std::string& text) {
  if (!told_.insert(what).second) return;
  const std::string line = "comex check: " + text + "\n";  // in one piece: all ranks write to one place
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace comex::checker
