// Which launch each process manager number belongs to, for all worlds that are connected with each other.
//
// Pure. When worlds meet, both sides compare their tables before anything else, so that both fail, with a
// line that names the setting. Used by whoever joins worlds; also by the steps of inter-group creation.
#pragma once

#include <span>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "groups/world_description.h"

namespace comex::groups {

// Travels as bytes.
struct ManagerRow {
  std::uint32_t manager = 0;
  std::uint32_t spare = 0;
  Id128 launch;
  friend bool operator==(const ManagerRow&, const ManagerRow&) = default;
};
static_assert(sizeof(ManagerRow) == 24);

// One row for each manager of these worlds, by number.
std::vector<ManagerRow> managers_of(std::span<const WorldDescription> worlds);
// A failure where one number belongs to two launches; the same text on both sides.
Status compare_managers(std::span<const ManagerRow> mine, std::span<const ManagerRow> theirs);

}  // namespace comex::groups
