#include "worlds/agreement/agree.h"

#include "runtime/call.h"
#include "worlds/agreement/create_group.h"

namespace comex::worlds {
namespace {

std::string name_of(int handle) {
  return "group " + std::to_string(handle);
}

}  // namespace

bool all_go_on(runtime::Runtime& runtime, const char* operation, int handle, bool somebody_is_wrong,
               const std::string& complaint) {
  if (runtime::check_all_live(runtime, operation, *runtime.groups().find(handle), handle) != COMEX_SUCCESS)
    return false;
  if (!somebody_is_wrong) return true;
  if (complaint.empty()) {
    runtime::failed_elsewhere(runtime);
  } else {
    runtime.reporter().fail({.operation = operation}, complaint);
  }
  return false;
}

int code_of_failure(runtime::Runtime& runtime, int handle) {
  return runtime.has_dead_member(handle) ? COMEX_PROC_FAILED : COMEX_FAILURE;
}

bool all_have(runtime::Runtime& runtime, const char* operation, int parent, std::span<const int> made) {
  const bool is_full = std::ranges::find(made, -1) != made.end();
  const bool have_all = runtime.extras(parent).collective->all_agree(!is_full);
  if (all_go_on(runtime, operation, parent, !have_all, is_full ? no_handle_left() : "")) return true;
  for (const int handle : made) {
    if (handle >= 0) runtime.remove_group(handle);
  }
  return false;
}

std::string why_two_sided(const groups::Group& group, int handle) {
  return group.is_inter() ? name_of(handle) + " is an inter-group; merge it first" : std::string();
}

int check_all_meet(runtime::Runtime& runtime, const char* operation, int handle, int root, const void* place,
                   const std::string& role) {
  const groups::Group* group = runtime::enter_group(runtime, operation, handle);
  if (group == nullptr) return COMEX_FAILURE;
  const std::string name = name_of(handle);
  std::string wrong = why_two_sided(*group, handle);
  if (wrong.empty() && group->endpoints())
    wrong = name + " is one of endpoints, and processes meet; name a group that has each process once";
  if (!wrong.empty()) return runtime.reporter().fail({.operation = operation}, wrong);
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
