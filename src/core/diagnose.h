// Words an error or notice as the one line a user sees: who, doing what, to whom, what is wrong.
//
//   comex: rank 3 on node7: put to target 5, address 0x7f0012345678: 8 bytes past the end of ...
//   comex: rank 3, endpoint 6, on node7: put to ...
//
// Promises one line, whatever the text holds. Called by whoever first decides that it is an error.
#pragma once

#include <string>
#include <string_view>

namespace comex {

struct Identity {
  int rank = -1;  // in the communicator the user knows; below zero: not known yet
  std::string host;
  int endpoint = -1;  // whose operation it is: its rank in the group; below zero: the process's own
};

struct Context {
  const char* operation = nullptr;  // null: said by no operation
  int target = -1;
  const void* address = nullptr;
};

std::string format_line(const Identity& who, const Context& where, std::string_view text);

}  // namespace comex
