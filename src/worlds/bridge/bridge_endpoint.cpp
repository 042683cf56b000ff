#include "worlds/bridge/bridge_endpoint.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/environment.h"
#include "runtime/exchange.h"
#include "runtime/opening/eager.h"
#include "runtime/opening/server_options.h"
#include "runtime/opening/steps.h"
#include "transport/mpi_collective.h"
#include "worlds/connect/dynamic.h"

namespace comex::worlds {
namespace {

transport::MpiFailureHandler mpi_failure(const runtime::Reporter& reporter) {
  return [&reporter](const Failure& failure) { reporter.fatal({.operation = "bridge"}, failure.text); };
}

BridgeRow own_row(runtime::World& world) {
  BridgeRow row;
  row.world = world.id;
  row.is_worker = world.is_worker() ? 1 : 0;
  if (world.is_worker()) row.worker = static_cast<Worker>(world.place.worker);
  row.own_rank = world.wire.rank();
  row.own_server = world.place.server < 0 ? row.own_rank : world.place.server;
  row.host = static_cast<std::uint32_t>(world.place.host);
  row.slot = static_cast<std::uint32_t>(world.place.local_index);
  row.virtual_host = world.share.virtual_host;
  row.chunk_bytes = world.settings.effective_chunk_bytes();
  row.staging_reserve = static_cast<std::uint64_t>(world.settings.staging_reserve);
  row.base = reinterpret_cast<std::uint64_t>(world.arena->base());
  row.machine = runtime::own_host_key(*world.os, world.settings);
  row.ticket = world.arena->ticket();
  world.os->host_facts().host_name.copy(row.host_name.data(), row.host_name.size() - 1);
  return row;
}

BridgeMap::Attached attach_guests(runtime::World& world, GuestArenas& arenas, BridgeEndpoint& point) {
  BridgeMap::Attached attached = 0;
  for (const TransportRank guest : point.wire.guest_arenas(point.me)) {
    auto arena = arenas.attach(*world.os, point.wire.row(guest).ticket, world.settings);
    if (*arena) attached |= BridgeMap::Attached{1} << point.guests.size();
    point.guests.emplace_back(guest, std::move(arena));
  }
  return attached;
}

// The arena in which this process finds the memory of a rank.
shm::Arena& arena_of(runtime::World& world, const BridgeEndpoint& point, TransportRank rank) {
  if (point.wire.same_arena(rank, point.me)) return *world.arena;
  GuestArena* const guest = point.guest_arena(rank);
  COMEX_BUG_IF(guest == nullptr);
  return *guest->arena;
}

// Prints the origin's line. The origin learns of it by the answer and does what its program chose.
void say(runtime::World& world, const BridgeEndpoint& point, const pr::RefusedRequest& refused) {
  const Gpid target{refused.header.world, refused.header.target};
  const std::vector<TransportRank> workers = point.wire.workers();
  const auto named =
      std::ranges::find(workers, target, [&](TransportRank each) { return point.wire.gpid(each); });
  const bool is_known = named != workers.end();
  const bool is_served = is_known && point.servers[static_cast<std::size_t>(*named)] == point.me;
  const std::uint64_t base = is_known ? point.wire.row(*named).base : 0;
  const Gpid origin = point.wire.gpid(refused.from);
  const std::string call = runtime::call_name(refused.header);
  const void* address = is_served ? reinterpret_cast<const void*>(base + refused.fault.offset) : nullptr;
  runtime::Reporter::print(
      {.rank = static_cast<int>(origin.rank),
       .host = point.wire.row(refused.from).host_name.data(),
       .endpoint = runtime::endpoint_of(refused.header)},
      {call.c_str(), runtime::target_of(refused.header, origin.world), address},
      runtime::refusal_text(refused, is_served ? &arena_of(world, point, *named) : nullptr, base) +
          " (by worker " + std::to_string(origin.rank) + " of world " + std::to_string(origin.world) + ")");
}

using Slots = std::unordered_map<Worker, shm::HostSlot>;

// The server of this rank. It serves workers of its own world, and workers of other worlds on its host that
// have no progress rank there.
std::unique_ptr<pr::Server> make_bridge_server(runtime::World& world, const runtime::Reporter& reporter,
                                               const BridgeEndpoint& point) {
  // By the world of the served workers: the slots of its workers, and one of its ranks.
  std::unordered_map<WorldId, std::pair<TransportRank, Slots>> served;
  if (!world.is_worker()) served.try_emplace(world.id, point.me, Slots());
  for (TransportRank rank = 0; rank < point.wire.size(); ++rank) {
    if (point.servers[static_cast<std::size_t>(rank)] != point.me) continue;
    auto& [any, slots] = served.try_emplace(point.wire.row(rank).world, rank, Slots()).first->second;
    slots.emplace(point.wire.row(rank).worker, point.wire.row(rank).slot);
  }
  std::unique_ptr<pr::Server> server;
  for (auto& [id, home] : served) {
    const auto slot_of = [slots = std::move(home.second)](Worker worker) {
      const auto found = slots.find(worker);
      return found == slots.end() ? pr::no_host_slot : found->second;
    };
    shm::Arena& arena = arena_of(world, point, home.first);
    if (server != nullptr) {
      server->add_world(id, arena, slot_of);
      continue;
    }
    pr::ServerOptions options;
    options.world = id;
    options.chunk_bytes = point.wire.chunk_bytes();
    options.pool_bytes = static_cast<std::uint64_t>(world.settings.server_buffer);
    options.staging_reserve = point.wire.staging_reserve();
    options.slot_of = slot_of;
    options.report = [&world, &point](const pr::RefusedRequest& refused) { say(world, point, refused); };
    options.recovered = [&reporter](const protocol::RequestHeader& header,
                                    const std::optional<Worker>& dead) {
      const std::string call = runtime::call_name(header);
      runtime::Reporter::print(reporter.identity(), {call.c_str(), runtime::target_of(header, std::nullopt)},
                               runtime::recovery_text(header, dead));
    };
    server = std::make_unique<pr::Server>(*point.transport, arena, std::move(options));
  }
  return server;
}

}  // namespace

GuestArena* BridgeEndpoint::guest_arena(TransportRank of) const {
  for (const auto& [guest, arena] : guests) {
    if (wire.same_arena(guest, of)) return *arena ? arena.get() : nullptr;
  }
  return nullptr;
}

// Of other worlds, the servers of a worker that leaves alone need not know it, and they may be gone.
std::set<TransportRank> BridgeEndpoint::servers_to_tell(protocol::Leaving how) const {
  const TransportRank mine = servers[static_cast<std::size_t>(me)];
  std::set<TransportRank> found;
  for (TransportRank rank = 0; rank < wire.size(); ++rank) {
    const bool is_worker = wire.is_worker(rank);
    const TransportRank serving = is_worker ? servers[static_cast<std::size_t>(rank)] : rank;
    const bool is_of_own_world = !wire.is_worker(serving) && wire.row(serving).world == wire.row(me).world;
    if (how == protocol::Leaving::together || serving == mine || is_of_own_world) found.insert(serving);
  }
  return found;
}

op::Sizes BridgeEndpoint::sizes(const runtime::World& world) const {
  op::Sizes sizes = op::sizes_on_wire(wire.chunk_bytes(), wire.size(), wire.staging_reserve());
  sizes.eager_bytes =
      runtime::eager_bytes(world.settings.eager_threshold, world.eager, wire.spans_machines());
  return sizes;
}

TimeLimit BridgeEndpoint::limit_of_parting(const runtime::Reporter& reporter) const {
  return limit_step(reporter, "world_disconnect", "the other side has not let go", facts.limit_s);
}

void BridgeEndpoint::end(bool all_part, GuestArenas& of_process, const runtime::Reporter& reporter) {
  if (is_in_use_by_mpi) return facts.wire.forget();
  server.reset();
  transport.reset();
  guests.clear();
  of_process.forget_unused();
  if (!all_part) return facts.wire.forget();
  const TimeLimit limit = limit_of_parting(reporter);
  const mpi::YieldScope while_waiting(runtime::mpi_in_use().yield_switch(), true);
  facts.wire = runtime::Communicator();  // freed, because some libraries hang where both are disconnected
  if (!facts.inter) return;
  part(facts.inter.get());
  facts.inter.forget();
}

std::unique_ptr<BridgeEndpoint> open_endpoint(runtime::World& world, const runtime::Reporter& reporter,
                                              GuestArenas& arenas, BridgeFacts facts) {
  // A progress rank has turned yields off.
  const mpi::YieldScope while_waiting(runtime::mpi_in_use().yield_switch(), true);
  transport::MpiCollective all(facts.wire.get(), mpi_failure(reporter));
  auto point =
      std::make_unique<BridgeEndpoint>(std::move(facts), BridgeMap(runtime::gather(all, own_row(world))));
  point->me = all.rank();
  point->servers = point->wire.servers(runtime::gather(all, attach_guests(world, arenas, *point)));
  transport::Bundles bundles = runtime::bundles_on_wire(point->sizes(world), world.eager,
                                                        point->wire.spans_machines(), world.is_worker());
  bundles.same_machine = point->wire.neighbours(point->me);
  point->transport =
      std::make_unique<transport::MpiTransport>(point->facts.wire.get(), mpi_failure(reporter),
                                                std::move(bundles), runtime::mpi_in_use().yield_switch());
  if (point->wire.spans_machines()) {
    point->transport->before_bodies([&world, &guests = point->guests] {
      world.arena->drop_stale_registrations();
      for (const auto& [guest, arena] : guests)
        if (*arena) arena->arena->drop_stale_registrations();
    });
  }
  // A progress rank has a server even if it serves nobody: the server learns when the workers have left.
  const bool serves = std::ranges::count(point->servers, point->me) != 0;
  if (serves || !world.is_worker()) point->server = make_bridge_server(world, reporter, *point);
  return point;
}

void start(BridgeEndpoint& point, LifeWatch& watch, BridgeId id) {
  const mpi::YieldScope while_waiting(runtime::mpi_in_use().yield_switch(), true);
  runtime::mpi_check()(PMPI_Barrier(point.facts.wire.get()), "MPI_Barrier");
  watch.add(id, std::move(point.facts.links), point.facts.dead_workers);
  point.facts.limit = {};
}

}  // namespace comex::worlds
