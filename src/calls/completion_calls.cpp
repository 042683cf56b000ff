// The calls wait and test, wait_proc and wait_all, the fences and barrier, and fences of other kinds.
#include <atomic>
#include <optional>
#include <string>

#include "calls/short_paths.h"
#include "groups/contexts.h"
#include "groups/participants.h"
#include "runtime/call.h"

using namespace comex;
using namespace comex::calls;
using State = comex::nb::HandleTable::State;

namespace {

bool find_state(runtime::Runtime& runtime, const char* name, const comex_request_t* handle, State& state) {
  if (handle == nullptr) {
    runtime.reporter().fail({.operation = name}, "the handle's address is null");
    return false;
  }
  state = runtime.handles().state(*handle);
  if (state != State::unknown) return true;
  runtime.reporter().fail({.operation = name}, "the handle " + std::to_string(*handle) + " was never issued");
  return false;
}

bool is_allocated_over(runtime::Runtime& runtime, const void* ptr, const groups::Group& group) {
  const std::optional<runtime::Allocation> found = runtime.allocations().named_by(ptr);
  if (!found) return false;
  if (groups::nth_allocation(group.context(), found->id)) return true;  // over this very group
  return groups::relation(found->side(), {groups::participants(group, runtime.registry()).members,
                                          group.endpoints()}) != groups::Relation::unequal;
}

// Of writes to the members that no wait has told of.
int failures_of(runtime::Runtime& runtime, const groups::Group& group) {
  if (!runtime.take_failures(group)) return COMEX_SUCCESS;
  return runtime::failed_on_the_way(runtime, runtime.has_lost_member(group));
}

int fence_over(runtime::Runtime& runtime, const char* name, const groups::Group& group) {
  runtime.fence_members(group);
  if (!runtime::check_not_lost(runtime, name, group)) return COMEX_FAILURE;
  return failures_of(runtime, group);
}

int result_of(runtime::Runtime& runtime, int handle) {
  return runtime::result_of(runtime, runtime.handles().take_failure(handle));
}

}  // namespace

int comex_wait(comex_request_t* handle) {
  runtime::Runtime* runtime = runtime::enter("wait");
  State state{};
  if (runtime == nullptr || !find_state(*runtime, "wait", handle, state)) return COMEX_FAILURE;
  const int issued = *handle;
  if (state == State::pending) {
    runtime->engine().wait([&] { return runtime->handles().state(issued) != State::pending; },
                           {.operation = "wait", .handle = issued});
  }
  return result_of(*runtime, issued);
}

int comex_test(comex_request_t* handle, int* status) {
  runtime::Runtime* runtime = runtime::enter("test");
  State state{};
  if (runtime == nullptr || !find_state(*runtime, "test", handle, state)) return COMEX_FAILURE;
  if (status == nullptr)
    return runtime->reporter().fail({.operation = "test"}, "the status's address is null");
  if (state == State::pending || runtime->remote().batches().holds_any()) {
    runtime->engine().poll();
    state = runtime->handles().state(*handle);
  }
  *status = state == State::pending ? 1 : 0;
  if (state != State::pending) {
    constexpr std::uint32_t kind = comex::activity::call_hash("test");
    runtime->activity().end_attempts(kind, *handle);
    return result_of(*runtime, *handle);
  }
  runtime->attempt_failed({.operation = "test", .handle = *handle}, comex::activity::Waiting::data);
  return COMEX_SUCCESS;
}

int comex_progress(void) {
  runtime::Runtime* runtime = runtime::enter("progress");
  if (runtime == nullptr) return COMEX_FAILURE;
  runtime->progress();
  return COMEX_SUCCESS;
}

int comex_wait_proc(int proc, comex_group_t group) {
  runtime::Reach target;
  runtime::Runtime* const runtime = enter({"wait_proc", proc, group}, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (runtime->wait_target(target)) return COMEX_SUCCESS;
  return runtime::failed_on_the_way(*runtime, runtime->has_lost(target));
}

int comex_wait_all(comex_group_t handle) {
  const auto [runtime, group] = runtime::enter_group("wait_all", handle);
  if (group == nullptr) return COMEX_FAILURE;
  if (runtime->wait_members(*group)) return COMEX_SUCCESS;
  return runtime::failed_on_the_way(*runtime, runtime->has_lost_member(*group));
}

int comex_fence_proc(int proc, comex_group_t group) {
  // Nothing can be under way to it, except to its mirrors.
  if (const PlainTarget plain(proc, group); plain && !plain.runtime().has_kept_writes()) [[likely]] {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return COMEX_SUCCESS;
  }
  runtime::Reach target;
  runtime::Runtime* const runtime = enter({"fence_proc", proc, group}, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  runtime->fence(target);
  const bool is_foreign = target.bridge != no_bridge;  // it may have been lost meanwhile
  if (is_foreign && !runtime::check_reachable(*runtime, "fence_proc", target.lpid, {group, proc}, target))
    return COMEX_FAILURE;
  if (!runtime->take_failures(target)) return COMEX_SUCCESS;
  return runtime::failed_on_the_way(*runtime, runtime->has_lost(target));
}

int comex_nbfence(int proc, comex_group_t group, comex_request_t* handle) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // for direct stores; the rest is ordered by messages
  runtime::Reach target;
  runtime::Runtime* const runtime = enter({"nbfence", proc, group}, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  const auto begin = [&](nb::Completion& completion) {
    if (target.direct == &runtime->direct()) runtime->fence_kept_writes(completion);
    target.remote->start_fence(target.remote_target().server, completion);
  };
  return finish_remote(*runtime, *target.remote, target.reason("nbfence"), Finish::by(handle), begin);
}

int comex_fence_allocation(void* ptr, comex_group_t handle) {
  const char* name = "fence_allocation";
  const auto [runtime, group] = runtime::enter_group(name, handle);
  if (group == nullptr) return COMEX_FAILURE;
  if (ptr != nullptr && !is_allocated_over(*runtime, ptr, *group)) {
    return runtime->reporter().fail(
        {name, {}, ptr}, "the address is not that of an allocation over group " + std::to_string(handle));
  }
  return fence_over(*runtime, name, *group);
}

int comex_fence_all(comex_group_t handle) {
  const auto [runtime, group] = runtime::enter_group("fence_all", handle);
  return group == nullptr ? COMEX_FAILURE : fence_over(*runtime, "fence_all", *group);
}

int comex_barrier(comex_group_t handle) {
  const auto [runtime, group] = runtime::enter_group("barrier", handle);
  if (group == nullptr) return COMEX_FAILURE;
  const runtime::CallScope call("barrier", handle);
  runtime->barrier(handle);
  const int code = runtime::check_all_live(*runtime, "barrier", *group, handle);
  if (code != COMEX_SUCCESS) return code;
  return failures_of(*runtime, *group);
}
