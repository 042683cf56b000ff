#include "op/rests.h"

#include <algorithm>

namespace comex::op::remote {

const Rest* Rests::find(TransportRank rank) const {
  const auto found = std::ranges::lower_bound(rests_, rank, {}, &Rest::rank);
  return found != rests_.end() && found->rank == rank ? &*found : nullptr;
}

void Rests::keep(std::vector<Rest> rested) {
  const auto known =
      std::ranges::partition(rested, [this](const Rest& each) { return find(each.rank) == nullptr; });
  for (const Rest& each : known) *std::ranges::lower_bound(rests_, each.rank, {}, &Rest::rank) = each;
  rested.erase(known.begin(), known.end());
  if (rested.empty()) return;
  std::ranges::sort(rested, {}, &Rest::rank);
  rests_.reserve(rests_.size() + rested.size());  // no more than that
  const auto middle = rests_.insert(rests_.end(), rested.begin(), rested.end());
  std::ranges::inplace_merge(rests_, middle, {}, &Rest::rank);
}

}  // namespace comex::op::remote
