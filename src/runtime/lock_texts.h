// The texts about a lock that was taken over from a dead process, and about one that is waited for long.
//
// Calls of this process and servers that act for others use the same texts. A prefix in front of them names
// the operation and its target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/ids.h"

namespace comex::runtime {

inline std::string memory_recovered_text() {
  return "a lock on its memory was taken over from a process that died with it; what it guarded may be half "
         "updated";
}

inline std::string mutex_recovered_text(std::uint64_t index, const std::optional<Worker>& dead) {
  return "mutex " + std::to_string(index) + " was taken over from " +
         (dead ? "worker " + std::to_string(*dead) + ", which" : std::string("one that")) +
         " died with it; what it guards may be half updated";
}

inline std::string mutex_held_text(std::uint64_t index, const std::optional<Worker>& holder) {
  return "mutex " + std::to_string(index) +
         (holder ? ", which worker " + std::to_string(*holder) + " holds" : std::string());
}

}  // namespace comex::runtime
