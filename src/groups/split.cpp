#include "groups/split.h"

#include <algorithm>

namespace comex::groups {

std::vector<std::uint32_t> part_of(std::span<const SplitArguments> all_arguments, std::int32_t color) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < all_arguments.size(); ++rank) {
    if (all_arguments[rank].color == color) ranks.push_back(rank);
  }
  std::ranges::stable_sort(ranks, {},
                           [&all_arguments](std::uint32_t rank) { return all_arguments[rank].key; });
  return ranks;
}

}  // namespace comex::groups
