// Decides which part of a group each member joins when the group is split by color and key.
//
// It is pure: every member computes the same result from everybody's arguments. Parts are ordered by key,
// then by rank in the parent. Used by the calls that divide groups and inter-groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace comex::groups {

// The arguments of each member. Travels as bytes.
struct SplitArguments {
  std::int32_t color = 0;
  std::int32_t key = 0;
  std::uint64_t context = 0;  // for the part, if this member is its rank 0
};
static_assert(sizeof(SplitArguments) == 16);

// The parent's ranks with this color, in the order of the part.
std::vector<std::uint32_t> part_of(std::span<const SplitArguments> all_arguments, std::int32_t color);

}  // namespace comex::groups
