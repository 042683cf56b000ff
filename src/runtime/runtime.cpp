#include "runtime/runtime.h"

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>

#include "runtime/caller.h"
#include "runtime/opening/boards.h"
#include "runtime/opening/eager.h"
#include "runtime/opening/server_options.h"
#include "runtime/statistics.h"

namespace comex::runtime {
namespace {

// A poll of MPI takes as long as about ten calls.
constexpr unsigned calls_a_poll = 16;

// Reserved context ids. groups/contexts.h says how groups that are made later get theirs.
constexpr std::uint64_t world_context = 1;
constexpr std::uint64_t leaders_context = 2;
constexpr std::uint64_t self_context = 3;

op::RemoteOptions remote_options(World& world, const Reporter& reporter) {
  op::RemoteOptions options;
  options.self = static_cast<Worker>(world.place.worker);
  options.sizes = wire_sizes(world, world.transport->size());
  options.outbox = own_outbox(world);
  options.max_outstanding = static_cast<std::size_t>(world.settings.max_nb_outstanding);
  options.log = world.log.get();
  options.under_way = &world.activity.block().outstanding;
  // Where the others go on, servers end nothing, so whoever is wrong ends itself.
  if (world.failures.are_watched()) {
    options.on_refusal = [&reporter] {
      if (!reporter.returns()) Reporter::end_job(failure_exit_code);
    };
  }
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
      remote_(*world_->transport, remote_options(*world_, reporter_)),
      control_(*world_->transport),
      server_(world_->serves_itself() ? make_server(*world_, reporter_) : nullptr),
      engine_(*world_->transport, {server_.get(), &remote_, &control_}, *world_->os,
              engine_options(*world_, *this)),
      other_worlds_(joiner.on_worker(*this)),
      registry_(
          world_->description, static_cast<Worker>(world_->place.worker),
          [this](WorldId freed) { other_worlds_->on_world_freed(freed); }, &*world_->group),
      everybody_(world_->failures, groups::ConnectionTable::range(0, size())),
      host_(*world_, engine_, everybody_) {
  set_errors_return(reporter_.returns());
  if (has_to_serve_in_calls(*world_, router_)) begin_serving_in_calls();
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
  if (server_ != nullptr && world_->has_threads) start_thread();
}

void Runtime::start_thread() {
  pusher_ = std::make_unique<pr::Pusher>(make_pusher(*world_));
  const auto push = [this] {
    if (pusher_->is_due()) {
      const op::Engine::Lock lock = engine_.enter();
      pusher_->advance();
    }
    return pusher_->due_in();
  };
  try {
    thread_ = std::make_unique<op::ProgressThread>(engine_, *world_->os, world_->wait_policy,
                                                   world_->arena->doorbell(world_->arena->slot()), push);
  } catch (const std::system_error& refused) {
    reporter_.fatal({.operation = "init"}, std::string("this worker serves itself and gets no thread for it: "
                                                       "pthread_create: ") +
                                               refused.code().message());
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

// Where others go on after a death, a server must not end its own host for a mistake of the origin, which
// ends itself (remote_options).
void Runtime::set_errors_return(bool on) {
  const op::Engine::Lock lock = engine_.enter();
  remote_.set_errors_return(on || world_->failures.are_watched());
}

void Runtime::await_end() {
  constexpr std::uint64_t patience_ns = 10'000'000'000;
  constexpr std::uint64_t look_ns = 10'000'000;
  const std::uint64_t began_ns = world_->os->now_ns();
  while (world_->os->now_ns() - began_ns < patience_ns) {
    if (has_dead_member(program_call().group)) return;
    world_->os->sleep_ns(look_ns);
  }
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
  world_->activity.block().owner.end.release(activity::Owner::has_left);
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

void Runtime::poll_in_call() {
  if (calls_.fetch_add(1, std::memory_order_relaxed) % calls_a_poll != 0) return;
  // Where a progress rank sends the batches that are left, they stay open for what comes next.
  if (serves_in_calls()) {
    engine_.poll();
  } else {
    engine_.poll_aside();
  }
}

void Runtime::synchronize(int handle) {
  if (handle != groups::world_handle) return extras(handle).collective->barrier();
  host_.enter();
  if (world_->group->host_count() == 1) return;
  if (host_leaders_) host_leaders_->barrier();
  host_.leave();
}

void Runtime::barrier(int handle) {
  fence_members(*groups_.find(handle));
  synchronize(handle);
  std::atomic_thread_fence(std::memory_order_acquire);  // MPI does not promise it of a message
}

// Over the world, each host's lowest worker exchanges with the others and shows its host the result.
void Runtime::all_reduce(int handle, std::span<std::byte> data,
                         op::GroupCollective::CombineFunction combine) {
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
