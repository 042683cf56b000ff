#include "worlds/agreement/arguments.h"

#include "worlds/agreement/agree.h"

namespace comex::worlds {

namespace {

std::string name_of(int handle) {
  return "group " + std::to_string(handle);
}

// Says why no member of this group can meet; empty: they can.
std::string why_none_meets(const groups::Group& group, int handle) {
  if (std::string why = why_two_sided(group, handle); !why.empty()) return why;
  if (group.endpoints()) {
    return name_of(handle) +
           " is one of endpoints, and processes meet; name a group that has each process once";
  }
  return {};
}

}  // namespace

std::string why_two_sided(const groups::Group& group, int handle) {
  return group.is_inter() ? name_of(handle) + " is an inter-group; merge it first" : std::string();
}

int check_all_meet(runtime::Runtime& runtime, const char* operation, int handle, int root, const void* place,
                   const std::string& role) {
  const groups::Group* group = runtime::find_group(runtime, operation, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const std::string name = name_of(handle);
  if (const std::string why = why_none_meets(*group, handle); !why.empty())
    return runtime.reporter().fail({.operation = operation}, why);
  std::string wrong;
  if (root < 0 || static_cast<std::uint32_t>(root) >= group->size()) {
    wrong = role + " " + std::to_string(root) + " is out of range: " + name + " has ranks 0 to " +
            std::to_string(group->size() - 1);
  } else if (place == nullptr) {
    wrong = "the place for the new group is null";
  }
  const std::vector<int> roots = agree(runtime, operation, handle, root, wrong);
  if (roots.empty()) return code_of_failure(runtime, handle);
  if (root != roots.front()) {
    wrong = "the " + role + " is " + std::to_string(root) + " here and " + std::to_string(roots.front()) +
            " at rank 0 of " + name + "; all of a group name one " + role;
  }
  const auto is_other = [&roots](int each) { return each != roots.front(); };
  const bool differs = std::ranges::any_of(roots, is_other);
  return all_go_on(runtime, operation, handle, differs, wrong) ? COMEX_SUCCESS
                                                               : code_of_failure(runtime, handle);
}

}  // namespace comex::worlds
