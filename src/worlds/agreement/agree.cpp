#include "worlds/agreement/agree.h"

#include "runtime/call.h"
#include "worlds/agreement/create_group.h"

namespace comex::worlds {

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

}  // namespace comex::worlds
