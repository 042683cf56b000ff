// Everything a worker has between init and finalize; the composition root of the origin's side.
//
// Made by init on a worker, closed by finalize. The files of src/calls each add one family of
// calls on top. Data members are in order of construction: later ones use earlier ones.
#pragma once

#include <comex/worlds.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "groups/contexts.h"
#include "groups/group.h"
#include "groups/world_book.h"
#include "nb/handle_table.h"
#include "nb/implicit_set.h"
#include "nb/sweep.h"
#include "op/control_messages.h"
#include "op/direct.h"
#include "op/engine.h"
#include "op/group_collective.h"
#include "op/progress_thread.h"
#include "op/remote.h"
#include "op/route.h"
#include "pr/pusher.h"
#include "pr/server.h"
#include "runtime/allocations.h"
#include "runtime/communicator.h"
#include "runtime/held_mutexes.h"
#include "runtime/host_meeting.h"
#include "runtime/opening/world.h"
#include "runtime/reach.h"
#include "runtime/report.h"
#include "worlds/bridge/bridges.h"
#include "worlds/connect/meetings.h"

namespace comex::runtime {

// What belongs to a group handle besides its members.
struct GroupExtras {
  Communicator comm;
  std::unique_ptr<op::GroupCollective> collective;
  std::uint64_t next_allocation = 0;
};

class Runtime {
 public:
  Runtime(std::unique_ptr<World> world, Reporter& reporter);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Until another rank, which has said why, ends the job.
  [[noreturn]] void await_end();

  // Collective over the workers: completes everything, takes leave of the servers. The last call; false when
  // something of this worker's was refused and nobody has been told.
  bool close();

  Worker me() const { return router.me(); }
  std::uint32_t size() const { return router.world().size(); }
  const groups::WorkerPlace& place(Worker worker) const { return router.world().place(worker); }
  op::RemoteTarget remote_target(Worker target) const {
    const groups::WorkerPlace& there = place(target);
    return {router.world().id(), there.server, target, there.base, there.server != there.rank};
  }

  // How to get to a process, of the own world or another. False when no bridge leads there any more.
  bool reach(Lpid lpid, Reach& found);
  // The beginning of a line about an operation, made only for one: who the target is may have to be looked
  // up.
  Context context(const char* operation, Lpid target, const Naming& named,
                  const void* address = nullptr) const;
  Context context(const char* operation, const Reach& target, const void* address = nullptr) const {
    return context(operation, target.lpid, target.named, address);
  }
  bool is_direct(op::Way way, const Reach& target) const {
    if (is_own(target.lpid)) return router.is_direct(way, target.worker());
    return target.direct != nullptr && router.is_direct_to_guest(way);
  }
  bool is_own(Lpid lpid) const { return static_cast<Worker>(lpid) < size(); }
  // Workers of one number give pointers to each other; those of other worlds never do.
  std::uint32_t pointer_domain(Lpid lpid) const;

  // Starts something remote under the engine lock, making progress first where too much is under way. What is
  // to be appended waits for a credit too: its caller may compute for long, and nobody can send it without.
  template <class Start>
  void start(op::Remote& to, const op::WaitReason& reason, Start&& begin,
             const op::RemoteTarget* appended_to = nullptr) {
    const auto has_room = [&] { return appended_to == nullptr ? to.has_room() : to.has_room(*appended_to); };
    const op::Engine::Lock lock = engine.enter_when(has_room, reason);
    begin();
  }
  template <class Start>
  void start(const op::WaitReason& reason, Start&& begin, const op::RemoteTarget* appended_to = nullptr) {
    start(remote, reason, begin, appended_to);
  }
  // Hands begin(remote, far side) what is to be appended for a worker of the own world; false: not taken.
  template <class Begin>
  bool append(const op::WaitReason& call, Worker target, const Begin& begin) {
    {
      const op::Engine::Lock lock = engine.enter();
      const op::RemoteTarget* far = remote.appended_to(target, router.world().id());
      if (far != nullptr && remote.has_room(*far)) [[likely]]
        return begin(remote, *far);
    }
    const op::RemoteTarget far = remote_target(target);
    bool is_taken = false;
    start(
        remote, {call.operation, call.target, far.server}, [&] { is_taken = begin(remote, far); }, &far);
    return is_taken;
  }
  // Why the other side of a bridge is lost, if it is; empty: it is not.
  std::string why_lost(worlds::BridgeId bridge) {
    meetings.losses.tell(*this);
    return bridges.why_lost(bridge);
  }
  void wait(const nb::Completion& completion, const op::WaitReason& reason) {
    engine.wait([&completion] { return completion.done(); }, reason);
  }

  // Nobody else serves this worker's memory for other hosts, so that it is served in calls of the program: a
  // program may wait, by whatever call, for what another host writes there.
  bool serves_in_calls() const { return serves_in_calls_; }
  void serve_now_and_then() {
    if (serves_in_calls_) [[unlikely]]
      serve_in_call();
  }
  // From now on: this worker serves processes of other worlds, and no thread does it for it.
  void begin_serving_in_calls() { serves_in_calls_ = true; }

