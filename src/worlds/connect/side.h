// The facts that the roots of two sides exchange first, and the check whether the two may meet in MPI.
//
// They are values; the checks are pure and give the same on both sides. groups/joining exchanges the members.
// Used by meeting.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/packing.h"
#include "core/status.h"

namespace comex::worlds {

// Identifies a progress rank, which has no gpid, by its rank on the wire of its world.
struct ProgressRankId {
  WorldId world = 0;
  TransportRank rank = no_rank;
  friend auto operator<=>(const ProgressRankId&, const ProgressRankId&) = default;
};

// Progress ranks in the order in which all lock them, each with its rank on a wire that they share.
using ProgressRanks = std::map<ProgressRankId, TransportRank>;

struct SideFacts {
  std::uint64_t layout = 10;     // version of these bytes and of the messages between both sides
  Id128 launch;                  // of the root's world
  bool has_name_server = false;  // by which launches learn of each other
  std::string mpi;               // the library's version
  std::vector<ProgressRankId> progress_ranks;  // progress ranks that serve the members

  // Visits the fields in the order in which they travel.
  static void for_each_field(auto& facts, auto&& visit) {
    visit(facts.layout);
    visit(facts.launch);
    visit(facts.has_name_server);
    visit(facts.mpi);
    visit(facts.progress_ranks);
  }
};
// Fails if the bytes are not those of a side.
Result<SideFacts> unpack_side(std::span<const std::byte> bytes);

// Fails if MPI cannot bring the two together. `sharing`: how two launches come to share a name server; empty:
// MPI needs none.
Status check_sides(const SideFacts& accepting, const SideFacts& connecting, std::string_view sharing);

// The progress ranks to lock when two sides meet, in the order that all use, and whether it is the accepting
// side's turn. A progress rank that serves both sides comes with the accepting one.
std::map<ProgressRankId, bool> lock_turns(const SideFacts& accepting, const SideFacts& connecting);

}  // namespace comex::worlds
