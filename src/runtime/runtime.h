// Everything that a worker has between init and finalize; the composition root of the origin's side.
//
// Init makes it on a worker, finalize closes it. The files of src/calls each add one family of calls. Data
// members are in order of construction: later ones use earlier ones.
#pragma once

#include <comex/worlds.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "groups/contexts.h"
#include "groups/group.h"
#include "groups/world_registry.h"
#include "nb/cleanup_threshold.h"
#include "nb/handle_table.h"
#include "nb/implicit_set.h"
#include "op/control_messages.h"
#include "op/direct.h"
#include "op/engine.h"
#include "op/group_collective.h"
#include "op/progress_thread.h"
#include "op/remote/remote.h"
#include "op/route.h"
#include "pr/pusher.h"
#include "pr/server.h"
#include "runtime/allocations.h"
#include "runtime/communicator.h"
#include "runtime/host_collectives.h"
#include "runtime/opening/world.h"
#include "runtime/other_worlds.h"
#include "runtime/report.h"
#include "watch/job_state.h"

namespace comex::runtime {

// What belongs to a group handle besides its members.
struct GroupExtras {
  Communicator comm;
  std::unique_ptr<groups::MemberFailures> failures;  // null where the job ends with its first dead worker
  std::unique_ptr<op::GroupCollective> collective;
  std::uint64_t next_allocation = 0;
};

// A held one, to be released without asking its server: owner, index, the holding endpoint or 0.
using RemoteMutex = std::tuple<Worker, std::uint64_t, std::uint32_t>;

class Runtime {
 public:
  Runtime(std::unique_ptr<World> world, Reporter& reporter, const WorldJoiner& joiner);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Parts that calls act on; their headers describe their use.
  Reporter& reporter() const { return reporter_; }
  World& world() const { return *world_; }
  const op::Router& router() const { return router_; }
  const op::Direct& direct() const { return direct_; }
  nb::HandleTable& handles() { return handles_; }
  nb::ImplicitSet& implicit() { return implicit_; }  // under the engine lock
  op::Remote& remote() { return remote_; }
  op::Engine& engine() { return engine_; }
  OtherWorlds& other_worlds() const { return *other_worlds_; }
  groups::WorldRegistry& registry() { return registry_; }
  const groups::WorldRegistry& registry() const { return registry_; }
  groups::GroupTable& groups() { return groups_; }
  Allocations& allocations() { return allocations_; }
  comex_card_hook_t card_hook() const {
    const std::lock_guard lock(card_hook_mutex_);
    return card_hook_;
  }
  void set_card_hook(const comex_card_hook_t& hook) {
    const std::lock_guard lock(card_hook_mutex_);
    card_hook_ = hook;
  }

  // The mutexes of this host's workers, those that this worker holds (under the engine lock), and whether the
  // world has any.
  // Of a worker of this host, by its host slot.
  shm::MutexSetBlock& mutexes_of(shm::HostSlot slot) const { return world_->arena->mutexes_of(slot); }
  std::vector<RemoteMutex>& held_mutexes() { return held_mutexes_; }
  bool has_mutexes() const { return has_mutexes_.load(std::memory_order_relaxed); }
  void set_has_mutexes(bool has) { has_mutexes_.store(has, std::memory_order_relaxed); }

  // Endpoints of this process: whether it has ever had one, how many are gone, and the first of new numbers.
  bool has_had_endpoints() const { return endpoints_made_.load(std::memory_order_relaxed) != 0; }
  std::uint32_t endpoints_gone() const { return endpoints_gone_.load(std::memory_order_acquire); }
  std::uint32_t draw_endpoints(std::uint32_t count) { return endpoints_made_.fetch_add(count) + 1; }
  std::uint32_t draw_vector_call() { return vector_calls_.fetch_add(1, std::memory_order_relaxed); }

  // What servers do with this worker's wrong operations from now on: print a line, or also end the job.
  void set_errors_return(bool on);
  // Waits until another rank, which has reported why, ends the job. It returns where the others go on, once a
  // member of the collective call that the caller is in is known to have died.
  void await_end();

  // Collective over the workers: completes everything and leaves the servers. It is the last call. False when
  // an operation of this worker was refused and nobody has been told.
  bool close();

  Worker me() const { return router_.me(); }
  std::uint32_t size() const { return router_.world().size(); }
  const groups::WorkerPlace& place(Worker worker) const { return router_.world().place(worker); }
  op::RemoteTarget remote_target(Worker target) const {
    const groups::WorkerPlace& there = place(target);
    return {world_->id, there.server, target, there.base, there.server != there.rank};
  }

