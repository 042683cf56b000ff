// Which way leads to a process of another world: by lpid, which is given again when the world is gone.
#include "worlds/bridge/peers.h"

#include <gtest/gtest.h>

namespace comex::worlds {
namespace {

constexpr Lpid lpid = 4;

BridgePeer peer_over(BridgeId bridge, Gpid gpid) {
  BridgePeer peer;
  peer.bridge = bridge;
  peer.gpid = gpid;
  return peer;
}

// The bridge on the way to it; no_bridge: no way.
BridgeId way_to(const Peers& peers, Lpid process) {
  BridgePeer found;
  return peers.find(process, found) ? found.bridge : no_bridge;
}

TEST(Peers, are_reached_over_the_oldest_bridge) {
  Peers peers;
  peers.add(lpid, peer_over(1, {7, 0}));
  peers.add(lpid, peer_over(2, {7, 0}));
  EXPECT_EQ(way_to(peers, lpid), 1U);
  peers.remove(1);
  EXPECT_EQ(way_to(peers, lpid), 2U);
}

TEST(Peers, are_reached_over_the_next_when_they_have_left_the_oldest_and_others_have_not) {
  Peers peers;
  constexpr Lpid who_stays = lpid + 1;
  for (const Lpid each : {lpid, who_stays}) {
    peers.add(each, peer_over(1, {7, static_cast<std::uint32_t>(each)}));
    peers.add(each, peer_over(2, {7, static_cast<std::uint32_t>(each)}));
  }
  peers.remove(1, lpid);
  EXPECT_EQ(way_to(peers, lpid), 2U);
  EXPECT_EQ(way_to(peers, who_stays), 1U);
  peers.remove(2, lpid);
  EXPECT_EQ(way_to(peers, lpid), no_bridge);
}

TEST(Peers, are_reached_over_another_bridge_when_one_is_lost) {
  Peers peers;
  peers.add(lpid, peer_over(1, {7, 0}));
  peers.lose(1);
  EXPECT_EQ(way_to(peers, lpid), 1U);
  peers.add(lpid, peer_over(2, {7, 0}));
  EXPECT_EQ(way_to(peers, lpid), 2U);
}

TEST(Peers, have_lost_a_world_when_no_other_bridge_leads_there) {
  Peers peers;
  constexpr Lpid of_another_world = lpid + 1;
  peers.add(lpid, peer_over(1, {7, 0}));
  peers.add(lpid, peer_over(2, {7, 0}));
  peers.add(of_another_world, peer_over(1, {8, 0}));
  EXPECT_EQ(peers.why_lost(7), "");
  peers.lose(1);
  peers.lose_world(7, "it has died");
  EXPECT_EQ(peers.why_lost(7), "") << "the other bridge has not been heard of";
  EXPECT_EQ(peers.why_lost(8), "") << "only the bridge to it is lost";
  peers.lose(2);
  EXPECT_EQ(peers.why_lost(7), "it has died");
  peers.remove(1);
  peers.remove(2);
  EXPECT_EQ(peers.why_lost(7), "it has died") << "those bridges are left since";
  peers.add(lpid, peer_over(3, {7, 0}));
  EXPECT_EQ(peers.why_lost(7), "") << "they have met again";
  peers.lose(3);
  peers.freed(7);
  EXPECT_EQ(peers.why_lost(7), "") << "it is forgotten";
}

TEST(Peers, are_not_taken_for_who_had_their_lpid_before_on_a_bridge_that_is_still_open) {
  Peers peers;
  groups::WorldDescription own;
  own.id = 1;
  own.size = 4;
  groups::WorldDescription other = own;
  other.id = 7;
  groups::WorldRegistry registry(own, 0, [&](WorldId world) { peers.freed(world); });
  ASSERT_TRUE(registry.add_world(other));
  const Gpid first{7, 0};
  const Gpid next{7, 1};
  ASSERT_EQ(registry.admit(std::span(&first, 1)).value().front(), lpid);
  peers.add(lpid, peer_over(1, first));
  registry.make_table(std::span(&lpid, 1)).disconnect();
  EXPECT_EQ(way_to(peers, lpid), no_bridge);

  ASSERT_TRUE(registry.add_world(other));
  ASSERT_EQ(registry.admit(std::span(&next, 1)).value().front(), lpid);
  peers.add(lpid, peer_over(2, next));
  EXPECT_EQ(way_to(peers, lpid), 2U);
}

}  // namespace
}  // namespace comex::worlds
