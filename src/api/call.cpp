#include "api/call.h"

namespace comex::api {

bool is_reached(Runtime& runtime, const char* operation, Lpid lpid, Reach& target) {
  const bool is_known = runtime.reach(lpid, target);
  if (is_known && target.bridge == no_bridge) return true;
  const std::string lost = is_known ? runtime.why_lost(target.bridge) : std::string();
  if (is_known && lost.empty()) return true;
  runtime.reporter.fail({operation, lpid},
                        is_known ? lost : "no connection leads to this process: its world was left");
  return false;
}

bool is_whole(Runtime& runtime, const char* operation, const groups::Group& group) {
  if (group.bridge() == no_bridge) return true;
  const std::string lost = runtime.why_lost(group.bridge());
  if (lost.empty()) return true;
  runtime.reporter.fail({.operation = operation}, lost);
  return false;
}

}  // namespace comex::api
