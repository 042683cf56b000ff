#include "worlds/bridge/bridge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/bridge/bridges.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {
namespace {

constexpr std::uint64_t closing_context = 1;  // for control messages of the bridge itself

// Also notes the ranks of all workers, those of the own world included.
BridgePeers find_peers(const runtime::Runtime& runtime, Bridge& bridge) {
  BridgePeers peers;
  const BridgeEndpoint& point = *bridge.point;
  for (const TransportRank rank : point.wire.workers()) {
    const BridgeRow& row = point.wire.row(rank);
    if (row.world == runtime.world().id) {
      bridge.ranks.emplace(static_cast<Lpid>(row.worker), rank);
      continue;
    }
    runtime::Reach peer;
    peer.gpid = point.wire.gpid(rank);
    peer.place.rank = rank;
    peer.place.server = point.servers[static_cast<std::size_t>(rank)];
    peer.place.host = row.host;
    peer.place.slot = row.slot;
    peer.remote = &bridge.remote;
    peer.owners_base = peer.place.base = row.base;
    if (GuestArena* const guest = point.guest_arena(rank)) {
      peer.direct = &*guest->direct;
      peer.place.base = reinterpret_cast<std::uint64_t>(guest->arena->base());
    }
    peer.lpid = runtime.registry().lpid_of(peer.gpid).value();
    bridge.ranks.emplace(peer.lpid, rank);
    peers.emplace(peer.lpid, peer);
  }
  return peers;
}

// Completes what this worker has under way to any process of the bridge; it has taken effect then.
bool fence_bridge(runtime::Runtime& runtime, Bridge& bridge) {
  const op::WaitReason reason{"disconnect"};
  const auto is_there = [&bridge](Lpid lpid) { return bridge.ranks.contains(lpid); };
  runtime.wait_until_done(is_there, reason);
  nb::Completion completion;
  runtime.start(bridge.remote, reason, [&] { bridge.remote.start_fence_all(completion); });
  runtime.wait(completion, reason);
  // Blocking operations of other threads, over groups that have another way from now on.
  runtime.engine().wait([&] { return bridge.remote.quiet(); }, reason);
  const op::Engine::Lock lock = runtime.engine().enter();
  const bool was_refused = bridge.remote.take_failures() != 0;
  return !runtime.implicit().take_failures(is_there) && !was_refused;
}

// Waits for all workers; afterwards nobody needs anybody's service.
void meet_workers(runtime::Runtime& runtime, Bridge& bridge) {
  const std::vector<TransportRank> workers = bridge.point->wire.workers();
  op::Membership membership;
  membership.size = static_cast<std::uint32_t>(workers.size());
  membership.me = static_cast<std::uint32_t>(std::ranges::find(workers, bridge.point->me) - workers.begin());
  membership.rank_of = [&workers](std::uint32_t member) { return workers[member]; };
  membership.context = closing_context;
  op::GroupCollective(runtime.engine(), bridge.control, std::move(membership)).barrier();
}

void leave_servers(runtime::Runtime& runtime, Bridge& bridge, protocol::Leaving how) {
  {
    const op::Engine::Lock lock = runtime.engine().enter();
    for (const TransportRank server : bridge.point->servers_to_tell(how)) bridge.remote.leave(server, how);
  }
  runtime.engine().wait([&] { return bridge.transport().unsent() == 0; }, {"disconnect"});
}

// Waits until every other worker has left the server of this process.
void serve_until_left(runtime::Runtime& runtime, const Bridge& bridge) {
  const pr::Server* const server = bridge.point->server.get();
  if (server == nullptr) return;
  const std::size_t workers = bridge.point->wire.workers().size();
  const TimeLimit limit = bridge.point->limit_of_parting(runtime.reporter());
  runtime.engine().wait([&] { return server->departed() >= workers || bridge.control.is_lost(); },
                        {"disconnect"});
}

const char* how_it_is_lost(LinkEnd how) {
  switch (how) {
    case LinkEnd::ended:
      return "has finalized without parting from this one";
    case LinkEnd::broken:
      return "has lost a process and goes on alone";
    case LinkEnd::broken_here:
      return "is parted from this one, of which a process has died";
    default:
      return "has died";
  }
}

// Ends the traffic of this worker on the bridge; true when all of its operations have taken effect, or nobody
// asks for it any more as it is lost:
//
//   fence   all of its operations have taken effect at their targets
//   meet    all others have come so far; nobody starts anything any more
//   leave   every server has been told that this worker asks for nothing more; a worker that leaves alone
//           tells only those of its world and the one that serves it
//   serve   all others have told the same to the server that this worker runs
//
// A step waits for the others until one of their worlds is lost; from then on it waits for nobody. A worker
// leaves alone if it has no group on the bridge any more while others have; it neither meets nor serves. The
// same is true of a worker that finalizes without disconnecting.
bool leave_traffic(runtime::Runtime& runtime, BridgeId id, Bridge& bridge, protocol::Leaving how) {
  const auto is_lost = [&] { return !runtime.why_lost(id).empty(); };
  if (is_lost()) return true;
  const bool succeeded = fence_bridge(runtime, bridge);
  if (is_lost()) return succeeded;
  if (how == protocol::Leaving::together) {
    meet_workers(runtime, bridge);
    if (is_lost()) return succeeded;
    // All part together from here on: a death elsewhere may not make some leave alone.
    joined_worlds(runtime).watch.end(id, true);
    if (is_lost()) return succeeded;
  }
  leave_servers(runtime, bridge, how);
  if (how == protocol::Leaving::together && !is_lost()) serve_until_left(runtime, bridge);
  return succeeded;
}

}  // namespace

