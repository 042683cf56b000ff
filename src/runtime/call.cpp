#include "runtime/call.h"

namespace comex::runtime {

Failure no_such_group(comex_group_t handle) {
  return caller_error("group " + std::to_string(handle) + " does not exist, or was freed");
}

Failure no_such_rank(int proc, const groups::Group& group, comex_group_t handle) {
  const std::string name = "group " + std::to_string(handle);
  return caller_error("rank " + std::to_string(proc) +
                      " is out of range: " + (group.is_inter() ? "the other side of " + name : name) +
                      " has ranks 0 to " + std::to_string(group.targets().size() - 1));
}

bool check_reachable(Runtime& runtime, const char* operation, Lpid lpid, const TargetName& named,
                     Reach& target) {
  const bool is_known = runtime.reach(lpid, target);
  if (is_known && target.bridge == no_bridge) return true;
  // A program that reaches the other world by loads and stores alone never waits, where it would notice this.
  if (is_known) runtime.look_at_failures();
  const std::string lost = is_known ? runtime.why_lost(target.bridge) : std::string();
  if (is_known && lost.empty()) return true;
  runtime.reporter().fail(runtime.context(operation, lpid, named),
                          is_known ? lost : "no connection leads to this process: its world was left");
  return false;
}

int check_all_live(Runtime& runtime, const char* operation, const groups::Group& group,
                   comex_group_t handle) {
  if (runtime.has_dead_member(handle)) return ended_by_death(runtime);
  return check_not_lost(runtime, operation, group) ? COMEX_SUCCESS : COMEX_FAILURE;
}

bool check_not_lost(Runtime& runtime, const char* operation, const groups::Group& group) {
  if (group.bridge() == no_bridge) return true;
  const std::string lost = runtime.why_lost(group.bridge());
  if (lost.empty()) return true;
  runtime.reporter().fail({.operation = operation}, lost);
  return false;
}

}  // namespace comex::runtime
