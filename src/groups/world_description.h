// What a process knows of a world: its names, its size, and of each worker what it takes to reach it.
//
// A value, cheap to copy: the rows are shared. The own world's are made at init by all of its workers
// together; another world's arrive with its description when worlds meet, without what means something on its
// own host only. Held by WorldBook, packed by groups/joining_parts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ids.h"

namespace comex::groups {

inline constexpr std::int32_t unknown_rank = -1;

// One worker's row. Travels as bytes.
struct ConnectionData {
  std::int32_t vpid = unknown_rank;  // MPI rank in its world
  std::int32_t local_rank = unknown_rank;
  std::int32_t node_rank = unknown_rank;
  std::uint32_t host = 0;  // index into the host names of its world
  std::uint64_t base = 0;  // of its host's arena in the worker's address space: for its own world only
};
static_assert(sizeof(ConnectionData) == 24);

struct WorldDescription {
  WorldId id = 0;
  std::uint32_t size = 0;
  Id128 launch;                                             // of all worlds of one launch
  Id128 nonce;                                              // of this world alone
  std::shared_ptr<const std::vector<ConnectionData>> rows;  // by worker; null: not known
  std::shared_ptr<const std::vector<std::string>> hosts;    // names, by host; null: not known

  // What of it means something in another world.
  WorldDescription for_others() const;
};

}  // namespace comex::groups