BridgeId open_bridge(runtime::Runtime& runtime, BridgeFacts facts) {
  auto point = open_endpoint(runtime.world(), runtime.reporter(), joined_worlds(runtime).bridges.arenas,
                             std::move(facts));
  op::RemoteOptions options;
  options.self = runtime.me();
  options.sizes = point->sizes(runtime.world());
  options.max_outstanding = static_cast<std::size_t>(runtime.world().settings.max_nb_outstanding);
  auto made = std::make_unique<Bridge>(std::move(point), options);
  Bridge& bridge = *made;
  bridge.remote.set_errors_return(true);  // a server of another world must not end its own job
  BridgePeers peers = find_peers(runtime, bridge);
  const BridgeId id = joined_worlds(runtime).bridges.add(std::move(made), std::move(peers));
  {
    const op::Engine::Lock lock = runtime.engine().enter();
    runtime.engine().attach(bridge.transport(),
                            {bridge.point->server.get(), &bridge.remote, &bridge.control});
    if (bridge.point->server != nullptr && !runtime.world().has_threads) runtime.begin_serving_in_calls();
  }
  start(*bridge.point, joined_worlds(runtime).watch, id);
  return id;
}

bool end_bridge(runtime::Runtime& runtime, BridgeId id, protocol::Leaving how) {
  Bridges& bridges = joined_worlds(runtime).bridges;
  const std::shared_ptr<Bridge> bridge = bridges.find(id);
  COMEX_BUG_IF(bridge == nullptr);
  const bool succeeded = leave_traffic(runtime, id, *bridge, how);
  const bool all_part = how == protocol::Leaving::together && runtime.why_lost(id).empty();
  {
    const op::Engine::Lock lock = runtime.engine().enter();  // it also guards the bridge's loss
    bridges.remove(id);
    runtime.engine().detach(bridge->transport());
  }
  joined_worlds(runtime).watch.end(id, all_part);
  bridge->point->end(all_part, bridges.arenas, runtime.reporter());
  return succeeded;
}

void leave_all_bridges(runtime::Runtime& runtime) {
  for (const BridgeId id : joined_worlds(runtime).bridges.ids()) {
    Bridge& bridge = *joined_worlds(runtime).bridges.find(id);  // no other thread is in the library
    leave_traffic(runtime, id, bridge, protocol::Leaving::ended);
    bridge.point->facts.wire.forget();
  }
}

void lose_bridge(runtime::Runtime& runtime, const EndedLink& end) {
  Bridges& bridges = joined_worlds(runtime).bridges;
  const std::string reason = "world " + std::to_string(end.world) + " " + how_it_is_lost(end.how);
  std::size_t failed = 0;
  bool is_news = false;
  {
    const op::Engine::Lock lock = runtime.engine().enter();  // nobody closes a bridge meanwhile
    const std::shared_ptr<Bridge> bridge = bridges.find(end.bridge);
    if (bridge == nullptr) return;
    const bool was_lost = !bridges.why_lost(end.bridge).empty();
    is_news = bridges.lose(end.bridge, end.world, reason);
    if (!was_lost) {
      failed = bridge->remote.abandon();
      bridge->control.abandon();
      runtime.engine().detach(bridge->transport());  // its server may have bodies under way
      bridge->point->is_in_use_by_mpi = bridge->transport().abandon();
    }
  }
  if (failed != 0) {
    runtime.reporter().fail({}, reason + "; " + std::to_string(failed) + " operations under way have failed");
  } else if (is_news) {
    runtime.reporter().notice(reason);
  }
}

}  // namespace comex::worlds
