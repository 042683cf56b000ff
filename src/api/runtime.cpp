#include "api/runtime.h"

#include <algorithm>
#include <string>

#include "api/outboxes.h"
#include "api/server_options.h"
#include "groups/everybody.h"

namespace comex::api {
namespace {

// A poll of MPI takes the time of some ten direct operations.
constexpr unsigned calls_a_poll = 16;

// Contexts of collectives; groups made later have their leader's number in the upper half.
constexpr std::uint64_t world_context = 1;
constexpr std::uint64_t leaders_context = 2;
constexpr std::uint64_t self_context = 3;

op::RemoteOptions remote_options(World& world) {
  op::RemoteOptions options;
  options.self = static_cast<Worker>(world.place.worker);
  options.sizes.chunk_bytes =
      op::legal_chunk_bytes(static_cast<std::uint64_t>(world.settings.effective_chunk_bytes()));
  options.outbox = own_outbox(world);
  options.max_outstanding = static_cast<std::size_t>(world.settings.max_nb_outstanding);
  return options;
}

op::EngineOptions engine_options(World& world, const Reporter& reporter, Runtime& runtime) {
  op::EngineOptions options;
  options.wait = world.wait_policy;
  options.doorbell = world.arena->doorbell(world.arena->slot());
  options.stall.stall_ns = static_cast<std::uint64_t>(world.settings.stall_s) * 1'000'000'000;
  options.stall.on_stall = [&](const op::WaitReason& wait, std::uint64_t waited_ns) {
    const op::WaitReason reason = runtime.reason_of(wait);
    std::string text = "has been waiting for " + std::to_string(waited_ns / 1'000'000'000) + " s";
    if (reason.server != no_rank) text += " for MPI rank " + std::to_string(reason.server);
    Reporter::print(reporter.identity(), {reason.operation, reason.target, nullptr}, text);
  };
  return options;
}

// A worker without progress rank and thread, of whom other hosts may want something at any time.
bool serves_in_calls(const World& world) {
  return world.serves_itself() && !world.has_threads && world.group->host_count() > 1;
}

}  // namespace

Runtime::Runtime(std::unique_ptr<World> opened, Reporter& reports)
    : reporter(reports),
      world(std::move(opened)),
      router(*world->group, static_cast<Worker>(world->place.worker), world->settings,
             serves_in_calls(*world)),
      direct(*world->arena),
      remote(*world->transport, remote_options(*world)),
      tokens(*world->transport),
      server(world->serves_itself() ? make_server(*world, reporter) : nullptr),
      engine(*world->transport, {server.get(), &remote, &tokens}, *world->os,
             engine_options(*world, reporter, *this)),
      book(world->description, static_cast<Worker>(world->place.worker)) {
  reporter.identify({.rank = world->place.worker, .host = reporter.identity().host});
  remote.set_errors_return(reporter.returns());

  serves_in_calls_ = serves_in_calls(*world);

  add_first_groups();

  const std::vector<int> here = world->host_workers();
  workers_here_ = static_cast<std::uint32_t>(here.size());
  const auto lowest = static_cast<std::size_t>(here.front());
  const auto board = world->arena->board(static_cast<shm::HostSlot>(world->split.ranks[lowest].local_index));
  auto* layout = reinterpret_cast<BoardLayout*>(board.data());
  enter_ = &layout->enter;
  leave_ = &layout->leave;

  if (here.front() == world->wire.rank()) {
    std::vector<TransportRank> leaders;  // the lowest worker of each host
    for (std::uint32_t host = 0; host < world->group->host_count(); ++host) {
      const auto& ranks = world->split.hosts[host].ranks;
      leaders.push_back(*std::ranges::find_if(ranks, [this](int rank) {
        return world->split.ranks[static_cast<std::size_t>(rank)].role == pr::Role::worker;
      }));
    }
    op::Membership membership;
    membership.size = static_cast<std::uint32_t>(leaders.size());
    membership.me = static_cast<std::uint32_t>(world->place.host);
    membership.rank_of = [leaders](std::uint32_t member) { return leaders[member]; };
    membership.context = leaders_context;
    host_leaders_ = std::make_unique<op::GroupCollective>(engine, tokens, std::move(membership));
  }
  if (server != nullptr && world->has_threads) {
    pusher_ = std::make_unique<pr::Pusher>(make_pusher(*world));
    const auto push = [this] {
      if (pusher_->is_due()) {
        const op::Engine::Lock lock = engine.enter();
        pusher_->advance();
      }
      return pusher_->due_in();
    };
    thread_ = std::make_unique<op::ProgressThread>(engine, *world->os, world->wait_policy,
                                                   world->arena->doorbell(world->arena->slot()), push);
  }
}

Runtime::~Runtime() = default;

void Runtime::add_first_groups() {
  auto all = std::make_unique<groups::Group>(world_context, book.make_world_table(), world->place.worker);
  GroupExtras extras = extras_of(*all);
  COMEX_BUG_IF(add_group(std::move(all), extras) != groups::world_handle);
  auto self = std::make_unique<groups::Group>(self_context, book.make_self_table(), 0);
  GroupExtras made = extras_of(*self);
  made.comm = Communicator::duplicate(MPI_COMM_SELF);
  groups.set_self(std::move(self));
  extras_.emplace(groups::self_handle, std::move(made));
}

void Runtime::await_end() {
  constexpr std::uint64_t patience_ns = 10'000'000'000;
  world->os->sleep_ns(patience_ns);
  Reporter::end_job(failure_exit_code);
}

bool Runtime::close() {
  const groups::Group& everybody = *groups.find(groups::world_handle);
  barrier(groups::world_handle);
  bool succeeded = wait_members(everybody);
  succeeded = !take_failures(everybody) && succeeded;
  barrier(groups::world_handle);  // nobody needs this worker's service after it
  const auto& servers = world->own_host().progress_ranks;
  {
    const op::Engine::Lock lock = engine.enter();
    for (const int rank : servers) remote.leave(rank);
  }
  engine.wait([this] { return world->transport->unsent() == 0; }, {"finalize"});
  thread_.reset();
  return succeeded;
}

// Writes happen at the target, and implicit requests to it are complete: their buffers are the caller's
// again.
void Runtime::fence(Worker target) {
  const op::FarSide far = far_side(target);
  const auto lpid = static_cast<Lpid>(target);
  const op::WaitReason reason{"fence", static_cast<int>(target), far.server};
  nb::Completion completion;
  start(reason, [&] {
    if (remote.dirty(far)) remote.start_fence(far.server, completion);
  });
  engine.wait([&] { return completion.done() && implicit.done(lpid); }, reason);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Runtime::fence_members(const groups::Group& group) {
  const bool is_world = group.context() == world_context;
  nb::Completion completion;
  start({"fence_all"}, [&] {
    if (is_world) {
      remote.start_fence_all(completion);
      return;
    }
    for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
      const op::FarSide far = far_side(static_cast<Worker>(group.members().lpid(rank)));
      if (remote.dirty(far)) remote.start_fence(far.server, completion);
    }
  });
  const auto keep = [&](Lpid each) { return is_world || group.members().rank_of(each) >= 0; };
  engine.wait([&] { return completion.done() && implicit.all_done(keep); }, {"fence_all"});
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

// A fence says what a wait has not: implicit requests that were refused are told by it as well.
bool Runtime::take_failures(Worker target) {
  const op::Engine::Lock lock = engine.enter();
  const bool was_implicit = implicit.take_failure(static_cast<Lpid>(target));
  const bool was_write = remote.has_failures() && remote.take_failures(far_side(target).gpid()) != 0;
  return was_implicit || was_write;
}

bool Runtime::take_failures(const groups::Group& group) {
  const op::Engine::Lock lock = engine.enter();
  const bool is_world = group.context() == world_context;
  const auto keep = [&](Lpid each) { return is_world || group.members().rank_of(each) >= 0; };
  const bool was_implicit = implicit.take_failures(keep);
  if (!remote.has_failures()) return was_implicit;
  if (is_world) return remote.take_failures() != 0 || was_implicit;
  std::uint64_t failures = 0;
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    failures += remote.take_failures(far_side(static_cast<Worker>(group.members().lpid(rank))).gpid());
  }
  return failures != 0 || was_implicit;
}

// Stops at the first that is pending, and forgets those that are not: cheap however often it is asked.
template <class Keep>
bool Runtime::handles_done(Keep&& keep) {
  for (std::size_t i = 0; i < live_handles_.size();) {
    if (handles.state(live_handles_[i].first) == nb::HandleTable::State::pending) {
      if (keep(live_handles_[i].second.target)) return false;
      ++i;
    } else {
      live_handles_[i] = live_handles_.back();
      live_handles_.pop_back();
    }
  }
  return true;
}

template <class Keep>
bool Runtime::wait_for(const op::WaitReason& reason, Keep&& keep) {
  send_batches();
  const op::Engine::Lock lock =
      engine.enter_when([&] { return implicit.all_done(keep) && handles_done(keep); }, reason);
  return !implicit.take_failures(keep);
}

void Runtime::order_before_direct(Worker target) {
  if (serves_in_calls_ && direct_calls_.fetch_add(1, std::memory_order_relaxed) % calls_a_poll == 0)
    engine.poll();
  if (!router.is_mixed()) return;
  fence(target);
  const auto lpid = static_cast<Lpid>(target);
  engine.wait([&] { return handles_done([lpid](Lpid each) { return each == lpid; }); },
              {"fence", lpid, place(target).server});
}

bool Runtime::wait_target(Worker target) {
  const auto lpid = static_cast<Lpid>(target);
  return wait_for({"wait_proc", lpid, place(target).server}, [lpid](Lpid each) { return each == lpid; });
}

bool Runtime::wait_members(const groups::Group& group) {
  return wait_for({"wait_all"}, [&group](Lpid each) { return group.members().rank_of(each) >= 0; });
}

std::uint32_t Runtime::pending_to(Lpid target) {
  const op::Engine::Lock lock = engine.enter();
  std::uint32_t pending = implicit.done(target) ? 0 : 1;
  for (const auto& [handle, reason] : live_handles_) {
    if (reason.target == target && handles.state(handle) == nb::HandleTable::State::pending) ++pending;
  }
  return pending;
}

void Runtime::complete(const groups::Group& group) {
  const auto keep = [&group](Lpid each) { return group.targets().rank_of(each) >= 0; };
  engine.wait([&] { return implicit.all_done(keep) && handles_done(keep); }, {"group_free"});
}

void Runtime::note_handle(int handle, const op::WaitReason& issued_for) {
  // Kept short without a scan for each operation: cleaned when it has doubled.
  if (live_handles_.size() >= 64 && (live_handles_.size() & (live_handles_.size() - 1)) == 0) {
    std::erase_if(live_handles_, [this](const auto& live) {
      return handles.state(live.first) != nb::HandleTable::State::pending;
    });
  }
  live_handles_.emplace_back(handle, issued_for);
}

op::WaitReason Runtime::reason_of(const op::WaitReason& wait) {
  const op::Engine::Lock lock = engine.enter();
  const auto found = std::ranges::find(live_handles_, wait.handle, &std::pair<int, op::WaitReason>::first);
  return wait.handle == 0 || found == live_handles_.end() ? wait : found->second;
}

GroupExtras Runtime::extras_of(const groups::Group& group) {
  const groups::Everybody all = groups::everybody(group, book);
  op::Membership membership;
  membership.size = all.members.size();
  membership.me = all.my_index;
  membership.rank_of = [this, members = all.members](std::uint32_t member) {
    return place(static_cast<Worker>(members.lpid(member))).rank;
  };
  membership.context = group.context();
  membership.has_endpoints = static_cast<bool>(group.endpoints());
  GroupExtras made;
  made.collective = std::make_unique<op::GroupCollective>(engine, tokens, std::move(membership));
  return made;
}

int Runtime::add_group(std::unique_ptr<groups::Group> group, GroupExtras& extras) {
  const int handle = groups.add(std::move(group));
  if (handle < 0) return handle;
  const std::lock_guard lock(extras_mutex_);
  extras_.insert_or_assign(handle, std::move(extras));
  return handle;
}

GroupExtras& Runtime::extras(int handle) {
  const std::lock_guard lock(extras_mutex_);
  return extras_.at(handle);
}

void Runtime::remove_group(int handle) {
  groups.remove(handle);
  const std::lock_guard lock(extras_mutex_);
  extras_.erase(handle);
}

void Runtime::wait_on(shm::HostBarrierBlock& block) {
  constexpr unsigned yields = 100;       // the others are mostly on their way
  constexpr unsigned yields_a_pump = 4;  // a pump costs more than a yield
  shm::HostBarrier meeting(*world->os, block, workers_here_);
  const shm::WaitPolicy& policy = world->wait_policy;
  op::StallWatch watch = engine.watch({"barrier"});
  const std::uint32_t token = meeting.arrive();
  for (unsigned round = 1; !meeting.done(token); ++round) {
    const bool sleeps = policy.sleeps_after(round, yields);
    if (sleeps || !policy.yields_ever() || round % yields_a_pump == 0) engine.poll();
    if (sleeps) {
      meeting.sleep(token, policy.nap_max_ns);
    } else if (policy.yields_ever()) {
      world->os->yield();
    }
    watch.set_slow(sleeps);
    watch.look();
  }
}

void Runtime::barrier_of_world() {
  wait_on(*enter_);
  if (world->group->host_count() == 1) return;
  if (host_leaders_) host_leaders_->barrier();
  wait_on(*leave_);
}

void Runtime::barrier(int handle) {
  fence_members(*groups.find(handle));
  if (handle == groups::world_handle) {
    barrier_of_world();
  } else {
    extras(handle).collective->barrier();
  }
}

}  // namespace comex::api
