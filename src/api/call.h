// What every call of the C interface does first: is the runtime there, which group, which worker.
//
// Each of these reports its own failure, in one line, and yields null or false.
#pragma once

#include <comex/comex.h>

#include <string>

#include "api/process.h"

namespace comex::api {

inline Runtime* enter(const char* operation) {
  Runtime* runtime = current();
  if (runtime != nullptr) [[likely]]
    return runtime;
  const bool is_after = process().was_initialized;
  introduced_reporter().fail({.operation = operation},
                             is_after ? "called after comex_finalize" : "called before comex_init");
  return nullptr;
}

inline groups::Group* find_group(Runtime& runtime, const char* operation, comex_group_t handle) {
  groups::Group* group = runtime.groups.find(handle);
  if (group == nullptr) [[unlikely]] {
    runtime.reporter.fail({.operation = operation},
                          "group " + std::to_string(handle) + " does not exist, or was freed");
  }
  return group;
}

// Says so when the group's processes in other worlds are lost. Asked by every collective after it has talked
// with the others and before it believes what it heard, which means nothing then.
bool is_whole(Runtime& runtime, const char* operation, const groups::Group& group);

// Says so when no way leads there (any more).
bool is_reached(Runtime& runtime, const char* operation, Lpid lpid, Reach& target);

// The process that `proc` names in a group, by lpid: in the own world, its worker number.
inline bool find_target(Runtime& runtime, const char* operation, int proc, comex_group_t handle,
                        Worker& target) {
  const groups::Group* group = find_group(runtime, operation, handle);
  if (group == nullptr) return false;
  const groups::ConnectionTable& targets = group->targets();
  if (proc < 0 || static_cast<std::uint32_t>(proc) >= targets.size()) [[unlikely]] {
    runtime.reporter.fail({.operation = operation}, "rank " + std::to_string(proc) +
                                                        " is out of range: group " + std::to_string(handle) +
                                                        " has ranks 0 to " +
                                                        std::to_string(targets.size() - 1));
    return false;
  }
  target = static_cast<Worker>(targets.lpid(static_cast<std::uint32_t>(proc)));
  return true;
}

// The same, with the way to it.
inline bool find_reach(Runtime& runtime, const char* operation, int proc, comex_group_t handle,
                       Reach& target) {
  Worker found = 0;
  if (!find_target(runtime, operation, proc, handle, found)) return false;
  return is_reached(runtime, operation, static_cast<Lpid>(found), target);
}

// An operation that was under way was refused or cut off; who found out has said so. Ends the job unless
// errors are returned.
inline int failed_on_the_way(Runtime& runtime) {
  if (!runtime.reporter.returns()) Reporter::end_job(failure_exit_code);
  return COMEX_FAILURE;
}

// A place for the result that is null is told as any other wrong argument.
inline bool has_place(Runtime& runtime, const char* operation, const void* place) {
  if (place != nullptr) [[likely]]
    return true;
  runtime.reporter.fail({.operation = operation}, "the place for the result is null");
  return false;
}

// A failure of another member of a collective call: it says so; here only the code is left, or the end of the
// job.
inline int failed_elsewhere(Runtime& runtime) {
  if (!runtime.reporter.returns()) runtime.await_end();
  return COMEX_FAILURE;
}

}  // namespace comex::api
