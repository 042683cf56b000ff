// Makes a group of some processes by a two-phase commit among them only (group_commit.h).
//
// Used by calls/group_calls and worlds; collective over the members of what is made.
#pragma once

#include <comex/comex.h>

#include <cstdint>
#include <span>
#include <string>

#include "runtime/runtime.h"

namespace comex::worlds {

// The members of a new group. All name the bridge on which all of them are; members of one world need none.
struct ProposedGroup {
  std::span<const Lpid> lpids;
  groups::Endpoints endpoints = {};  // of the members
  BridgeId bridge = no_bridge;
  // Distinguishes groups of the same members that are steps to different groups; equal on all of them.
  std::uint64_t salt = 0;
  // All members will come, however late: COMEX_MEET_S does not end the wait for them.
  bool waits_for_all = false;
};
// Collective over the members only. `my_endpoint` is of the calling process; a caller that is no member
// gets COMEX_GROUP_NULL. Either all members get the group, or those that wait fail after COMEX_MEET_S, with
// a line that names the missing ones. A member without a place for the result fails all.
int create_group(runtime::Runtime& runtime, const char* operation, const ProposedGroup& proposed,
                 std::uint32_t my_endpoint, comex_group_t* new_group);
// The same, but reports nothing if the bridge is lost or a member has died, so the caller may try another.
enum class Created : std::uint8_t { yes, no, bridge_is_lost, member_died };
Created try_to_create_group(runtime::Runtime& runtime, const char* operation, const ProposedGroup& proposed,
                            std::uint32_t my_endpoint, comex_group_t* new_group);

// The agreement within it. Called on each member; returns the group's context, the same on all, or why there
// is no group. Where the first member has called, the answer comes within COMEX_MEET_S of its call.
Result<std::uint64_t> commit_group(runtime::Runtime& runtime, const char* operation,
                                   const ProposedGroup& proposed, std::uint32_t my_rank);

// A name for a list of processes, which is the same for all that know the list.
class ListDigest {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3ULL;
    hash_ ^= hash_ >> 32;  // a product carries upwards only, and managers are the uppermost bits
  }
  void add(Gpid gpid) { add(std::uint64_t{gpid.world} << 32 | gpid.rank); }
  // It has a bit that the tags of inter-groups do not have, since both are names in the mailbox.
  std::uint64_t value() const { return hash_ | std::uint64_t{1} << 63; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

// The bridge that these members of a group on `bridge` need for a group of their own; none if all of them are
// of the own world.
BridgeId bridge_among(const runtime::Runtime& runtime, BridgeId bridge,
                      const groups::ConnectionTable& members);

// For processes of the own world that are no endpoints; otherwise it returns none. Called by all members,
// which are here, and by no other process.
runtime::Communicator make_communicator(runtime::Runtime& runtime, const char* operation,
                                        const groups::Group& group);
// Of a group's members; null if they have none.
MPI_Comm communicator_of(runtime::Runtime& runtime, comex_group_t handle);

// The text that no further group can be made.
std::string no_handle_left();

}  // namespace comex::worlds
