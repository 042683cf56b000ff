// What this process writes to stderr while something runs: lines about errors, as a user sees them.
//
// Threads of one process share it. Used by tests of lines that are not driven from outside.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace comex::testing {

template <class Body>
std::string told(Body&& body) {
  std::FILE* const file = std::tmpfile();
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  body();
  dup2(before, STDERR_FILENO);
  close(before);
  std::fseek(file, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

}  // namespace comex::testing
