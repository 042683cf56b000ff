// Makes an inter-group of two groups of different worlds: collective over both, led by one root each.
//
//   roots      find each other, exchange and check what their sides are          (TCP, with a time limit)
//   members    learn about the other side, give its processes lpids             (control messages)
//   roots      agree that all members could                                     (TCP)
//   all        lock and call the progress ranks, join in MPI, open a bridge     (bounded)
//
// Up to the last step everybody goes on serving. Any failure is one of all members of both sides and leaves
// nothing behind. Within one world, neither MPI nor a bridge is needed. Used by spawn, ports and inter-group
// creation.
#pragma once

#include <functional>
#include <optional>

#include "worlds/connect/dynamic.h"
#include "worlds/connect/leader_channel.h"

namespace comex::worlds {

struct Meeting {
  const char* operation = "";
  int group = 0;
  int root = 0;
  MeetingSide side = MeetingSide::accepts;
  // On the root: finds the other root.
  std::function<Result<FramedSocket>(const ShouldAbort&)> begin = {};
  bool is_spawn = false;  // on both sides: the spawned one takes the whole lpid table of the other root
  std::optional<int> peer = {};  // passed to the card hook; without it, the new inter-group is
};

// What `begin` says where the other root is a process of the own world that has died.
inline constexpr const char* other_root_has_died = "the other root has died";

// Returns COMEX_SUCCESS and the handle of the new inter-group; COMEX_FAILURE, which has been reported; or
// COMEX_PROC_FAILED if a member of either side has died, of the other one within the own world only.
int run_meeting(runtime::Runtime& runtime, const Meeting& meeting, int* inter);

}  // namespace comex::worlds