  // Finds the way to a process of any world. False when no bridge leads there any more.
  bool reach(Lpid lpid, Reach& found);
  // Makes the beginning of a line about an operation. It may have to look up the target.
  Context context(const char* operation, Lpid target, const TargetName& named,
                  const void* address = nullptr) const;
  Context context(const char* operation, const Reach& target, const void* address = nullptr) const {
    return context(operation, target.lpid, target.named, address);
  }
  bool is_direct(activity::Kind kind, const Reach& target) const {
    if (is_own(target.lpid)) return router_.is_direct(kind, target.worker());
    return target.direct != nullptr && router_.is_direct_to_guest(kind);
  }
  bool is_own(Lpid lpid) const { return static_cast<Worker>(lpid) < size(); }
  // Workers with the same number can exchange pointers. Workers of other worlds never can.
  std::uint32_t pointer_domain(Lpid lpid) const;

  // One round of service. Where nothing moved and ranks outnumber cores, it leaves the core to who may be
  // waited for. Returns true if something moved.
  bool progress();
  // A call that returns at once has found a handle pending or a mutex held, and will be made again.
  void attempt_failed(const op::WaitReason& attempt, activity::Waiting waiting);
  const activity::Recorder& activity() const { return activity_; }
  // Counts an operation of this worker, for COMEX_STATS and for those who watch.
  // Returns the number of its event, as the recorder does.
  std::uint32_t count(activity::Kind kind, const groups::WorkerPlace& on, std::uint64_t bytes) const {
    return on.host == my_host_ ? activity_.count_near(kind, on.slot, bytes)
                               : activity_.count_far(kind, on.host, bytes);
  }
  std::uint32_t count(activity::Kind kind, const Reach& target, std::uint64_t bytes) const {
    return is_own(target.lpid) ? count(kind, target.place, bytes) : activity_.count_other_world(kind, bytes);
  }

  // Starts a remote operation under the engine lock; if too much is under way, it makes progress first. One
  // with `leaves_to`, its target, waits for credits before and after: the caller may compute for long, and
  // nobody else could send it. Only behind what waited here before it stays.
  template <class Start>
  void start(op::Remote& to, const op::WaitReason& reason, Start&& begin,
             const op::RemoteTarget* leaves_to = nullptr) {
    const auto has_capacity = [&] {
      return leaves_to == nullptr ? to.has_capacity() : to.has_capacity(*leaves_to);
    };
    std::uint64_t queued = 0;
    const auto has_left = [&] { return leaves_to == nullptr || to.have_left(*leaves_to, queued); };
    op::Engine::Lock lock = engine_.enter_when(has_capacity, reason);
    if (leaves_to != nullptr) queued = to.queued(*leaves_to);
    const bool leaves_now = has_left();
    begin();
    engine_.note_started();
    if (leaves_to == nullptr || !leaves_now) return;
    queued = to.queued(*leaves_to);
    const bool is_left = has_left();
    lock.unlock();
    if (!is_left) engine_.wait(has_left, reason);
    wait_until_out(to, *leaves_to, reason);
  }
  // The same however much is under way, since locks that wait may be part of it and end by such a call: for
  // blocking operations, of which a thread has one, and fences.
  template <class Start>
  void start_at_once(Start&& begin) {
    const op::Engine::Lock lock = engine_.enter();
    begin();
    engine_.note_started();
  }
  // Returns when MPI has taken what has left. For the own world: a bridge may end meanwhile.
  void wait_until_out(op::Remote& to, const op::RemoteTarget& far, const op::WaitReason& reason) {
    if (!engine_.needs_polls() || &to != &remote_) [[likely]]
      return;
    std::uint64_t posted = 0;
    engine_.wait([&] { return to.is_out(far, posted); }, reason);
  }
  // Calls begin(remote, remote target) to add an item to a batch for a worker of the own world; false: not
  // taken.
  template <class Begin>
  bool append(const op::WaitReason& call, Worker target, const Begin& begin) {
    {
      const op::Engine::Lock lock = engine_.enter();
      const op::RemoteTarget* far = remote_.batches().appended_to(target, world_->id);
      if (far != nullptr && remote_.has_capacity(*far)) [[likely]] {
        const bool is_taken = begin(remote_, *far);
        if (remote_.has_to_advance() || world_->transport->unsent() != 0) [[unlikely]]
          engine_.note_started();
        return is_taken;
      }
    }
    const op::RemoteTarget far = remote_target(target);
    bool is_taken = false;
    start(
        remote_, {call.operation, call.target, far.server}, [&] { is_taken = begin(remote_, far); }, &far);
    return is_taken;
  }
  // Why the other side of a bridge is lost; empty: it is not lost.
  std::string why_lost(BridgeId bridge) { return other_worlds_->why_lost(bridge); }
  void wait(const nb::Completion& completion, const op::WaitReason& reason) {
    engine_.wait([&completion] { return completion.done(); }, reason);
  }

