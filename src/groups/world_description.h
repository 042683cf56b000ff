// Describes a world as a process knows it: its names, its size, and how to reach each worker.
//
// It is a value and cheap to copy, because the rows are shared. All workers of the own world make its rows
// together at init. The rows of another world arrive with its description when worlds meet. WorldRegistry
// holds it, groups/joining_parts packs it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/ids.h"

namespace comex::groups {

inline constexpr std::int32_t unknown_rank = -1;

// The row of one worker. Travels as bytes.
struct ConnectionData {
  std::int32_t vpid = unknown_rank;  // MPI rank in its world
  std::int32_t local_rank = unknown_rank;
  std::int32_t node_rank = unknown_rank;
};
static_assert(sizeof(ConnectionData) == 12);

// The identity of a world. Travels as bytes.
struct WorldName {
  WorldId id = 0;
  std::uint32_t size = 0;
  Id128 launch = {};  // common to all worlds of one launch
  Id128 nonce = {};   // of this world alone
  friend bool operator==(const WorldName&, const WorldName&) = default;
};
static_assert(sizeof(WorldName) == 40);

struct WorldDescription : WorldName {
  std::shared_ptr<const std::vector<ConnectionData>> rows = {};  // by worker; null: not known
};

}  // namespace comex::groups
