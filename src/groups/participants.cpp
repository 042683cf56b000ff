#include "groups/participants.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace comex::groups {

Participants participants(const Group& group, const WorldRegistry& registry) {
  const auto mine = static_cast<std::uint32_t>(group.my_rank());
  if (!group.is_inter()) return {group.members(), mine, group.size(), true};
  const ConnectionTable& local = group.members();
  const ConnectionTable& remote = group.targets();
  const Result<Gpid> here = registry.gpid_of(local.lpid(0));
  const Result<Gpid> there = registry.gpid_of(remote.lpid(0));
  COMEX_BUG_IF(!here || !there || here.value() == there.value());
  const bool is_low = here.value() < there.value();
  std::vector<Lpid> lpids = (is_low ? local : remote).lpids();
  const auto low_size = static_cast<std::uint32_t>(lpids.size());
  std::ranges::copy((is_low ? remote : local).lpids(), std::back_inserter(lpids));
  return {ConnectionTable::from(lpids), is_low ? mine : low_size + mine, low_size, is_low};
}

}  // namespace comex::groups
