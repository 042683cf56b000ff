// How the members of a new group find each other by the list of members, and agree to make the group.
//
// It sends the words of the group commit as control messages. The list names these, so that several groups
// can be made at once. Called by create_group on each member.
#pragma once

#include <cstdint>

#include "core/status.h"
#include "runtime/runtime.h"
#include "worlds/agreement/create_group.h"

namespace comex::worlds {

// Returns the group's context, the same on all members, or why there is no group. If the first member is in
// its call, the answer comes after COMEX_MEET_S at the latest.
Result<std::uint64_t> commit_group(runtime::Runtime& runtime, const char* operation,
                                   const ProposedGroup& proposed, std::uint32_t my_rank);

}  // namespace comex::worlds
