// What the roots of two sides tell each other before anything else, and whether the two may meet in MPI.
//
// Values; the check is pure and says the same on both sides. Who the members are, groups/joining exchanges.
// Used by meeting.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/packing.h"
#include "core/status.h"

namespace comex::worlds {

// A progress rank has no gpid: it is named by its rank in the wire of its world.
struct Helper {
  WorldId world = 0;
  TransportRank rank = no_rank;
  friend auto operator<=>(const Helper&, const Helper&) = default;
};

struct SideFacts {
  WorldId world = 0;                // of the root
  Id128 launch;                     // of that world
  Id128 nonce;                      // of that world
  bool is_within_its_world = true;  // all members are of the root's world and share its wire
  std::string name_server;          // who tells launches of each other; empty: nobody
  std::vector<Helper> helpers;      // progress ranks that serve the members
};
Bytes pack(const SideFacts& facts);
// A failure where the bytes are not a side's.
Result<SideFacts> unpack_side(std::span<const std::byte> bytes);

// MPI can bring the two together.
Status check_sides(const SideFacts& accepting, const SideFacts& connecting);

// Whose progress ranks are locked when two sides meet: in one order for everybody, the sides in turn.
struct LockTurn {
  bool is_of_accepting = true;
  std::vector<Helper> helpers;
};
// One that serves both sides comes with the accepting one.
std::vector<LockTurn> lock_turns(const SideFacts& accepting, const SideFacts& connecting);

// Both sides are of one world and need nothing but its own wire.
bool share_a_world(const SideFacts& a, const SideFacts& b);

}  // namespace comex::worlds
