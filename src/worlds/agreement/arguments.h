// Checks that calls which make groups share; each says what is wrong.
//
// Used by those of meeting, and by group_create.
#pragma once

#include <string>

#include "runtime/call.h"
#include "runtime/runtime.h"

namespace comex::worlds {

// For calls whose ranks are those of the caller's side. Empty: the group has no other one.
std::string why_two_sided(const groups::Group& group, int handle);

// Collective over a group that is no inter-group and not one of endpoints: all name one root in it, which the
// call knows as its `role`, and have a place for the result, or none goes on.
bool may_all_meet(runtime::Runtime& runtime, const char* operation, int handle, int root, const void* place,
                  const std::string& role = "root");

inline groups::Group* find_inter_group(runtime::Runtime& runtime, const char* operation, int handle) {
  groups::Group* group = runtime::find_group(runtime, operation, handle);
  if (group == nullptr || group->is_inter()) return group;
  runtime.reporter().fail({.operation = operation}, "group " + std::to_string(handle) + " is no inter-group");
  return nullptr;
}

}  // namespace comex::worlds
