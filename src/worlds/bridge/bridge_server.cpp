#include "worlds/bridge/bridge_server.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/opening/server_options.h"

namespace comex::worlds {
namespace {

// The arena in which this process finds the memory of a rank.
shm::Arena& arena_of(runtime::World& world, const BridgeEndpoint& point, TransportRank rank) {
  if (point.wire.same_arena(rank, point.me)) return *world.arena;
  GuestArena* const guest = point.guest_arena(rank);
  COMEX_BUG_IF(guest == nullptr);
  return *guest->arena;
}

TransportRank find_worker(const BridgeEndpoint& point, Gpid gpid) {
  for (TransportRank rank = 0; rank < point.wire.size(); ++rank) {
    if (point.wire.is_worker(rank) && point.wire.gpid(rank) == gpid) return rank;
  }
  return no_rank;
}

// Prints the origin's line. The origin learns of it by the answer and does what its program chose.
void say(runtime::World& world, const BridgeEndpoint& point, const pr::RefusedRequest& refused) {
  const TransportRank rank = find_worker(point, {refused.header.world, refused.header.target});
  const bool is_served = rank != no_rank && point.servers[static_cast<std::size_t>(rank)] == point.me;
  const std::uint64_t base = rank == no_rank ? 0 : point.wire.row(rank).base;
  const Gpid origin = point.wire.gpid(refused.from);
  const std::string call = runtime::call_name(refused.header);
  const void* address = is_served ? reinterpret_cast<const void*>(base + refused.fault.offset) : nullptr;
  runtime::Reporter::print(
      {.rank = static_cast<int>(origin.rank),
       .host = host_name(point.wire.row(refused.from)),
       .endpoint = runtime::endpoint_of(refused.header)},
      {call.c_str(), runtime::target_of(refused.header, origin.world), address},
      runtime::refusal_text(refused, is_served ? &arena_of(world, point, rank) : nullptr, base) +
          " (by worker " + std::to_string(origin.rank) + " of world " + std::to_string(origin.world) + ")");
}

using Slots = std::unordered_map<Worker, shm::HostSlot>;

}  // namespace

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

}  // namespace comex::worlds
