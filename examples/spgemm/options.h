// The command line of spgemm.
#pragma once

#include <cstddef>
#include <string>

namespace spgemm {

struct Options {
  std::string a_file;
  std::string b_file;  // empty: B is A
  std::size_t block = 32;
  std::size_t depth = 2;
  std::size_t batch = 4;
  std::size_t repeat = 1;
  std::size_t die_at = 0;  // percent; 0: nobody does
  int copies = 0;          // of all matrices, on other hosts
};

struct ParsedOptions {
  Options options;
  bool run = true;  // false: only leave with `status`
  int status = 0;
};

// Prints help and errors only if `speak`: one process talks for all.
ParsedOptions parse_options(int argc, char** argv, bool speak);

}  // namespace spgemm
