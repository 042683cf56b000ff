#include "groups/endpoints.h"

#include "core/status.h"

namespace comex::groups {

Endpoints Endpoints::subset(std::span<const std::uint32_t> ranks) const {
  if (!by_rank_) return {};
  std::vector<std::uint32_t> some;
  some.reserve(ranks.size());
  for (const std::uint32_t rank : ranks) some.push_back(of(rank));
  return Endpoints(std::move(some));
}

EndpointLayout lay_out_endpoints(std::span<const Lpid> parents,
                                 std::span<const EndpointArguments> all_arguments, std::uint32_t my_rank) {
  COMEX_BUG_IF(parents.size() != all_arguments.size());
  EndpointLayout layout;
  for (std::uint32_t rank = 0; rank < parents.size(); ++rank) {
    if (rank == my_rank) layout.first_rank = static_cast<std::uint32_t>(layout.members.size());
    for (std::uint32_t i = 0; i < all_arguments[rank].count; ++i) {
      layout.members.push_back(parents[rank]);
      layout.ids.push_back(all_arguments[rank].first_id + i);
    }
  }
  return layout;
}

}  // namespace comex::groups
