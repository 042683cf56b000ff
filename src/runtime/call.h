// The first steps of every call of the C interface: find the runtime, the group and the target.
//
// Each function reports its own failure in one line and returns null or false.
#pragma once

#include <comex/comex.h>

#include <optional>
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

Failure no_such_group(comex_group_t handle);
inline groups::Group* find_group(Runtime& runtime, const char* operation, comex_group_t handle) {
  groups::Group* group = runtime.groups().find(handle);
  if (group == nullptr) [[unlikely]]
    runtime.reporter().fail({.operation = operation}, no_such_group(handle));
  return group;
}

// Returns the party that acts through a group. The calling thread drives it from here on.
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

struct Entered {
  Runtime* runtime = nullptr;
  groups::Group* group = nullptr;
};
// The same with the first step of all. Without a group, the failure is reported.
inline Entered enter_group(const char* operation, comex_group_t handle) {
  Runtime* runtime = enter(operation);
  return {runtime, runtime == nullptr ? nullptr : enter_group(*runtime, operation, handle)};
}

// Fails and reports it if processes of the group in other worlds are lost.
bool check_not_lost(Runtime& runtime, const char* operation, const groups::Group& group);

// The same for a collective. Each calls it after its communication and before it uses what it received, which
// is invalid in that case. Returns the code of the call: COMEX_SUCCESS; COMEX_FAILURE, which has been
// reported; or COMEX_PROC_FAILED if a member has died, which the program has asked to hear of by the code
// alone.
int check_all_live(Runtime& runtime, const char* operation, const groups::Group& group, comex_group_t handle);

// Fails and reports it if no way leads to the target (any more).
bool check_reachable(Runtime& runtime, const char* operation, Lpid lpid, const TargetName& named,
                     Reach& target);

// The process that `proc` names in a group, if it names one. In the own world that is its worker number.
inline std::optional<Lpid> lpid_of(int proc, const groups::Group& group) {
  const groups::ConnectionTable& targets = group.targets();
  if (proc < 0 || static_cast<std::uint32_t>(proc) >= targets.size()) [[unlikely]]
    return std::nullopt;
  return targets.lpid(static_cast<std::uint32_t>(proc));
}
// Says which ranks operations may name in a group.
Failure no_such_rank(int proc, const groups::Group& group, comex_group_t handle);

// Finds the same for an operation, with the way to the process.
inline bool find_reach(Runtime& runtime, const char* operation, int proc, comex_group_t handle,
                       Reach& target) {
  const groups::Group* group = find_group(runtime, operation, handle);
  if (group == nullptr) return false;
  const Requester by = begin_call(runtime, *group);
  const TargetName named = {handle, proc};
  const std::optional<Lpid> lpid = lpid_of(proc, *group);
  if (!lpid) [[unlikely]]
    runtime.reporter().fail({.operation = operation}, no_such_rank(proc, *group, handle));
  if (!lpid || !check_reachable(runtime, operation, *lpid, named, target)) return false;
  target.by = by;
  target.named = named;
  return true;
}

// For an operation that was refused, which its server has reported, or cut off under way. Ends the job unless
// errors are returned, or its target is, or may be, on a lost host.
inline int failed_on_the_way(const Runtime& runtime, bool may_be_lost) {
  Reporter::drop_failure_line();
  if (may_be_lost) return COMEX_PROC_FAILED;
  if (!runtime.reporter().returns()) Reporter::end_job(failure_exit_code);
  return COMEX_FAILURE;
}

// For an operation that is complete.
inline int result_of(const Runtime& runtime, nb::OperationError failure) {
  if (failure == nb::OperationError::none) [[likely]]
    return COMEX_SUCCESS;
  return failed_on_the_way(runtime, failure == nb::OperationError::host_lost);
}

// A null place for the result is reported like any other wrong argument.
inline bool has_place(Runtime& runtime, const char* operation, const void* place) {
  if (place != nullptr) [[likely]]
    return true;
  runtime.reporter().fail({.operation = operation}, "the place for the result is null");
  return false;
}

// For a call that only asks: stores what ask(runtime) returns, a value or a Failure.
template <class T, class Ask>
int tell(const char* operation, T* place, Ask&& ask) {
  Runtime* runtime = enter(operation);
  if (runtime == nullptr || !has_place(*runtime, operation, place)) return COMEX_FAILURE;
  const Result<T> answer = ask(*runtime);
  if (!answer) return runtime->reporter().fail({.operation = operation}, answer.failure());
  *place = answer.value();
  return COMEX_SUCCESS;
}
// The same of a group, by ask(runtime, group). `of_null`: the answer for COMEX_GROUP_NULL, if it has one.
template <class T, class Ask>
int tell_of_group(const char* operation, comex_group_t handle, T* place, Ask&& ask,
                  const std::optional<T>& of_null = std::nullopt) {
  return tell(operation, place, [&](Runtime& runtime) -> Result<T> {
    if (handle == COMEX_GROUP_NULL && of_null) return *of_null;
    const groups::Group* group = runtime.groups().find(handle);
    if (group == nullptr) return no_such_group(handle);
    return ask(runtime, *group);
  });
}
// The same of a process that `proc` names, by ask(runtime, lpid).
template <class T, class Ask>
int tell_of_target(const char* operation, int proc, comex_group_t handle, T* place, Ask&& ask) {
  return tell_of_group(operation, handle, place,
                       [&](Runtime& runtime, const groups::Group& group) -> Result<T> {
                         const std::optional<Lpid> lpid = lpid_of(proc, group);
                         if (!lpid) return no_such_rank(proc, group, handle);
                         return ask(runtime, *lpid);
                       });
}

// Of a process of the own world: the bridges tell of others.
inline bool has_failed(const Runtime& runtime, Lpid lpid) {
  return runtime.is_own(lpid) &&
         runtime.world().failures.of(static_cast<Worker>(lpid)) != groups::WorkerState::alive;
}

// For a call that the death of a member has ended: only the code tells of it.
inline int ended_by_death(Runtime& runtime) {
  runtime.look_at_failures();
  Reporter::drop_failure_line();
  return COMEX_PROC_FAILED;
}

// For a failure that has been reported, here or by another process. It returns the code, or waits for the end
// of the job. Where the others go on after a death, it waits for the death of the process that was wrong.
inline int failed_somewhere(Runtime& runtime) {
  if (runtime.reporter().returns()) return COMEX_FAILURE;
  runtime.await_end();
  return ended_by_death(runtime);
}
// The same for one of another member of a collective call, which that member reports.
inline int failed_elsewhere(Runtime& runtime) {
  Reporter::drop_failure_line();
  return failed_somewhere(runtime);
}
// For one that all members know of; one of them reports it.
inline int fail_together(Runtime& runtime, const Context& where, bool is_mine, const std::string& why) {
  return is_mine ? runtime.reporter().fail(where, why) : failed_elsewhere(runtime);
}

}  // namespace comex::runtime
