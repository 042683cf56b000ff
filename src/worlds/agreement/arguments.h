// Checks that several calls which make groups share; each says what is wrong.
//
// Used by the calls that meet, and by group_create.
#pragma once

#include <string>

#include "runtime/call.h"
#include "runtime/runtime.h"

namespace comex::worlds {

// For calls whose ranks are those of the caller's side. Empty: the group has only one side.
std::string why_two_sided(const groups::Group& group, int handle);

// Collective over a group that is neither an inter-group nor one of endpoints. COMEX_SUCCESS if all pass the
// same root in the group, which texts call `role`, and a place for the result; otherwise all fail, and each
// returns the code: COMEX_FAILURE, which has been reported, or COMEX_PROC_FAILED if a member has died.
int check_all_meet(runtime::Runtime& runtime, const char* operation, int handle, int root, const void* place,
                   const std::string& role = "root");

inline groups::Group* find_inter_group(runtime::Runtime& runtime, const char* operation, int handle) {
  groups::Group* group = runtime::find_group(runtime, operation, handle);
  if (group == nullptr || group->is_inter()) return group;
  runtime.reporter().fail({.operation = operation}, "group " + std::to_string(handle) + " is no inter-group");
  return nullptr;
}

}  // namespace comex::worlds
