// Which processes a bridge still connects: the members of groups that were made over it and not disconnected.
//
// Every member of such a group knows it. So all members of a list find the same answer, whoever else has left
// the bridge. Used where groups are made, freed and disconnected.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/runtime.h"

namespace comex::worlds {

// True if one group over the bridge has all of these processes. Groups of the context `but` do not count.
bool are_together(runtime::Runtime& runtime, BridgeId bridge, std::span<const Lpid> lpids,
                  std::uint64_t but = 0);

// A freed group still keeps its members connected, though it has no handle any more.
void note_freed(runtime::Runtime& runtime, const groups::Group& group);
// Removes the route to processes with which no other group is shared. True if no group is left, so that the
// caller may leave the bridge.
bool let_go(runtime::Runtime& runtime, const groups::Group& group);

}  // namespace comex::worlds