  // True if only this worker can serve its memory for other hosts, or send what has not left yet. It then
  // polls in all calls: a program may use any to wait for what another host writes.
  bool polls_in_calls() const { return serves_in_calls() || engine_.needs_polls(); }
  bool serves_in_calls() const { return serves_in_calls_.load(std::memory_order_relaxed); }
  void poll_now_and_then() {
    if (polls_in_calls()) [[unlikely]]
      poll_in_call();
  }
  // From now on, this worker serves processes of other worlds in its calls, since no thread does it.
  void begin_serving_in_calls() { serves_in_calls_.store(true, std::memory_order_relaxed); }

  // Direct writes to kept memory whose mirrors may not have them: a fence has to ask this host's progress
  // ranks. fence_kept_writes(), under the engine lock, returns what to call kept_writes_are_fenced() with
  // when the completion is done.
  bool has_kept_writes() const {
    return direct_.kept_writes() != fenced_kept_writes_.load(std::memory_order_acquire);
  }
  std::uint64_t fence_kept_writes(nb::Completion& completion);
  void kept_writes_are_fenced(std::uint64_t writes);
  // Returns when this host's progress ranks have sent to mirrors whatever was marked before.
  void send_to_mirrors(const char* call);

  void fence(const Reach& target);
  // Call it before a direct operation: everything of this worker that is under way to the same place through
  // a server, gets and rmws too, takes effect first.
  void order_before_direct(const Reach& target);
  void fence_members(const groups::Group& group);
  bool has_nothing_under_way();  // false if in doubt; ignores handles, for which their owners wait
  op::StallOptions stall_options(const World& world);  // of the engine: long waits are told by this object
  [[noreturn]] void end_mismatched(const op::WaitReason& wait, const std::string& what);
  std::vector<TransportRank> dirty_servers(const groups::Group& group);
  std::string servers_text(std::span<const TransportRank> servers) const;
  // Fences all processes of all worlds.
  void fence_everybody();
  // True when a write to it was refused since the last call. Each refusal is reported once.
  bool take_failures(const Reach& target);
  bool take_failures(const groups::Group& group);
  // Waits for handles and implicit requests; false when an implicit one was refused.
  bool wait_target(const Reach& target);
  bool wait_members(const groups::Group& group);
  // Waits until the handles and implicit requests on processes for which keep(lpid) holds are done that there
  // are now; other threads may start more without end. It does not report their failures.
  using Keep = op::FunctionRef<bool(Lpid)>;
  op::Engine::Lock wait_until_done(Keep keep, const op::WaitReason& reason);
  void note_handle(int handle, const op::WaitReason& issued_for);
  // Returns the reason of a wait. For a handle, it names the operation that issued the handle.
  op::WaitReason reason_of(const op::WaitReason& wait);

  // The number of this worker's operations under way to it.
  std::uint32_t pending_to(Lpid target);
  // Returns when nothing is under way to the group's members; reports no failures.
  void complete(const groups::Group& group);

