#include "api/worlds/arguments.h"

#include "api/worlds/agree.h"

namespace comex::api {

bool may_all_meet(Runtime& runtime, const char* operation, int handle, int root, const void* place) {
  const groups::Group* group = find_group(runtime, operation, handle);
  if (group == nullptr) return false;
  const std::string name = "group " + std::to_string(handle);
  if (group->is_inter()) {
    runtime.reporter.fail({.operation = operation}, name + " is an inter-group; merge it first");
    return false;
  }
  std::string wrong;
  if (root < 0 || static_cast<std::uint32_t>(root) >= group->size()) {
    wrong = "root " + std::to_string(root) + " is out of range: " + name + " has ranks 0 to " +
            std::to_string(group->size() - 1);
  } else if (place == nullptr) {
    wrong = "the place for the new group is null";
  }
  const std::vector<int> roots = agree(runtime, operation, handle, root, wrong);
  if (roots.empty()) return false;
  if (root != roots.front()) {
    wrong = "the root is " + std::to_string(root) + " here and " + std::to_string(roots.front()) +
            " at rank 0 of " + name + "; all of a group name one root";
  }
  const auto is_other = [&roots](int each) { return each != roots.front(); };
  return all_go_on(runtime, operation, handle, std::ranges::any_of(roots, is_other), wrong);
}

}  // namespace comex::api
