// Who serves whom on a bridge's wire, and whose memory is in whose address space.
#include "worlds/bridge/bridge_map.h"

#include <gtest/gtest.h>

namespace comex::worlds {
namespace {

// One world's rank: its number there, and who serves it there (itself, another, or it is a progress rank).
BridgeRow row(WorldId world, TransportRank own_rank, TransportRank own_server, bool is_worker,
              const char* machine, std::uint32_t virtual_host = 0) {
  BridgeRow made;
  made.world = world;
  made.worker = static_cast<Worker>(own_rank);
  made.own_rank = own_rank;
  made.own_server = own_server;
  made.is_worker = is_worker ? 1 : 0;
  made.slot = static_cast<std::uint32_t>(own_rank);
  made.virtual_host = virtual_host;
  made.host = virtual_host;
  made.chunk_bytes = 4096 * (world + 1);
  made.machine = pr::make_host_key_from_text(machine);
  return made;
}

using Ranks = std::vector<TransportRank>;

TEST(BridgeMap, a_worker_is_served_by_the_progress_rank_of_its_own_world) {
  const BridgeMap wire(
      {row(0, 0, 2, true, "a"), row(0, 2, 2, false, "a"), row(1, 0, 1, true, "a"), row(1, 1, 1, false, "a")});
  const std::vector<BridgeMap::Attached> all(4, 1);
  EXPECT_EQ(wire.servers(all), (Ranks{1, no_rank, 3, no_rank}));
  EXPECT_EQ(wire.workers(), (Ranks{0, 2}));
}

TEST(BridgeMap, a_worker_without_one_is_served_by_one_of_another_world_that_has_its_arena) {
  const BridgeMap wire(
      {row(0, 0, 1, true, "a"), row(0, 1, 1, false, "a"), row(1, 0, 0, true, "a"), row(1, 1, 1, true, "a")});
  EXPECT_EQ(wire.servers(std::vector<BridgeMap::Attached>{1, 1, 1, 1}), (Ranks{1, no_rank, 1, 1}));
  EXPECT_EQ(wire.servers(std::vector<BridgeMap::Attached>{1, 0, 1, 1}), (Ranks{1, no_rank, 2, 3}));
}

TEST(BridgeMap, workers_without_one_are_shared_among_those_who_can_serve_them) {
  const BridgeMap wire({row(0, 0, 1, true, "a"), row(0, 1, 1, false, "a"), row(0, 2, 2, false, "a"),
                        row(1, 0, 0, true, "a"), row(1, 1, 1, true, "a")});
  EXPECT_EQ(wire.servers(std::vector<BridgeMap::Attached>(5, 1)), (Ranks{1, no_rank, no_rank, 1, 2}));
}

TEST(BridgeMap, a_progress_rank_that_stayed_away_serves_nobody) {
  const BridgeMap wire({row(0, 0, 9, true, "a"), row(1, 0, 0, true, "b")});
  EXPECT_EQ(wire.servers(std::vector<BridgeMap::Attached>{0, 0}), (Ranks{0, 1}));
}

TEST(BridgeMap, memory_of_another_machine_or_virtual_host_is_out_of_reach) {
  const BridgeMap wire({row(0, 0, 0, true, "a"), row(1, 0, 0, true, "b"), row(2, 0, 0, true, "a", 1),
                        row(3, 0, 0, true, "a"), row(3, 1, 1, true, "a"), row(0, 1, 1, true, "a")});
  EXPECT_EQ(wire.guest_arenas(0), (Ranks{3}));
  EXPECT_EQ(wire.guest_arenas(1), Ranks());
  EXPECT_EQ(wire.guest_arenas(2), Ranks());
  EXPECT_EQ(wire.guest_arenas(4), (Ranks{0}));
  EXPECT_TRUE(wire.same_arena(3, 4));
}

TEST(BridgeMap, bodies_travel_in_chunks_that_all_can_take) {
  const BridgeMap wire({row(4, 0, 0, true, "a"), row(1, 0, 0, true, "b"), row(2, 0, 0, true, "c")});
  EXPECT_EQ(wire.chunk_bytes(), 8192u);
}

TEST(BridgeMap, neighbours_are_all_ranks_of_a_machine_whatever_its_virtual_hosts) {
  const BridgeMap wire({row(0, 0, 0, true, "a"), row(1, 0, 0, true, "b"), row(0, 1, 0, true, "a", 1),
                        row(0, 2, 0, false, "a")});
  EXPECT_EQ(wire.neighbours(0), (std::vector<TransportRank>{0, 2, 3}));
  EXPECT_EQ(wire.neighbours(1), std::vector<TransportRank>{1});
}

TEST(BridgeMap, spans_machines_where_not_all_ranks_are_of_one_virtual_hosts_or_not) {
  EXPECT_FALSE(BridgeMap({row(0, 0, 0, true, "a"), row(1, 0, 0, true, "a", 1)}).spans_machines());
  EXPECT_TRUE(BridgeMap({row(0, 0, 0, true, "a"), row(1, 0, 0, true, "b")}).spans_machines());
}

TEST(BridgeMap, every_server_has_the_room_that_the_least_of_them_has) {
  std::vector<BridgeRow> rows = {row(4, 0, 0, true, "a"), row(1, 0, 0, true, "b"), row(2, 0, 0, true, "c")};
  for (BridgeRow& each : rows) each.staging_reserve = 1000 * (each.world + 1);
  EXPECT_EQ(BridgeMap(rows).staging_reserve(), 2000u);
}

}  // namespace
}  // namespace comex::worlds
