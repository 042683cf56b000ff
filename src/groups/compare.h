// Compares two group handles by context, by the relation of the groups, by endpoint, or by all three.
//
// It is pure. Values are those of worlds.h: base | alias << 2. For two inter-groups, the weaker of the local
// and the remote relation counts; an inter-group and a group have nothing in common. Used by calls and
// runtime.
#pragma once

#include <cstdint>

#include "groups/group.h"

namespace comex::groups {

enum class Relation : std::uint8_t { identical = 0, similar = 2, unequal = 3 };
inline constexpr int congruent = 1;
inline constexpr int alias_bit = 1 << 2;

// The members of one side, each with its endpoint.
struct GroupSide {
  const ConnectionTable& members;
  const Endpoints& endpoints;
};
Relation relation(const GroupSide& one, const GroupSide& other);
// Returns the rank of a member's counterpart on another side, or -1. The counterpart is the same endpoint or,
// if one of the sides has no endpoints, the lowest rank of the same process.
int counterpart(const GroupSide& side, std::uint32_t rank, const GroupSide& other);
Relation relation(const Group& one, const Group& other);

bool same_context(const Group& one, const Group& other);
bool same_endpoint(const Group& one, const Group& other);

enum class Detail : std::uint8_t { full, basic };  // basic: the aliases of one group only
int compare(const Group& one, const Group& other, Detail detail = Detail::full);

}  // namespace comex::groups
