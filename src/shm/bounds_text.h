// Formats the result of a bounds check, with the nearest segment, as the second half of an error line.
#pragma once

#include <cstdint>
#include <string>

#include "shm/extents.h"

namespace comex::shm {

struct BoundsFault {
  BoundsVerdict verdict = BoundsVerdict::ok;
  Worker target = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
// `base` is the arena's address in the owner's process, so that the text has the program's addresses.
std::string explain(Extents& extents, const BoundsFault& fault, std::uint64_t base, LockWait wait);

}  // namespace comex::shm
