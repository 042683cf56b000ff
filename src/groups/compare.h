// How two group handles compare: same context, relation of the groups, same endpoint, and all three at once.
//
// Pure. Values are those of worlds.h: base | alias << 2. Of inter-groups, the weaker of the local and the
// remote relation; an inter-group and a group have nothing in common. Called by runtime.
#pragma once

#include <cstdint>

#include "groups/group.h"

namespace comex::groups {

enum class Relation : std::uint8_t { identical = 0, similar = 2, unequal = 3 };
inline constexpr int congruent = 1;
inline constexpr int alias_bit = 1 << 2;

// The members of one side, each with its endpoint.
struct Roster {
  const ConnectionTable& members;
  const Endpoints& endpoints;
};
Relation relation(const Roster& one, const Roster& other);
// The rank of somebody's counterpart on another side, or -1: the same endpoint, or, where one of the sides
// has no endpoints, the lowest rank of the same process.
int counterpart(const Roster& of, std::uint32_t rank, const Roster& in);
Relation relation(const Group& one, const Group& other);

bool same_context(const Group& one, const Group& other);
bool same_endpoint(const Group& one, const Group& other);

enum class Detail : std::uint8_t { full, basic };  // basic: of the aliases only that of one group
int compare(const Group& one, const Group& other, Detail detail = Detail::full);

}  // namespace comex::groups
