// Worlds made up for tests of the registry: two of one launch, and a third.
#pragma once

#include <vector>

#include "groups/world_registry.h"

namespace comex::groups::testing {

inline WorldDescription some_world(WorldId id, std::uint32_t size, std::uint64_t nonce = 0) {
  return {{.id = id, .size = size, .launch = {1, 2}, .nonce = {7, nonce + id}}};
}

inline std::vector<Lpid> admitted(WorldRegistry& registry, const std::vector<Gpid>& gpids) {
  Result<std::vector<Lpid>> lpids = registry.admit(gpids);
  return lpids ? std::move(lpids).value() : std::vector<Lpid>();
}

inline int references(const WorldRegistry& registry, Gpid gpid) {
  const Result<std::uint32_t> count = registry.connection_references(gpid);
  return count ? static_cast<int>(count.value()) : -1;
}

// -1: the world is not known, or was freed.
inline int references(const WorldRegistry& registry, WorldId world) {
  const Result<std::uint32_t> count = registry.world_references(world);
  return count ? static_cast<int>(count.value()) : -1;
}

}  // namespace comex::groups::testing
