#include "groups/split.h"

#include <algorithm>

namespace comex::groups {

std::vector<std::uint32_t> part_of(std::span<const SplitWish> wishes, std::int32_t color) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < wishes.size(); ++rank) {
    if (wishes[rank].color == color) ranks.push_back(rank);
  }
  std::ranges::stable_sort(ranks, {}, [&wishes](std::uint32_t rank) { return wishes[rank].key; });
  return ranks;
}

}  // namespace comex::groups
