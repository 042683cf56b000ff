// Formats an error or a notice as the one line that a user sees: rank, operation, target and fault.
//
//   comex: rank 3 on node7: put to target 5, address 0x7f0012345678: 8 bytes past the end of ...
//   comex: rank 3, endpoint 6, on node7: put to ...
//   comex: rank 3 on node7: get to target 1 of group 4 (worker 0 of world 2), address ...
//
// The worker and its world are added where the rank that the program passed does not identify the target.
// The result is always one line, whatever the text holds. The code that first finds an error calls this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/ids.h"

namespace comex {

struct Identity {
  int rank = -1;  // in the communicator that the user knows; negative: not known yet
  std::string host;
  int endpoint = -1;  // rank in its group of the endpoint that acts; negative: the process itself
};

// The target of an operation: how the caller named it, and which process that is.
struct Target {
  Target() = default;  // no particular target
  explicit Target(int of_world) : rank(of_world), worker(of_world) {}
  // `own` is the caller's world; without it, the text always tells the target's world. If the process is not
  // known (any more), the text has only the name that the caller used.
  Target(const TargetName& named, const std::optional<Gpid>& who, std::optional<WorldId> own);

  int rank = -1;
  int group = 0;                 // the group in which `rank` counts; 0: the world
  int worker = -1;               // number in its world; negative: not known
  std::optional<WorldId> world;  // set if the text shall tell it
};

struct Context {
  const char* operation = nullptr;  // null: no operation was under way
  Target target = {};
  const void* address = nullptr;
};

std::string hexadecimal(std::uint64_t value);  // "0x1f"
std::string text_of(Gpid gpid);                // "(0,1)": world 0, rank 1

// For example "worker 3", "workers 3, 5 and 7", "workers 0, 1, 2, 3, 4, 5, 6 and 93 others"; none: "".
std::string listed(std::string_view what, std::span<const int> numbers);

std::string format_line(const Identity& who, const Context& where, std::string_view text);

}  // namespace comex
