#include "checked/findings.h"

#include <cstdio>

namespace comex::checker {

namespace {

void print(const std::string& text) {
  const std::string line = "comex check: " + text + "\n";  // in one piece: all ranks write to one place
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void Findings::tell(const std::string& what, const std::string& text) {
  if (told_.insert(what).second) print(text);
}

void Findings::note(const std::string& text) {
  if (noted_.insert(text).second) print(text);
}

}  // namespace comex::checker
