#include "api/worlds/agree.h"

#include "api/call.h"
#include "api/worlds/groups.h"

namespace comex::api {

bool all_go_on(Runtime& runtime, const char* operation, int handle, bool somebody_is_wrong,
               const std::string& complaint) {
  if (!is_whole(runtime, operation, *runtime.groups.find(handle))) return false;
  if (!somebody_is_wrong) return true;
  if (complaint.empty()) {
    failed_elsewhere(runtime);
  } else {
    runtime.reporter.fail({.operation = operation}, complaint);
  }
  return false;
}

bool all_have(Runtime& runtime, const char* operation, int parent, std::span<const int> made) {
  const bool is_full = std::ranges::find(made, -1) != made.end();
  const bool have_all = runtime.extras(parent).collective->all_agree(!is_full);
  if (all_go_on(runtime, operation, parent, !have_all, is_full ? no_handle_left() : "")) return true;
  for (const int handle : made) {
    if (handle >= 0) runtime.remove_group(handle);
  }
  return false;
}

}  // namespace comex::api
