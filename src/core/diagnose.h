// Words an error or notice as the one line a user sees: who, doing what, to whom, what is wrong.
//
//   comex: rank 3 on node7: put to target 5, address 0x7f0012345678: 8 bytes past the end of ...
//   comex: rank 3, endpoint 6, on node7: put to ...
//   comex: rank 3 on node7: get to target 1 of group 4 (worker 0 of world 2), address ...
//
// Who a target is, is said where the rank that the program passed does not say it.
// Promises one line, whatever the text holds. Called by whoever first decides that it is an error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/ids.h"

namespace comex {

struct Identity {
  int rank = -1;  // in the communicator the user knows; below zero: not known yet
  std::string host;
  int endpoint = -1;  // whose operation it is: its rank in the group; below zero: the process's own
};

// Whom an operation is for, as its caller named it, and who that is.
struct Target {
  Target() = default;  // nobody in particular
  explicit Target(int of_world) : rank(of_world), worker(of_world) {}
  // `own`: the world of the caller; none: whichever it is, the target's is told. Of a process that is not
  // known (any more), the name alone is.
  Target(const Naming& named, const std::optional<Gpid>& who, std::optional<WorldId> own);

  int rank = -1;
  int group = 0;                 // whose rank it is; 0: the world's
  int worker = -1;               // in its world; below zero: not known
  std::optional<WorldId> world;  // where it is to be told
};

struct Context {
  const char* operation = nullptr;  // null: said by no operation
  Target target = {};
  const void* address = nullptr;
};

// "worker 3", "workers 3, 5 and 7", "workers 0, 1, 2, 3, 4, 5, 6 and 93 others"; of none: nothing.
std::string listed(std::string_view what, std::span<const int> numbers);

std::string format_line(const Identity& who, const Context& where, std::string_view text);

}  // namespace comex
