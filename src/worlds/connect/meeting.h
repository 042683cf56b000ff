// Two groups of different worlds become an inter-group: collective over both, led by one root each.
//
//   roots      find each other, exchange what their sides are, judge it     (TCP, with a time limit)
//   members    learn of the other side, give its processes lpids            (control messages)
//   roots      agree that all could                                         (TCP)
//   all        lock and call the progress ranks, join in MPI, open a bridge  (bounded)
//
// Up to the last step everybody goes on serving, and anything that fails fails on all members of both sides
// and leaves nothing behind. Within one world nobody needs MPI or a bridge. Used by spawn, ports and
// inter-group creation.
#pragma once

#include <functional>
#include <optional>

#include "worlds/agreement/group_wire.h"
#include "worlds/connect/dynamic.h"
#include "worlds/connect/leader_connection.h"

namespace comex::worlds {

struct Meeting {
  const char* operation = "";
  int group = 0;
  int root = 0;
  Side side = Side::accepts;
  // On the root: finds the other root.
  std::function<Result<LeaderConnection>(const InVain&)> begin = {};
  bool is_spawn = false;  // on both sides: the connecting one numbers the whole table of the other's root
  std::optional<int> peer = {};  // what the card hook is told; else the new inter-group
};

// COMEX_SUCCESS and the handle of the new inter-group, or COMEX_FAILURE, which has been reported.
int hold_meeting(runtime::Runtime& runtime, const Meeting& meeting, int* inter);

}  // namespace comex::worlds
