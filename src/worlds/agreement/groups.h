// What the calls that make groups share.
//
// Called by calls/group_calls and worlds; collective over the members of what is made.
#pragma once

#include <comex/comex.h>

#include <cstdint>
#include <span>
#include <string>

#include "runtime/runtime.h"

namespace comex::worlds {

// Who makes a new group. All of them name the same bridge, on which all are; members of one world need none.
struct Founders {
  std::span<const Lpid> lpids;
  groups::Endpoints endpoints = {};  // theirs
  BridgeId bridge = no_bridge;
  // Tells groups of the same members apart that are steps to different groups; the same on all of them.
  std::uint64_t purpose = 0;
};
// Collective over the founders alone. A caller that is none of them, `my_endpoint` of its process, gets
// COMEX_GROUP_NULL. All of them get the group, or those who wait fail after COMEX_MEET_S, with a line that
// says who has not come; a member without a place for the result fails all.
int create_group(runtime::Runtime& runtime, const char* operation, const Founders& founders,
                 std::uint32_t my_endpoint, comex_group_t* new_group);

// A name of a list of processes that all who know it give alike.
class ListDigest {
 public:
  void add(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3ULL; }
  void add(Gpid gpid) { add(std::uint64_t{gpid.world} << 32 | gpid.rank); }
  // With a bit that tags of inter-groups do not have: both are names in the mailbox.
  std::uint64_t value() const { return hash_ | std::uint64_t{1} << 63; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

// The bridge that members of a group on `bridge` need for one of their own: none where all of them are of the
// own world.
BridgeId bridge_among(const runtime::Runtime& runtime, BridgeId bridge,
                      const groups::ConnectionTable& members);

// For processes of the own world that are no endpoints; else there is none. Called by all members, who are
// here, and by nobody else.
runtime::Communicator make_communicator(runtime::Runtime& runtime, const groups::Group& group);
// Of a group's members; null where they have none.
MPI_Comm communicator_of(runtime::Runtime& runtime, comex_group_t handle);

// Says that there are as many groups as there can be.
std::string no_handle_left();

}  // namespace comex::worlds
