#include "groups/newcomers.h"

#include <set>

namespace comex::groups {

std::vector<Gpid> newcomers_order(LpidOrder order, std::span<const Gpid> parents,
                                  std::span<const Gpid> spawner_table) {
  std::vector<Gpid> ordered;
  std::set<Gpid> seen;
  const auto append = [&](std::span<const Gpid> gpids) {
    for (const Gpid gpid : gpids) {
      if (seen.insert(gpid).second) ordered.push_back(gpid);
    }
  };
  if (order == LpidOrder::parent) append(parents);
  append(spawner_table);
  append(parents);
  return ordered;
}

}  // namespace comex::groups
