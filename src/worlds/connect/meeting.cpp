#include "worlds/connect/meeting.h"

#include <comex/worlds.h>

#include <algorithm>

#include "core/diagnose.h"
#include "groups/participants.h"
#include "runtime/call.h"
#include "runtime/environment.h"
#include "worlds/agreement/agree.h"
#include "worlds/agreement/create_group.h"
#include "worlds/bridge/bridge.h"
#include "worlds/connect/dynamic.h"
#include "worlds/connect/progress_rank_calls.h"
#include "worlds/connect/side.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {
namespace {

// The program's functions for connection data of its own, as groups/joining needs them. A result other than 0
// becomes a failure that names the function and the process.
groups::CardHook hook_of(const comex_card_hook_t& hook) {
  if (hook.collect == nullptr || hook.deliver == nullptr) return {};
  groups::CardHook made;
  made.collect = [hook](Gpid gpid) -> Result<Bytes> {
    Bytes card(std::size_t{1} << 16);
    std::size_t bytes = card.size();
    if (hook.collect(gpid.world, gpid.rank, card.data(), &bytes, hook.context) != 0 || bytes > card.size()) {
      return caller_error("the card hook's collect has failed for process " + text_of(gpid));
    }
    card.resize(bytes);
    card.shrink_to_fit();  // there may be thousands
    return card;
  };
  made.deliver = [hook](Gpid gpid, const Bytes& card) -> Status {
    if (hook.deliver(gpid.world, gpid.rank, card.data(), card.size(), hook.context) == 0) return {};
    return caller_error("the card hook's deliver has failed for process " + text_of(gpid));
  };
  return made;
}

// The wire that the processes of a group share, and their ranks on it. For a group of the own world it is the
// world's wire, for other groups the bridge's.
struct GroupWire {
  MPI_Comm wire = MPI_COMM_NULL;
  op::ControlMessages* control = nullptr;
  std::vector<TransportRank> workers;  // by rank in the group
  ProgressRanks progress_ranks;        // the ones that serve the workers
};

GroupWire group_wire_of(runtime::Runtime& runtime, const groups::Group& group) {
  const std::shared_ptr<Bridge> bridge = joined_worlds(runtime).bridges.find(group.bridge());
  COMEX_BUG_IF(bridge == nullptr && group.bridge() != no_bridge);
  GroupWire found;
  found.wire = bridge ? bridge->point->facts.wire.get() : runtime.world().wire.get();
  groups::for_each_lpid(group.members(), [&](Lpid lpid) {
    const runtime::ControlRoute worker = runtime.route_to(group.bridge(), lpid);
    found.control = worker.control;
    found.workers.push_back(worker.rank);
    const TransportRank server = bridge ? bridge->point->servers[static_cast<std::size_t>(worker.rank)]
                                        : runtime.place(static_cast<Worker>(lpid)).server;
    if (server == worker.rank) return;
    found.progress_ranks.emplace(
        bridge ? bridge->point->wire.progress_rank(server) : ProgressRankId{runtime.world().id, server},
        server);
  });
  return found;
}

class MeetingRun {
 public:
  MeetingRun(runtime::Runtime& runtime, const Meeting& meeting)
      : runtime_(runtime),
        meeting_(meeting),
        group_(*runtime.groups().find(meeting.group)),
        all_(*runtime.extras(meeting.group).collective),
        wire_(group_wire_of(runtime, group_)),
        limit_s_(static_cast<double>(runtime.world().settings.meet_s)),
        hook_(runtime.card_hook()),
        channel_(runtime, meeting.operation, all_, meeting.root, limit_s_) {}

  int run(int* inter) {
    if (const int code = check_members(); code != COMEX_SUCCESS) return code;
    runtime_.fence_everybody();
    const std::string error = channel_.spread(leads() ? meet_roots() : std::string());
    if (!error.empty()) return told_by_root(error);
    Result<groups::JoinResult> joined =
        groups::join_sides(runtime_.registry(), channel_, arguments(), hook_of(hook_));
    if (!joined) return told_by_root(joined.failure().text);
    joined_ = std::move(joined).value();
    connect_others();
    // The other root may have given up while this one was held up.
    const std::string gone =
        channel_.spread(leads() && !channel_.is_open() ? channel_.how_it_ended() : std::string());
    Result<BridgeId> bridge = no_bridge;
    if (!gone.empty()) {
      bridge = environment_error(gone);
    } else if (!stays_in_one_world()) {
      bridge = cross();
    }
    if (!bridge) {
      forget_others();
      return told_by_root(bridge.failure().text);
    }
    return make_group(bridge.value(), inter);
  }

