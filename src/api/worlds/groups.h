// What the calls that make groups share.
//
// Called by api/group_calls and api/worlds; collective over the members of what is made.
#pragma once

#include <comex/comex.h>

#include <span>
#include <string>

#include "api/runtime.h"

namespace comex::api {

// Who a new group is of. All of them name the same bridge, which all are on; one world needs none.
struct Founders {
  std::span<const Lpid> lpids;
  groups::Endpoints endpoints = {};  // theirs
  BridgeId bridge = no_bridge;
};
// Called by them, and nobody else takes part. A caller outside, who is `my_endpoint` of its process, gets
// COMEX_GROUP_NULL. A member without a place for the result fails all.
int create_group(Runtime& runtime, const char* operation, Founders founders, std::uint32_t my_endpoint,
                 comex_group_t* new_group);

// The bridge that members of a group on `bridge` need for one of their own: none where all of them are of the
// own world.
BridgeId bridge_among(const Runtime& runtime, BridgeId bridge, const groups::ConnectionTable& members);

// For processes of the own world that are no endpoints; else there is none. Called by all members, who are
// here, and by nobody else.
Communicator make_communicator(Runtime& runtime, const groups::Group& group);
// Of a group's members; null where they have none.
MPI_Comm communicator_of(Runtime& runtime, comex_group_t handle);

// Says that there are as many groups as there can be.
std::string no_handle_left();

}  // namespace comex::api
