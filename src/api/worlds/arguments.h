// Checks that the calls of meeting share; each says what is wrong.
#pragma once

#include <cmath>

#include "api/call.h"
#include "api/runtime.h"

namespace comex::api {

// A group that is no inter-group, a root in it, and a place for the result.
inline bool is_meeting_group(Runtime& runtime, const char* operation, int handle, int root,
                             const void* place) {
  const groups::Group* group = find_group(runtime, operation, handle);
  if (group == nullptr) return false;
  std::string wrong;
  if (group->is_inter()) {
    wrong = "group " + std::to_string(handle) + " is an inter-group; merge it first";
  } else if (root < 0 || static_cast<std::uint32_t>(root) >= group->size()) {
    wrong = "root " + std::to_string(root) + " is out of range: group " + std::to_string(handle) +
            " has ranks 0 to " + std::to_string(group->size() - 1);
  } else if (place == nullptr) {
    wrong = "the place for the new group is null";
  }
  if (wrong.empty()) return true;
  runtime.reporter.fail({.operation = operation}, wrong);
  return false;
}

inline groups::Group* find_inter_group(Runtime& runtime, const char* operation, int handle) {
  groups::Group* group = find_group(runtime, operation, handle);
  if (group == nullptr || group->is_inter()) return group;
  runtime.reporter.fail({.operation = operation}, "group " + std::to_string(handle) + " is no inter-group");
  return nullptr;
}

}  // namespace comex::api