 private:
  bool leads() const { return channel_.is_leader(); }
  bool accepts() const { return meeting_.side == MeetingSide::accepts; }
  int check_members() {
    return runtime::check_all_live(runtime_, meeting_.operation, group_, meeting_.group);
  }
  void connect_others() {
    groups::WorldRegistry& registry = runtime_.registry();
    for (std::size_t i = 0; i < joined_.remote.size(); ++i) {
      if (registry.connection_references(joined_.remote[i]).value() == 0)
        newly_met_.push_back(joined_.lpids[i]);
    }
    far_ = registry.make_table(joined_.lpids);
  }
  // An earlier group may keep some of them connected.
  void forget_others() {
    far_.free();
    runtime_.registry().make_table(newly_met_).disconnect();
  }
  // A member that has lost members of its own side reports that itself; others need not tell it.
  int told_by_root(const std::string& error) {
    if (const int code = check_members(); code != COMEX_SUCCESS) return code;
    if (error == other_root_has_died) return runtime::ended_by_death(runtime_);
    if (leads()) return runtime_.reporter().fail({.operation = meeting_.operation}, error);
    return runtime::failed_elsewhere(runtime_);
  }

  SideFacts own_facts() {
    SideFacts facts;
    facts.launch = runtime_.world().description.launch;
    facts.has_name_server = !runtime::launched_process().name_server.empty();
    facts.mpi = runtime::mpi_name_and_number();
    for (const auto& [id, rank] : wire_.progress_ranks) facts.progress_ranks.push_back(id);
    return facts;
  }

  // On the root: returns what went wrong; empty: nothing.
  std::string meet_roots() {
    Result<FramedSocket> met = meeting_.begin([this] { return all_.has_lost(); });
    if (!met) return met.failure().text;
    channel_.connect(std::move(met).value());
    mine_ = own_facts();
    const Result<Bytes> received = channel_.exchange(pack_fields(mine_));
    if (!received) return received.failure().text;
    Result<SideFacts> facts = unpack_side(received.value());
    if (!facts) return facts.failure().text;
    theirs_ = std::move(facts).value();
    const std::string_view sharing = runtime::mpi_in_use().how_to_share_a_name_server();
    const Status judged =
        accepts() ? check_sides(mine_, theirs_, sharing) : check_sides(theirs_, mine_, sharing);
    return judged ? std::string() : judged.failure().text;
  }

  groups::JoinArguments arguments() {
    groups::JoinArguments arguments;
    for (std::uint32_t rank = 0; rank < group_.size(); ++rank) {
      arguments.local.push_back(runtime_.registry().gpid_of(group_.members().lpid(rank)).value());
    }
    arguments.context = runtime_.draw_context();
    arguments.is_spawn = meeting_.is_spawn;
    if (meeting_.is_spawn && !accepts()) arguments.spawned_order = runtime_.world().settings.lpid_order;
    return arguments;
  }

  // All members of both sides are of this world, and its own wire is all that they need.
  bool stays_in_one_world() const {
    return group_.bridge() == no_bridge && far_.members().lies_below(static_cast<Lpid>(runtime_.size()));
  }

  // The step inside MPI. The progress ranks are locked while it lasts.
  Result<BridgeId> cross() {
    MeetingLock lock(runtime_, *wire_.control, [this] { return all_.has_lost(); });
    Result<Roster> called = Roster();
    if (leads()) called = call(lock);
    const std::string error = channel_.spread(called ? std::string() : called.failure().text);
    if (!error.empty()) return environment_error(error);
    const Result<Bytes> told = channel_.broadcast(pack_fields(called.value()));
    if (!told) return told.failure();
    Result<BridgeFacts> facts = join_sides(runtime_.world(), runtime_.reporter(), wire_.wire,
                                           unpack_fields<Roster>(told.value()).value());
    if (!facts) return facts.take_failure();
    return open_bridge(runtime_, std::move(facts).value());
  }

  // On the root: locks this side's progress ranks in their turn, then calls them to the port.
  Result<Roster> call(MeetingLock& lock) {
    if (Status locked = lock_in_turn(lock); !locked) return locked.take_failure();
    Roster roster;
    if (accepts()) {
      Result<std::unique_ptr<MpiPort>> port = open_port();
      channel_.say(port ? port.value()->name() : "");
      if (!port) return port.take_failure();
      port_ = std::move(port).value();
      roster.port = port_->name();
    } else {
      const Result<Bytes> received = channel_.receive();
      if (!received) return received.failure();
      roster.port.assign(reinterpret_cast<const char*>(received->data()), received->size());
    }
    if (roster.port.empty()) return environment_error("the accepting side could not open a port of MPI");
    if (!channel_.is_open()) return environment_error(channel_.how_it_ended());
    if (!all_.is_whole()) return members_are_lost();  // they would wait inside MPI for who does not come
    const std::vector<TransportRank> called = called_ranks();
    roster.ranks = wire_.workers;
    roster.ranks.insert(roster.ranks.end(), called.begin(), called.end());
    roster.root = static_cast<std::uint32_t>(meeting_.root);
    roster.side = meeting_.side;
    roster.limit_s = limit_s_;
    call_progress_ranks(runtime_, *wire_.control, called, roster);
    return roster;
  }

