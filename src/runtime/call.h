// What every call of the C interface does first: is the runtime there, which group, which worker.
//
// Each of these reports its own failure, in one line, and yields null or false.
#pragma once

#include <comex/comex.h>

#include <string>

#include "runtime/caller.h"
#include "runtime/process.h"

namespace comex::runtime {

inline Runtime* enter(const char* operation) {
  Runtime* runtime = pass();
  if (runtime != nullptr) [[likely]]
    return runtime;
  introduced_reporter().fail({.operation = operation}, why_there_is_none());
  return nullptr;
}

inline groups::Group* find_group(Runtime& runtime, const char* operation, comex_group_t handle) {
  groups::Group* group = runtime.groups().find(handle);
  if (group == nullptr) [[unlikely]] {
    runtime.reporter().fail({.operation = operation},
                            "group " + std::to_string(handle) + " does not exist, or was freed");
  }
  return group;
}

// Who asks through a group, which the calling thread drives from here on.
inline Requester begin_call(const Runtime& runtime, const groups::Group& group) {
  if (!runtime.has_had_endpoints()) [[likely]]
    return {};
  const Requester by{group.my_endpoint(), static_cast<std::uint32_t>(group.my_rank())};
  begin_call(runtime.reporter().run(), by);
  return by;
}

// For operations and collectives: finds the group and begins a call through it.
inline groups::Group* enter_group(Runtime& runtime, const char* operation, comex_group_t handle) {
  groups::Group* group = find_group(runtime, operation, handle);
  if (group != nullptr) [[likely]]
    begin_call(runtime, *group);
  return group;
}

// Says so when the group's processes in other worlds are lost. Asked by every collective after it has talked
// with the others and before it believes what it heard, which means nothing then.
bool is_whole(Runtime& runtime, const char* operation, const groups::Group& group);

// Says so when no way leads there (any more).
bool is_reached(Runtime& runtime, const char* operation, Lpid lpid, const Naming& named, Reach& target);

// Says which ranks operations may name in a group.
void say_no_rank(const Runtime& runtime, const char* operation, int proc, const groups::Group& group,
                 comex_group_t handle);

// The process that `proc` names in a group, by lpid: in the own world, its worker number.
inline bool find_target(Runtime& runtime, const char* operation, int proc, const groups::Group& group,
                        comex_group_t handle, Worker& target) {
  const groups::ConnectionTable& targets = group.targets();
  if (proc < 0 || static_cast<std::uint32_t>(proc) >= targets.size()) [[unlikely]] {
    say_no_rank(runtime, operation, proc, group, handle);
    return false;
  }
  target = static_cast<Worker>(targets.lpid(static_cast<std::uint32_t>(proc)));
  return true;
}
inline bool find_target(Runtime& runtime, const char* operation, int proc, comex_group_t handle,
                        Worker& target) {
  const groups::Group* group = find_group(runtime, operation, handle);
  return group != nullptr && find_target(runtime, operation, proc, *group, handle, target);
}

// The same for an operation, with the way to it.
inline bool find_reach(Runtime& runtime, const char* operation, int proc, comex_group_t handle,
                       Reach& target) {
  const groups::Group* group = find_group(runtime, operation, handle);
  if (group == nullptr) return false;
  const Requester by = begin_call(runtime, *group);
  const Naming named = {handle, proc};
  Worker found = 0;
  if (!find_target(runtime, operation, proc, *group, handle, found) ||
      !is_reached(runtime, operation, static_cast<Lpid>(found), named, target)) {
    return false;
  }
  target.by = by;
  target.named = named;
  return true;
}

// An operation that was under way was refused or cut off; who found out has said so. Ends the job unless
// errors are returned.
inline int failed_on_the_way(Runtime& runtime) {
  if (!runtime.reporter().returns()) Reporter::end_job(failure_exit_code);
  return COMEX_FAILURE;
}

// A place for the result that is null is told as any other wrong argument.
inline bool has_place(Runtime& runtime, const char* operation, const void* place) {
  if (place != nullptr) [[likely]]
    return true;
  runtime.reporter().fail({.operation = operation}, "the place for the result is null");
  return false;
}

// A failure of another member of a collective call: it says so; here only the code is left, or the end of the
// job.
inline int failed_elsewhere(Runtime& runtime) {
  if (!runtime.reporter().returns()) runtime.await_end();
  return COMEX_FAILURE;
}

}  // namespace comex::runtime