  // If no context is left, it ends the job with a line.
  std::uint64_t new_context();
  // For a group that may span worlds.
  std::uint64_t draw_context() { return groups::drawn_context(world_->os->random_bits()); }
  std::uint64_t context_over(BridgeId bridge) { return bridge == no_bridge ? new_context() : draw_context(); }
  // To a process of a group on this bridge, or of the own world.
  ControlRoute route_to(BridgeId bridge, Lpid lpid);
  GroupExtras extras_of(const groups::Group& group);
  // Returns -1 when the table is full; the caller then keeps the extras.
  int add_group(std::unique_ptr<groups::Group> group, GroupExtras& extras);
  GroupExtras& extras(int handle);
  void remove_group(int handle);
  bool has_handle(std::uint32_t endpoint) const;
  // Whether a process of the group is known to have died, so that its collectives are over.
  bool has_dead_member(int handle) const;
  // What is under way to lost hosts fails, and so does what is started later. Without its progress rank, this
  // process ends. Without the engine lock; waits call it now and then.
  void look_at_failures();
  void end_without_server();  // the last of this alone, which any thread may call
  // What is under way to lost hosts fails, whatever was seen before. Call it before a loss is told.
  void lose_hosts();
  bool has_lost_hosts() const { return has_lost_hosts_.load(std::memory_order_relaxed); }
  // Whether the host of a process or any member is lost: what is under way to it has failed.
  bool has_lost(const Reach& target);
  bool has_lost_member(const groups::Group& group);
  // Waits until all members have come. It completes nothing that is under way.
  void synchronize(int handle);
  // Fences every member, then synchronizes.
  void barrier(int handle);
  // Merges the values of all members by T::merge; it also synchronizes. Over the world, hosts
  // exchange one T each.
  template <class T>
  T all_merged(int handle, T mine) {
    all_reduce(handle, std::as_writable_bytes(std::span(&mine, 1)), merging<T>());
    return mine;
  }
  // Collects the values of all members, by rank; also a meeting.
  void gather(int handle, std::span<const std::byte> mine, std::span<std::byte> all);
  template <class T>
  std::vector<T> gather(int handle, const T& mine) {
    std::vector<T> all(extras(handle).collective->size());
    gather(handle, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }

 private:
  void start_fences_with_mirrors(nb::Completion& completion);
  void give_way();
  template <class T>
  static auto merging() {
    return [](std::span<std::byte> into, std::span<const std::byte> from) {
      T left;
      T right;
      std::memcpy(&left, into.data(), sizeof left);
      std::memcpy(&right, from.data(), sizeof right);
      left.merge(right);
      std::memcpy(into.data(), &left, sizeof left);
    };
  }
  void wait_until_sent();
  struct StalledWait {
    Context where;
    std::string text;
  };
  Context where_of(const op::WaitReason& reason);
  // The members of the collective call of this wait that have not come, as far as this host shows them, and
  // the one that it waits for on another host.
  std::vector<int> late_members(const op::WaitReason& wait);
  StalledWait describe_stall(const op::WaitReason& wait, std::uint64_t waited_ns);
  void tell_of_stall(const op::WaitReason& wait, std::uint64_t waited_ns);
  [[noreturn]] void end_wait(const op::WaitReason& wait, std::uint64_t waited_ns);  // of one over the limit
  // Prints why nothing goes on, as far as this host shows it, unless the host has said so lately. Where there
  // are other hosts, the progress rank has had time to do so.
  void explain_stall();
  void add_first_groups();
  void start_thread();  // that serves for this worker
  void poll_in_call();
  void ask_why();
  op::Membership membership_of(const groups::Group& group);
  void forget_done_handles();
  std::vector<int> pending_handles(Keep keep);
  bool is_pending(int handle) { return handles_.state(handle) == nb::HandleTable::State::pending; }
  bool is_world_group(const groups::Group& group);
  bool wait_for(const op::WaitReason& reason, Keep keep);
  template <class F>
  void for_each_reach(const groups::Group& group, F&& f);
  void all_reduce(int handle, std::span<std::byte> data, op::GroupCollective::CombineFunction combine);

  Reporter& reporter_;
  std::unique_ptr<World> world_;
  const activity::Recorder activity_;  // the world's
  const std::uint32_t my_host_;
  op::Router router_;
  op::Direct direct_;
  nb::HandleTable handles_;
  nb::ImplicitSet implicit_;
  op::Remote remote_;
  op::ControlMessages control_;
  std::unique_ptr<pr::Server> server_;  // set if this worker serves itself
  op::Engine engine_;
  std::unique_ptr<OtherWorlds> other_worlds_;  // made before the registry, which tells it of freed worlds
  groups::WorldRegistry registry_;
  groups::GroupTable groups_;
  mutable std::mutex card_hook_mutex_;
  comex_card_hook_t card_hook_{};  // without functions: none
  Allocations allocations_;
  std::atomic<bool> has_mutexes_{false};
  std::vector<RemoteMutex> held_mutexes_;
  std::atomic<std::uint64_t> fenced_kept_writes_{0};
  std::atomic<std::uint64_t> groups_made_{0};
  std::atomic<std::uint32_t> vector_calls_{1};  // number of the next one
  std::atomic<std::uint32_t> endpoints_made_{0};
  std::atomic<std::uint32_t> endpoints_gone_{0};  // have no handle any more
  mutable std::mutex extras_mutex_;
  std::map<int, GroupExtras> extras_;
  std::vector<op::WaitReason> live_handles_;  // with their handles; under the engine lock
  nb::CleanupThreshold handle_sweep_{64};     // of these
  groups::MemberFailures everybody_;          // of the world
  HostCollectives host_;
  std::unique_ptr<op::GroupCollective> host_leaders_;  // on the lowest worker of each host
  std::unique_ptr<pr::Pusher> pusher_;                 // of the thread
  std::unique_ptr<op::ProgressThread> thread_;
  std::atomic<bool> serves_in_calls_{false};  // threads in calls read it while another one meets a world
  std::atomic<bool> has_lost_hosts_{false};
  std::atomic<std::uint64_t> seen_failures_{0};  // their epoch
  std::atomic<unsigned> failure_looks_{0};
  std::atomic<unsigned> calls_{0};
  std::mutex at_stall_mutex_;
  watch::JobState at_stall_;  // of this host, when a wait was last reported
};

}  // namespace comex::runtime
