#include "groups/world_description.h"

namespace comex::groups {

WorldDescription WorldDescription::for_others() const {
  WorldDescription shipped = *this;
  if (!rows) return shipped;
  auto stripped = std::make_shared<std::vector<ConnectionData>>(*rows);
  for (ConnectionData& row : *stripped) row.base = 0;
  shipped.rows = std::move(stripped);
  return shipped;
}

}  // namespace comex::groups
