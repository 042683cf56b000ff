#include "groups/managers.h"

#include <algorithm>
#include <string>

#include "groups/world_identity.h"

namespace comex::groups {

std::vector<ManagerRow> managers_of(std::span<const WorldDescription> worlds) {
  std::vector<ManagerRow> rows;
  for (const WorldDescription& world : worlds) {
    const ManagerRow row{manager_of(world.id), 0, world.launch};
    if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, &ManagerRow::manager);
  return rows;
}

Status compare_managers(std::span<const ManagerRow> mine, std::span<const ManagerRow> theirs) {
  for (const ManagerRow& row : mine) {
    const bool is_other = std::ranges::any_of(theirs, [&row](const ManagerRow& other) {
      return other.manager == row.manager && other.launch != row.launch;
    });
    if (!is_other) continue;
    return caller_error("two launches that meet have the process manager number " +
                        std::to_string(row.manager) +
                        "; give each a value of its own with COMEX_MANAGER, from 0 to 255");
  }
  return {};
}

}  // namespace comex::groups
