// How the members of a new group find each other by the list of who they are, and agree to make it.
//
// Carries the words of the group commit as control messages, which are named by the list, so that several
// groups can be made at once. Called by create_group on each member.
#pragma once

#include <cstdint>

#include "core/status.h"
#include "runtime/runtime.h"
#include "worlds/agreement/groups.h"

namespace comex::worlds {

// The group's context, the same on all members; or why there is no group, after COMEX_MEET_S at the latest
// where the first member is still in its call.
Result<std::uint64_t> commit_group(runtime::Runtime& runtime, const char* operation, const Founders& founders,
                                   std::uint32_t my_rank);

}  // namespace comex::worlds
