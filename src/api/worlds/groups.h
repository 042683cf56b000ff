// What the calls that make groups share.
//
// Called by api/group_calls and api/worlds; collective over the members of what is made.
#pragma once

#include <comex/comex.h>

#include <span>

#include "api/runtime.h"

namespace comex::api {

// Who a new group is of. All of them name the same bridge, which all are on; one world needs none.
struct Founders {
  std::span<const Lpid> lpids;
  groups::Endpoints endpoints = {};  // theirs
  BridgeId bridge = no_bridge;
};
// Called by them, and nobody else takes part. A caller outside, who is `my_endpoint` of its process, gets
// COMEX_GROUP_NULL.
int create_group(Runtime& runtime, const char* operation, Founders founders, std::uint32_t my_endpoint,
                 comex_group_t* new_group);

// Of a group's members; null where they have none.
MPI_Comm communicator_of(Runtime& runtime, comex_group_t handle);

// Says that there are as many groups as there can be.
int no_handle_left(Runtime& runtime, const char* operation);

// One block of every member, in the order of everybody(): of both sides in an inter-group.
template <class T>
std::vector<T> gather_from(Runtime& runtime, int handle, const T& mine) {
  op::GroupCollective& all = *runtime.extras(handle).collective;
  std::vector<T> values(all.size());
  all.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace comex::api
