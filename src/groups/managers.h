// Checks that each manager number stands for one launch in all worlds that are connected with each other.
//
// It is pure. When worlds meet, both sides compare their tables before anything else, so that both fail with
// a line that names the setting. Used when worlds are joined, and by the steps that make an inter-group.
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

// Returns one row for each manager of these worlds, by number.
std::vector<ManagerRow> managers_of(std::span<const WorldDescription> worlds);
// Fails if one number belongs to two launches, with the same text on both sides.
Status compare_managers(std::span<const ManagerRow> mine, std::span<const ManagerRow> theirs);

}  // namespace comex::groups
