// Which part of a group each member comes to when it is split by color and key.
//
// Pure: every member decides the same from what all said. Parts are ordered by key, then by rank in the
// parent. Used by the calls that divide groups and inter-groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace comex::groups {

// What each member says. Travels as bytes.
struct SplitWish {
  std::int32_t color = 0;
  std::int32_t key = 0;
  std::uint64_t context = 0;  // for the part, if this member becomes its rank 0
};
static_assert(sizeof(SplitWish) == 16);

// Ranks of the parent that have this color, in the order of the part.
std::vector<std::uint32_t> part_of(std::span<const SplitWish> wishes, std::int32_t color);

}  // namespace comex::groups
