// What the calls that make groups share.
//
// Called by calls/group_calls and worlds; collective over the members of what is made.
#pragma once

#include <comex/comex.h>

#include <span>
#include <string>

#include "runtime/runtime.h"
#include "worlds/agreement/named_worlds.h"

namespace comex::worlds {

// Who a new group is of. All of them name the same bridge, which all are on; one world needs none.
struct Founders {
  std::span<const Lpid> lpids;
  groups::Endpoints endpoints = {};  // theirs
  BridgeId bridge = no_bridge;
  // Of the list for which they come together, where it names several worlds: they need not come if one is
  // lost.
  NamedWorlds* named = nullptr;
  // Where all of them had come already, and their bridge was lost then: why. Who is not here within
  // COMEX_MEET_S has the group over that one, for what it is worth.
  std::string was_cut_off = {};
};
// Called by them, and nobody else takes part. A caller outside, who is `my_endpoint` of its process, gets
// COMEX_GROUP_NULL. A member without a place for the result fails all.
int create_group(runtime::Runtime& runtime, const char* operation, const Founders& founders,
                 std::uint32_t my_endpoint, comex_group_t* new_group);

// The same, but says nothing of a bridge that is lost meanwhile: they may come together over another.
enum class Making {
  done,
  failed,             // and told
  cut_off,            // the bridge is lost, and nobody has the group
  cut_off_at_the_end  // somebody may have it, since all have come
};
Making make_group(runtime::Runtime& runtime, const char* operation, Founders founders,
                  std::uint32_t my_endpoint, comex_group_t* new_group);

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