  void fence(const Reach& target);
  // Before a direct operation: what this worker has under way to the same place through a server, gets and
  // rmws too, takes effect first.
  void order_before_direct(const Reach& target);
  void fence_members(const groups::Group& group);
  bool has_nothing_under_way();  // false in doubt; handles, whose owners wait for them, aside
  // For lines about long waits: the servers that have not said that all is done, and who they are.
  void tell_of_stall(const op::WaitReason& wait, std::uint64_t waited_ns);
  std::vector<TransportRank> dirty_servers(const groups::Group& group);
  std::string servers_text(std::span<const TransportRank> servers) const;
  // What is under way to anybody, in whichever world.
  void fence_everybody();
  // True when a write to it was refused since the last call; told once.
  bool take_failures(const Reach& target);
  bool take_failures(const groups::Group& group);
  // For handles and implicit requests; false when an implicit one was refused.
  bool wait_target(const Reach& target);
  bool wait_members(const groups::Group& group);
  // Handles and implicit requests on processes for which keep(lpid) holds are done; their failures stay
  // untold.
  template <class Keep>
  void wait_until_done(Keep&& keep, const op::WaitReason& reason) {
    engine.wait([&] { return implicit.all_done(keep) && handles_done(keep); }, reason);
  }
  void note_handle(int handle, const op::WaitReason& issued_for);
  // What a wait is for; that for a handle in the words of the operation it was issued for.
  op::WaitReason reason_of(const op::WaitReason& wait);

  // Operations under way to it, from here.
  std::uint32_t pending_to(Lpid target);
  // Returns when nothing is under way to the group's members; tells no failures.
  void complete(const groups::Group& group);

  // Where none is left, the job ends with a line.
  std::uint64_t new_context();
  // For a group that may span worlds.
  std::uint64_t draw_context() { return groups::drawn_context(world->os->random_bits()); }
  std::uint64_t context_over(worlds::BridgeId bridge) {
    return bridge == worlds::no_bridge ? new_context() : draw_context();
  }
  GroupExtras extras_of(const groups::Group& group);
  // -1 when the table is full: the extras stay the caller's.
  int add_group(std::unique_ptr<groups::Group> group, GroupExtras& extras);
  GroupExtras& extras(int handle);
  void remove_group(int handle);
  bool has_handle(std::uint32_t endpoint) const;
  // All members have come; what they have under way stays so.
  void meet(int handle);
  // Fences every member first.
  void barrier(int handle);
  // What the members of a group say, merged by T::merge; as `meet`. Over the world one T travels, between
  // hosts.
  template <class T>
  T all_merged(int handle, T mine) {
    all_reduce(handle, std::as_writable_bytes(std::span(&mine, 1)),
               [](std::span<std::byte> into, std::span<const std::byte> from) {
                 T left;
                 T right;
                 std::memcpy(&left, into.data(), sizeof left);
                 std::memcpy(&right, from.data(), sizeof right);
                 left.merge(right);
                 std::memcpy(into.data(), &left, sizeof left);
               });
    return mine;
  }
  // What each member says, by rank; as `meet`.
  void gather(int handle, std::span<const std::byte> mine, std::span<std::byte> all);
  template <class T>
  std::vector<T> gather(int handle, const T& mine) {
    std::vector<T> all(extras(handle).collective->size());
    gather(handle, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }

  Reporter& reporter;
  std::unique_ptr<World> world;
  op::Router router;
  op::Direct direct;
  nb::HandleTable handles;
  nb::ImplicitSet implicit;  // under the engine lock
  op::Remote remote;
  op::ControlMessages control;
  std::unique_ptr<pr::Server> server;  // when this worker serves itself
  op::Engine engine;
  worlds::Bridges bridges;
  groups::WorldBook book;
  groups::GroupTable groups;
  comex_card_hook_t card_hook{};  // without functions: none
  Allocations allocations;
  shm::MutexSets mutexes;                // of the workers of this host
  std::atomic<bool> has_mutexes{false};  // the world
  HeldMutexes held_mutexes;              // under the engine lock
  std::atomic<std::uint64_t> groups_made{0};
  std::atomic<std::uint32_t> vector_calls{1};  // the next one's number
  std::atomic<std::uint32_t> endpoints_made{0};
  std::atomic<std::uint32_t> endpoints_gone{0};  // have no handle any more
  worlds::Meetings meetings;

 private:
  void add_first_groups();
  void serve_in_call();
  op::Membership membership_of(const groups::Group& group) const;
  // Stops at the first that is pending, and forgets those that are not: cheap however often it is asked.
  template <class Keep>
  bool handles_done(Keep&& keep) {
    for (std::size_t i = 0; i < live_handles_.size();) {
      if (is_pending(live_handles_[i])) {
        if (keep(live_handles_[i].target)) return false;
        ++i;
      } else {
        live_handles_[i] = live_handles_.back();
        live_handles_.pop_back();
      }
    }
    nb::give_back_room(live_handles_);
    return true;
  }
  bool is_pending(const op::WaitReason& live) {
    return handles.state(live.handle) == nb::HandleTable::State::pending;
  }
  template <class Keep>
  bool wait_for(const op::WaitReason& reason, Keep&& keep);
  template <class F>
  void for_each_reach(const groups::Group& group, F&& f);
  void meet_world();
  void all_reduce(int handle, std::span<std::byte> data, op::GroupCollective::Combine combine);

  mutable std::mutex extras_mutex_;
  std::map<int, GroupExtras> extras_;
  std::map<std::uint32_t, std::uint32_t> endpoint_handles_;  // how many each endpoint of this process has
  std::vector<op::WaitReason> live_handles_;                 // each with its handle; under the engine lock
  HostMeeting host_;
  std::unique_ptr<op::GroupCollective> host_leaders_;  // on the lowest worker of each host
  std::unique_ptr<pr::Pusher> pusher_;                 // the thread's
  std::unique_ptr<op::ProgressThread> thread_;
  bool serves_in_calls_ = false;
  std::atomic<unsigned> calls_{0};
};

}  // namespace comex::runtime
