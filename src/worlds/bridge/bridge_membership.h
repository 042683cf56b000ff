// Who is together with whom over a bridge: the groups that were made over it and have not been disconnected.
//
// Everybody in such a group knows it, so all whom a list names find the same, whoever else has left the
// bridge. Called where groups are made, freed and disconnected.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/runtime.h"

namespace comex::worlds {

// One group over it has all of these. Groups of the context `but` do not count.
bool are_together(runtime::Runtime& runtime, BridgeId bridge, std::span<const Lpid> lpids,
                  std::uint64_t but = 0);

// It keeps its members together though it has no handle any more.
void note_freed(runtime::Runtime& runtime, const groups::Group& group);
// Those whom the caller has no other group with over its bridge are not reached over that any more. True when
// that is nobody, so that it may leave.
bool let_go(runtime::Runtime& runtime, const groups::Group& group);

}  // namespace comex::worlds
