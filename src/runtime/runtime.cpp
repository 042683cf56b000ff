#include "runtime/runtime.h"

#include <algorithm>
#include <functional>
#include <string>

#include "runtime/caller.h"
#include "runtime/opening/boards.h"
#include "runtime/opening/eager.h"
#include "runtime/opening/server_options.h"
#include "runtime/opening/trace_file.h"
#include "runtime/sides.h"
#include "runtime/statistics.h"

namespace comex::runtime {
namespace {

// A poll of MPI takes as long as about ten calls.
constexpr unsigned calls_a_poll = 16;

// Reserved context ids. groups/contexts.h says how groups that are made later get theirs.
constexpr std::uint64_t world_context = 1;
constexpr std::uint64_t leaders_context = 2;
constexpr std::uint64_t self_context = 3;

op::RemoteOptions remote_options(World& world) {
  op::RemoteOptions options;
  options.self = static_cast<Worker>(world.place.worker);
  options.sizes = wire_sizes(world, world.transport->size());
  options.outbox = own_outbox(world);
  options.max_outstanding = static_cast<std::size_t>(world.settings.max_nb_outstanding);
  options.log = world.log.get();
  options.under_way = &world.activity.block().outstanding;
  return options;
}

op::EngineOptions engine_options(World& world, Runtime& runtime) {
  op::EngineOptions options;
  options.wait = world.wait_policy;
  options.has_threads = world.has_threads;
  options.doorbell = world.arena->doorbell(world.arena->slot());
  options.stall = runtime.stall_options(world);
  options.on_mismatch = std::bind_front(&Runtime::end_mismatched, &runtime);
  // a progress rank does this for its workers
  if (world.serves_itself()) options.when_idle = [&] { world.arena->extents().give_back_unused(); };
  return options;
}

// True for a worker without progress rank and thread that may get a message at any time: from another host
// or, if not everything is direct, from its own host.
bool has_to_serve_in_calls(const World& world, const op::Router& router) {
  return world.serves_itself() && !world.has_threads && (world.group->host_count() > 1 || router.is_mixed());
}

}  // namespace

Runtime::Runtime(std::unique_ptr<World> world, Reporter& reporter, const WorldJoiner& joiner)
    : reporter_(reporter),
      world_(std::move(world)),
      activity_(world_->activity),
      my_host_(static_cast<std::uint32_t>(world_->place.host)),
      router_(*world_->group, static_cast<Worker>(world_->place.worker), world_->settings),
      direct_(*world_->arena),
      remote_(*world_->transport, remote_options(*world_)),
      control_(*world_->transport),
      server_(world_->serves_itself() ? make_server(*world_, reporter_) : nullptr),
      engine_(*world_->transport, {server_.get(), &remote_, &control_}, *world_->os,
              engine_options(*world_, *this)),
      other_worlds_(joiner.on_worker(*this)),
      registry_(
          world_->description, static_cast<Worker>(world_->place.worker),
          [this](WorldId freed) { other_worlds_->on_world_freed(freed); }, &*world_->group),
      mutexes_(world_->arena->mutex_sets()),
      everybody_(world_->failures, groups::ConnectionTable::range(0, size())),
      host_(*world_, engine_, everybody_) {
  remote_.set_errors_return(reporter_.returns());

  serves_in_calls_ = has_to_serve_in_calls(*world_, router_);
  add_first_groups();

  if (host_.is_lowest()) {
    op::Membership membership;
    membership.size = world_->group->host_count();
    membership.me = static_cast<std::uint32_t>(world_->place.host);
    membership.rank_of = [this](std::uint32_t host) { return world_->group->lowest_worker(host); };
    membership.context = leaders_context;
    if (world_->failures.are_watched()) membership.has_dead = [this] { return everybody_.any(); };
    membership.text_of = [this](std::uint32_t host) {
      return "host " + std::to_string(host) + ", of MPI rank " +
             std::to_string(world_->group->lowest_worker(host));
    };
    host_leaders_ = std::make_unique<op::GroupCollective>(engine_, control_, std::move(membership));
  }
  engine_.set_between_rounds([this] {
    if (world_->failures.are_watched()) [[unlikely]]
      look_at_failures();
    other_worlds_->tell_losses();
  });
  if (server_ != nullptr && world_->has_threads) {
    pusher_ = std::make_unique<pr::Pusher>(make_pusher(*world_));
    const auto push = [this] {
      if (pusher_->is_due()) {
        const op::Engine::Lock lock = engine_.enter();
        pusher_->advance();
      }
      return pusher_->due_in();
    };
    thread_ = std::make_unique<op::ProgressThread>(engine_, *world_->os, world_->wait_policy,
                                                   world_->arena->doorbell(world_->arena->slot()), push);
  }
}

void Runtime::add_first_groups() {
  auto all = std::make_unique<groups::Group>(world_context, registry_.make_world_table(), me());
  GroupExtras extras = extras_of(*all);
  COMEX_BUG_IF(add_group(std::move(all), extras) != groups::world_handle);
  auto self = std::make_unique<groups::Group>(self_context, registry_.make_self_table(), 0);
  extras_.emplace(groups::self_handle, extras_of(*self));
  groups_.set_self(std::move(self));
}

void Runtime::await_end() {
  constexpr std::uint64_t patience_ns = 10'000'000'000;
  world_->os->sleep_ns(patience_ns);
  reporter_.fatal({}, "another process has found an error, but has not ended the job within 10 s");
}

bool Runtime::close() {
  const groups::Group& everybody = *groups_.find(groups::world_handle);
  other_worlds_->leave();
  barrier(groups::world_handle);
  bool succeeded = wait_members(everybody);
  {
    const op::Engine::Lock lock = engine_.enter();
    remote_.forget_told_losses();
  }
  succeeded = !take_failures(everybody) && succeeded;
  succeeded = !handles_.take_failures() && succeeded;
  barrier(groups::world_handle);  // after this, nobody needs this worker's service
  const auto& servers = world_->own_host().progress_ranks;
  report_statistics(*this);
  board_of(*world_, world_->arena->slot()).is_leaving.store(1, std::memory_order_release);
  {
    const op::Engine::Lock lock = engine_.enter();
    succeeded = !implicit_.take_failures([](Lpid) { return true; }) && succeeded;  // of lost worlds, too
    for (const int rank : servers) remote_.leave(rank);
  }
  wait_until_sent();
  thread_.reset();
  write_trace(*world_, reporter_);
  return succeeded;
}

// What was sent to the dead may never leave, and MPI may wait for them where a communicator is freed.
void Runtime::wait_until_sent() {
  constexpr std::uint64_t patience_ns = 1'000'000'000;
  const std::uint64_t began_ns = world_->os->now_ns();
  const auto is_over = [&] {
    return world_->transport->unsent() == 0 ||
           (everybody_.any() && world_->os->now_ns() - began_ns > patience_ns);
  };
  const op::Engine::Lock lock = engine_.enter_when(is_over, {"finalize"});
  if (!everybody_.any()) return;
  static_cast<void>(world_->transport->abandon());  // bodies too, which do not count as unsent
  world_->wire.forget();
  world_->workers.forget();
  for (auto& [handle, extras] : extras_) extras.comm.forget();
}

bool Runtime::reach(Lpid lpid, Reach& found) {
  if (is_own(lpid)) {
    const auto worker = static_cast<Worker>(lpid);
    const bool is_here = place(worker).host == my_host_;
    found = {lpid, {world_->id, worker}, place(worker), &remote_, no_bridge, is_here ? &direct_ : nullptr};
    return true;
  }
  return other_worlds_->find(lpid, found);
}

Context Runtime::context(const char* operation, Lpid target, const TargetName& named,
                         const void* address) const {
  if (target == no_lpid) return {operation, {}, address};
  std::optional<Gpid> who;
  if (const Result<Gpid> known = registry_.gpid_of(target)) who = known.value();
  return {operation, Target(named, who, registry_.own_world()), address};
}

std::uint32_t Runtime::pointer_domain(Lpid lpid) const {
  if (is_own(lpid)) return router_.world().place(static_cast<Worker>(lpid)).host;
  constexpr std::uint32_t foreign = 1u << 24;  // above all hosts of the own world
  return foreign + static_cast<std::uint32_t>(lpid);
}

template <class F>
void Runtime::for_each_reach(const groups::Group& group, F&& f) {
  for_each_process(group, [&](Lpid lpid) {
    Reach found;
    if (reach(lpid, found)) f(found);
  });
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
  const bool is_world = group.context() == world_context;
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
  const auto keep = [&](Lpid each) { return is_world ? is_own(each) : is_in(group, each); };
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
  engine_.wait([&] { return completion.done(); }, reason);
  wait_until_done([](Lpid) { return true; }, reason);
  kept_writes_are_fenced(kept_writes);
  std::atomic_thread_fence(std::memory_order_seq_cst);
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
  const bool is_world = group.context() == world_context;
  const auto keep = [&](Lpid each) { return is_world ? is_own(each) : is_in(group, each); };
  const bool was_implicit = implicit_.take_failures(keep);
  if (is_world) return remote_.take_failures() != 0 || was_implicit;
  std::uint64_t failures = 0;
  for_each_reach(group, [&](const Reach& member) {
    if (member.remote->has_failures()) failures += member.remote->take_failures(member.remote_target());
  });
  return failures != 0 || was_implicit;
}

template <class Keep>
bool Runtime::wait_for(const op::WaitReason& reason, Keep&& keep) {
  const op::Engine::Lock lock = wait_until_done(keep, reason);
  return !implicit_.take_failures(keep);
}

void Runtime::poll_in_call() {
  if (calls_.fetch_add(1, std::memory_order_relaxed) % calls_a_poll == 0) engine_.poll();
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
  return wait_for({"wait_all"}, [&group](Lpid each) { return is_in(group, each); });
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
  // Finished handles are removed each time the list has doubled, which avoids a scan for each operation.
  if (live_handles_.size() >= 64 && (live_handles_.size() & (live_handles_.size() - 1)) == 0) {
    std::erase_if(live_handles_, [this](const op::WaitReason& live) { return !is_pending(live.handle); });
    nb::give_back_capacity(live_handles_);
  }
  live_handles_.push_back(issued_for);
  live_handles_.back().handle = handle;
}

op::WaitReason Runtime::reason_of(const op::WaitReason& wait) {
  const op::Engine::Lock lock = engine_.enter();
  const auto found = std::ranges::find(live_handles_, wait.handle, &op::WaitReason::handle);
  return wait.handle == 0 || found == live_handles_.end() ? wait : *found;
}

void Runtime::synchronize_world() {
  host_.enter();
  if (world_->group->host_count() == 1) return;
  if (host_leaders_) host_leaders_->barrier();
  host_.leave();
}

void Runtime::synchronize(int handle) {
  if (handle == groups::world_handle) {
    synchronize_world();
  } else {
    extras(handle).collective->barrier();
  }
}

void Runtime::barrier(int handle) {
  fence_members(*groups_.find(handle));
  synchronize(handle);
  std::atomic_thread_fence(std::memory_order_acquire);  // MPI does not promise it of a message
}

// Over the world, each host's lowest worker exchanges with the others and shows its host the result.
void Runtime::all_reduce(int handle, std::span<std::byte> data, op::GroupCollective::Combine combine) {
  if (handle != groups::world_handle || data.size() > HostCollectives::most_bytes) {
    extras(handle).collective->all_reduce(data, combine);
    return;
  }
  std::vector<std::byte> said(host_.size() * data.size());
  const std::span<std::byte> here(said);
  host_.gather(data, here);
  for (std::size_t at = data.size(); at < here.size(); at += data.size()) {
    combine(here.first(data.size()), here.subspan(at, data.size()));
  }
  if (world_->group->host_count() > 1) {
    std::ranges::copy(here.first(data.size()), data.begin());
    if (host_leaders_) host_leaders_->all_reduce(data, combine);
    host_.gather(data, here);
  }
  std::ranges::copy(here.first(data.size()), data.begin());
}

void Runtime::gather(int handle, std::span<const std::byte> mine, std::span<std::byte> all) {
  if (handle == groups::world_handle && world_->group->host_count() == 1) {
    host_.gather(mine, all);
  } else {
    extras(handle).collective->all_gather(mine, all);
  }
}

}  // namespace comex::runtime