  Result<std::unique_ptr<MpiPort>> open_port() {
    const TimeLimit limit =
        limit_step(runtime_.reporter(), meeting_.operation, "MPI has opened no port", limit_s_);
    return MpiPort::open();
  }
  Status lock_in_turn(MeetingLock& lock) {
    const auto turns = accepts() ? lock_turns(mine_, theirs_) : lock_turns(theirs_, mine_);
    for (const auto& [id, is_of_accepting] : turns) {
      if (is_of_accepting != accepts()) {
        Result<Bytes> passed_on = channel_.receive();
        if (!passed_on) return passed_on.take_failure();
      } else {
        if (Status taken = lock.take(wire_.progress_ranks.at(id), Deadline(limit_s_)); !taken) return taken;
        channel_.say("");
      }
    }
    return {};
  }

  // A progress rank that serves both sides comes with the accepting one.
  std::vector<TransportRank> called_ranks() const {
    std::vector<TransportRank> called;
    for (const auto& [id, rank] : wire_.progress_ranks) {
      if (accepts() || std::ranges::count(theirs_.progress_ranks, id) == 0) called.push_back(rank);
    }
    return called;
  }

  // All of both sides keep the group, or none does; then the bridge closes and the other side is released.
  int make_group(BridgeId bridge, int* inter) {
    groups::Table near = runtime_.registry().make_table(group_.members());
    auto made = std::make_unique<groups::Group>(joined_.context, near.dup(), group_.my_rank(),
                                                groups::Endpoints(), far_.dup(), bridge);
    runtime::GroupExtras extras = runtime_.extras_of(*made);
    op::GroupCollective& both = *extras.collective;  // its address does not change
    const int handle = runtime_.add_group(std::move(made), extras);
    Status verdict = judge(both, bridge, handle >= 0, no_handle_left());
    if (verdict) verdict = judge(both, bridge, is_ready(handle), "the card hook's ready has failed");
    if (verdict) {
      *inter = handle;
      return COMEX_SUCCESS;
    }
    const bool has_dead = bridge == no_bridge && !both.is_whole();
    if (bridge != no_bridge) static_cast<void>(part_bridge(runtime_, bridge));
    if (handle >= 0) runtime_.remove_group(handle);
    near.disconnect();
    forget_others();
    if (const int code = check_members(); code != COMEX_SUCCESS) return code;
    if (has_dead) return runtime::ended_by_death(runtime_);
    if (verdict.failure().text.empty()) return runtime::failed_elsewhere(runtime_);
    return runtime_.reporter().fail({.operation = meeting_.operation}, verdict.failure());
  }

  bool is_ready(int inter) {
    if (hook_.ready == nullptr) return true;
    std::vector<comex_gpid_t> remote;
    for (const Gpid gpid : joined_.remote) remote.push_back({gpid.world, gpid.rank});
    return hook_.ready(meeting_.peer.value_or(inter), meeting_.group, static_cast<int>(remote.size()),
                       remote.data(), meeting_.root, hook_.context) == 0;
  }

  // Everybody of both sides is here and can continue. Otherwise those who cannot report it, and the root of
  // the side where all can; the others' text is empty.
  Status judge(op::GroupCollective& both, BridgeId bridge, bool can_go_on, const std::string& else_what) {
    const bool side_can = all_.all_agree(can_go_on);
    const bool all_can = both.all_agree(side_can);
    if (!both.is_whole()) return environment_error(runtime_.why_lost(bridge));
    if (all_can) return {};
    if (!can_go_on) return environment_error(else_what);
    return environment_error(side_can && leads() ? "on the other side: " + else_what : std::string());
  }

  runtime::Runtime& runtime_;
  const Meeting& meeting_;
  groups::Group& group_;
  op::GroupCollective& all_;
  GroupWire wire_;
  double limit_s_;
  comex_card_hook_t hook_;  // the one that was set when the meeting began
  MeetingChannel channel_;
  std::unique_ptr<MpiPort> port_;  // on the accepting root, while both sides join in MPI
  SideFacts mine_;                 // on the root
  SideFacts theirs_;               // on the root
  groups::JoinResult joined_;
  groups::Table far_;            // the processes of the other side
  std::vector<Lpid> newly_met_;  // those of them that were not connected before
};

}  // namespace

int run_meeting(runtime::Runtime& runtime, const Meeting& meeting, int* inter) {
  return MeetingRun(runtime, meeting).run(inter);
}

}  // namespace comex::worlds
