// Words what a bounds check found, with the nearest segment: the second half of an error line.
#pragma once

#include <cstdint>
#include <string>

#include "shm/extents.h"

namespace comex::shm {

// May it wait for those who allocate at the same time? Who serves others may not: the text then does
// without the nearest segment, unless that can be told at once.
enum class Patience : std::uint8_t { waits, never_waits };

struct BoundsFault {
  BoundsVerdict verdict = BoundsVerdict::ok;
  Worker target = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
// `base` is the arena's address in the owner's address space, so that the text shows addresses the
// program knows.
std::string explain(Extents& extents, const BoundsFault& fault, std::uint64_t base, Patience patience);

}  // namespace comex::shm
