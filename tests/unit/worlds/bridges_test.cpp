// How processes of other worlds are found: by lpid, which is given again when the world is gone. The bridges
// here have no wire.
#include "worlds/bridge/bridges.h"

#include <gtest/gtest.h>

#include "groups/world_registry.h"

namespace comex::worlds {
namespace {

constexpr Lpid lpid = 4;

runtime::Reach peer_of(Gpid gpid) {
  runtime::Reach peer;
  peer.gpid = gpid;
  return peer;
}

BridgeId add(Bridges& bridges, BridgePeers peers) {
  return bridges.add(nullptr, std::move(peers));
}

// The bridge on the way to it; no_bridge: no way.
BridgeId way_to(const Bridges& bridges, Lpid process) {
  runtime::Reach found;
  return bridges.find_peer(process, found) ? found.bridge : no_bridge;
}

TEST(Bridges, lead_to_a_process_over_the_oldest) {
  Bridges bridges;
  const BridgeId first = add(bridges, {{lpid, peer_of({7, 0})}});
  const BridgeId next = add(bridges, {{lpid, peer_of({7, 0})}});
  EXPECT_EQ(way_to(bridges, lpid), first);
  bridges.remove(first);
  EXPECT_EQ(way_to(bridges, lpid), next);
}

TEST(Bridges, lead_over_the_next_to_one_that_has_left_the_oldest_where_others_stay) {
  Bridges bridges;
  constexpr Lpid who_stays = lpid + 1;
  const BridgePeers both{{lpid, peer_of({7, 0})}, {who_stays, peer_of({7, 1})}};
  const BridgeId first = add(bridges, both);
  const BridgeId next = add(bridges, both);
  bridges.forget_peer(first, lpid);
  EXPECT_EQ(way_to(bridges, lpid), next);
  EXPECT_EQ(way_to(bridges, who_stays), first);
  bridges.forget_peer(next, lpid);
  EXPECT_EQ(way_to(bridges, lpid), no_bridge);
}

TEST(Bridges, lead_over_another_when_one_is_lost) {
  Bridges bridges;
  const BridgeId first = add(bridges, {{lpid, peer_of({7, 0})}});
  bridges.lose(first, 7, "it has died");
  EXPECT_EQ(way_to(bridges, lpid), first);
  const BridgeId second = add(bridges, {{lpid, peer_of({7, 0})}});
  EXPECT_EQ(way_to(bridges, lpid), second);
  bridges.lose(second, 7, "it has died");
  EXPECT_EQ(way_to(bridges, lpid), first) << "all are lost";
}

TEST(Bridges, have_lost_a_world_when_no_other_leads_there) {
  Bridges bridges;
  constexpr Lpid of_another_world = lpid + 1;
  const BridgeId first = add(bridges, {{lpid, peer_of({7, 0})}, {of_another_world, peer_of({8, 0})}});
  const BridgeId second = add(bridges, {{lpid, peer_of({7, 0})}});
  EXPECT_EQ(bridges.why_world_lost(7), "");
  EXPECT_TRUE(bridges.lose(first, 7, "it has died"));
  EXPECT_EQ(bridges.why_lost(first), "it has died");
  EXPECT_EQ(bridges.why_lost(second), "");
  EXPECT_EQ(bridges.why_world_lost(7), "") << "the other bridge has not been heard of";
  EXPECT_EQ(bridges.why_world_lost(8), "") << "only the bridge to it is lost";
  EXPECT_FALSE(bridges.lose(second, 7, "it has died")) << "this was told";
  EXPECT_EQ(bridges.why_world_lost(7), "it has died");
  bridges.remove(first);
  bridges.remove(second);
  EXPECT_EQ(bridges.why_world_lost(7), "it has died") << "those bridges are left since";
  const BridgeId third = add(bridges, {{lpid, peer_of({7, 0})}});
  EXPECT_EQ(bridges.why_world_lost(7), "") << "they have met again";
  EXPECT_TRUE(bridges.lose(third, 7, "it has died again"));
  EXPECT_EQ(bridges.why_world_lost(7), "it has died again");
  bridges.freed(7);
  EXPECT_EQ(bridges.why_world_lost(7), "") << "it is forgotten";
}

TEST(Bridges, are_lost_once_and_with_one_world) {
  Bridges bridges;
  const BridgeId only = add(bridges, {{lpid, peer_of({7, 0})}, {lpid + 1, peer_of({8, 0})}});
  EXPECT_TRUE(bridges.lose(only, 7, "7 has died"));
  EXPECT_TRUE(bridges.lose(only, 8, "8 has died")) << "it is told as well";
  EXPECT_FALSE(bridges.lose(only, 8, "8 has died"));
  EXPECT_EQ(bridges.why_lost(only), "7 has died");
  EXPECT_EQ(bridges.why_world_lost(8), "8 has died");
}

TEST(Bridges, do_not_lead_to_who_had_an_lpid_before_though_one_is_still_open) {
  Bridges bridges;
  groups::WorldDescription own;
  own.id = 1;
  own.size = 4;
  groups::WorldDescription other = own;
  other.id = 7;
  groups::WorldRegistry registry(own, 0, [&](WorldId world) { bridges.freed(world); });
  ASSERT_TRUE(registry.add_world(other));
  const Gpid first{7, 0};
  const Gpid next{7, 1};
  ASSERT_EQ(registry.admit(std::span(&first, 1)).value().front(), lpid);
  add(bridges, {{lpid, peer_of(first)}});
  registry.make_table(std::span(&lpid, 1)).disconnect();
  EXPECT_EQ(way_to(bridges, lpid), no_bridge);

  ASSERT_TRUE(registry.add_world(other));
  ASSERT_EQ(registry.admit(std::span(&next, 1)).value().front(), lpid);
  const BridgeId second = add(bridges, {{lpid, peer_of(next)}});
  EXPECT_EQ(way_to(bridges, lpid), second);
}

TEST(Bridges, keep_the_freed_groups_of_each_until_it_or_their_world_is_gone) {
  Bridges bridges;
  const BridgeId first = add(bridges, {});
  const BridgeId next = add(bridges, {});
  const auto has_any = [&](BridgeId id) {
    return bridges.with_freed_groups(id, [](const FreedGroups& freed) { return freed.has_any(); });
  };
  for (const BridgeId id : {first, next})
    bridges.with_freed_groups(id, [](FreedGroups& freed) { freed.add({{1, 0}, {7, 0}}); });
  bridges.remove(first);
  EXPECT_FALSE(has_any(first));
  EXPECT_TRUE(has_any(next));
  bridges.freed(7);
  EXPECT_FALSE(has_any(next));
}

}  // namespace
}  // namespace comex::worlds
