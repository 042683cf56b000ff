// Fences, also of the mirrors of kept memory, and waits for what this worker has under way to others.
#include <algorithm>
#include <string>

#include "groups/participants.h"
#include "runtime/runtime.h"

namespace comex::runtime {

bool Runtime::is_world_group(const groups::Group& group) {
  return group.context() == groups_.find(groups::world_handle)->context();
}

template <class F>
void Runtime::for_each_reach(const groups::Group& group, F&& f) {
  groups::for_each_process(group, [&](Lpid lpid) {
    Reach found;
    if (reach(lpid, found)) f(found);
  });
}

void Runtime::send_to_mirrors(const char* call) {
  nb::Completion completion;
  start_at_once([&] { start_fences_with_mirrors(completion); });
  wait(completion, {call});
}

// A part's mirrors are its owner's progress rank's, and hosts have few.
void Runtime::start_fences_with_mirrors(nb::Completion& completion) {
  for (const int rank : world_->own_host().progress_ranks)
    remote_.start_fence_with_mirrors({.world = world_->id, .server = rank}, completion);
}

std::uint64_t Runtime::fence_kept_writes(nb::Completion& completion) {
  const std::uint64_t writes = direct_.kept_writes();
  if (writes != fenced_kept_writes_.load(std::memory_order_acquire)) start_fences_with_mirrors(completion);
  return writes;
}

void Runtime::kept_writes_are_fenced(std::uint64_t writes) {
  std::uint64_t known = fenced_kept_writes_.load(std::memory_order_relaxed);
  while (known < writes && !fenced_kept_writes_.compare_exchange_weak(known, writes)) {
  }
}

// All writes take effect at the target, and implicit requests to it are complete: their buffers belong to the
// caller again. What other threads start meanwhile is not waited for.
void Runtime::fence(const Reach& target) {
  const op::WaitReason reason = target.reason("fence");
  nb::Completion completion;
  nb::ImplicitSet::Mark mark = 0;
  std::uint64_t kept_writes = 0;
  start_at_once([&] {
    mark = implicit_.mark();
    if (target.direct == &direct_) kept_writes = fence_kept_writes(completion);
    target.remote->start_fence(target.remote_target().server, completion);
  });
  engine_.wait([&] { return completion.done() && implicit_.done(target.lpid, mark); }, reason);
  kept_writes_are_fenced(kept_writes);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool Runtime::has_nothing_under_way() {
  const op::Engine::Lock lock = engine_.enter();
  return !remote_.dirty() && implicit_.is_empty() && !has_kept_writes();
}

void Runtime::fence_members(const groups::Group& group) {
  const bool is_world = is_world_group(group);
  if (is_world && has_nothing_under_way()) [[likely]] {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return;
  }
  nb::Completion completion;
  nb::ImplicitSet::Mark mark = 0;
  std::uint64_t kept_writes = 0;
  start_at_once([&] {
    mark = implicit_.mark();
    kept_writes = fence_kept_writes(completion);
    if (is_world) {
      remote_.start_fence_all(completion);
      return;
    }
    for_each_reach(group, [&](const Reach& member) {
      member.remote->start_fence(member.remote_target().server, completion);
    });
  });
  const auto keep = [&](Lpid each) { return groups::is_in(group, each); };
  const auto who_is_silent = [&] { return servers_text(dirty_servers(group)); };
  const op::FunctionRef<std::string()> awaited(who_is_silent);
  const op::Engine::Lock lock =
      engine_.enter_when([&] { return completion.done() && implicit_.all_done(mark, keep); },
                         {.operation = "fence_all", .awaited = &awaited});
  kept_writes_are_fenced(kept_writes);
  if (is_world) remote_.tidy();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Runtime::fence_everybody() {
  const op::WaitReason reason{"fence_all"};
  nb::Completion completion;
  std::uint64_t kept_writes = 0;
  start_at_once([&] {
    kept_writes = fence_kept_writes(completion);
    remote_.start_fence_all(completion);
  });
  other_worlds_->start_fence_all(completion);
  wait(completion, reason);
  wait_until_done([](Lpid) { return true; }, reason);
  kept_writes_are_fenced(kept_writes);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

std::vector<TransportRank> Runtime::dirty_servers(const groups::Group& group) {
  std::vector<TransportRank> servers;
  const op::Engine::Lock lock = engine_.enter();
  for_each_reach(group, [&](const Reach& member) {
    const TransportRank server = member.remote_target().server;
    if (member.remote->dirty(server)) servers.push_back(server);
  });
  std::ranges::sort(servers);
  servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
  return servers;
}

std::string Runtime::servers_text(std::span<const TransportRank> servers) const {
  bool serve_themselves = false;
  for (Worker worker = 0; worker < size(); ++worker)
    serve_themselves |= std::ranges::find(servers, place(worker).rank) != servers.end();
  return listed(serve_themselves ? "MPI rank" : "progress rank", servers);
}

// A fence also reports refused implicit requests that no wait has reported.
bool Runtime::take_failures(const Reach& target) {
  const op::Engine::Lock lock = engine_.enter();
  const bool was_implicit = implicit_.take_failure(target.lpid);
  const bool was_write =
      target.remote->has_failures() && target.remote->take_failures(target.remote_target()) != 0;
  return was_implicit || was_write;
}

bool Runtime::take_failures(const groups::Group& group) {
  const op::Engine::Lock lock = engine_.enter();
  const bool was_implicit = implicit_.take_failures([&](Lpid each) { return groups::is_in(group, each); });
  if (is_world_group(group)) return remote_.take_failures() != 0 || was_implicit;
  std::uint64_t failures = 0;
  for_each_reach(group, [&](const Reach& member) {
    if (member.remote->has_failures()) failures += member.remote->take_failures(member.remote_target());
  });
  return failures != 0 || was_implicit;
}

void Runtime::forget_done_handles() {
  std::erase_if(live_handles_, [this](const op::WaitReason& live) { return !is_pending(live.handle); });
  nb::give_back_capacity(live_handles_);
}

std::vector<int> Runtime::pending_handles(Keep keep) {
  forget_done_handles();
  std::vector<int> found;
  for (const op::WaitReason& live : live_handles_) {
    if (keep(live.target)) found.push_back(live.handle);
  }
  return found;
}

op::Engine::Lock Runtime::wait_until_done(Keep keep, const op::WaitReason& reason) {
  nb::ImplicitSet::Mark mark = 0;
  std::vector<int> handles;
  const auto are_done = [&] {
    if (mark == 0) {
      handles = pending_handles(keep);
      mark = implicit_.mark();
    }
    while (!handles.empty() && !is_pending(handles.back())) handles.pop_back();
    return handles.empty() && implicit_.all_done(mark, keep);
  };
  return engine_.enter_when(are_done, reason);
}

bool Runtime::wait_for(const op::WaitReason& reason, Keep keep) {
  const op::Engine::Lock lock = wait_until_done(keep, reason);
  return !implicit_.take_failures(keep);
}

void Runtime::order_before_direct(const Reach& target) {
  if (!router_.is_mixed()) return;
  fence(target);
  wait_until_done([&target](Lpid each) { return each == target.lpid; }, target.reason("fence"));
}

bool Runtime::wait_target(const Reach& target) {
  return wait_for(target.reason("wait_proc"), [&target](Lpid each) { return each == target.lpid; });
}

bool Runtime::wait_members(const groups::Group& group) {
  return wait_for({"wait_all"}, [&group](Lpid each) { return groups::is_in(group, each); });
}

std::uint32_t Runtime::pending_to(Lpid target) {
  const op::Engine::Lock lock = engine_.enter();
  std::uint32_t pending = implicit_.done(target) ? 0 : 1;
  for (const op::WaitReason& live : live_handles_) {
    if (live.target == target && is_pending(live.handle)) ++pending;
  }
  return pending;
}

void Runtime::complete(const groups::Group& group) {
  wait_until_done([&group](Lpid each) { return group.targets().rank_of(each) >= 0; }, {"wait_all"});
}

void Runtime::note_handle(int handle, const op::WaitReason& issued_for) {
  if (handle_sweep_.is_due(live_handles_.size())) {
    forget_done_handles();
    handle_sweep_.note_swept(live_handles_.size());
  }
  live_handles_.push_back(issued_for);
  live_handles_.back().handle = handle;
}

op::WaitReason Runtime::reason_of(const op::WaitReason& wait) {
  const op::Engine::Lock lock = engine_.enter();
  const auto found = std::ranges::find(live_handles_, wait.handle, &op::WaitReason::handle);
  return wait.handle == 0 || found == live_handles_.end() ? wait : *found;
}

}  // namespace comex::runtime
