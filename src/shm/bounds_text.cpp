#include "shm/bounds_text.h"

#include "core/diagnose.h"

namespace comex::shm {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string segment_text(const Extent& extent, std::uint64_t base) {
  return "segment " + hexadecimal(base + extent.offset) + " of " + bytes_text(extent.bytes) + " of worker " +
         std::to_string(extent.owner);
}

std::string nearest_text(Nearby nearby, const Extent& near, std::uint64_t base) {
  switch (nearby) {
    case Nearby::found:
      return "; nearest is " + segment_text(near, base);
    case Nearby::none:
      return "; there is no segment on its host";
    case Nearby::busy:
      break;
  }
  return "; the nearest segment is not known, since another process is allocating";
}

}  // namespace

std::string explain(Extents& extents, const BoundsFault& fault, std::uint64_t base, LockWait wait) {
  Extent near;
  const Nearby nearby = extents.nearest(fault.offset, near, wait);
  const bool is_hit = nearby == Nearby::found && fault.offset - near.offset < near.reserved;
  const std::string nearest = nearest_text(nearby, near, base);
  const std::string range = bytes_text(fault.bytes) + " at " + hexadecimal(base + fault.offset);
  switch (fault.verdict) {
    case BoundsVerdict::retired:
      return range + " lie in a segment that was freed" + nearest;
    case BoundsVerdict::wrong_owner:  // the segment may have been freed since
      if (!is_hit) break;
      return range + " belong to worker " + std::to_string(near.owner) + ", not to the target worker " +
             std::to_string(fault.target) + nearest;
    case BoundsVerdict::past_end:
      if (!is_hit) break;
      return range + " reach " + bytes_text(fault.offset + fault.bytes - (near.offset + near.bytes)) +
             " past the end" + nearest;
    case BoundsVerdict::ok:
    case BoundsVerdict::no_extent:
      break;
  }
  return range + " are not in memory that was allocated by comex" + nearest;
}

}  // namespace comex::shm
