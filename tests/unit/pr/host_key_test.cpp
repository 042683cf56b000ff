#include "pr/setup/host_key.h"

#include <gtest/gtest.h>

#include <string>

namespace comex::pr {
namespace {

using Ranks = std::vector<int>;

HostKey named(const char* name) {
  return make_host_key(name, 7, 25);
}

TEST(HostKey, differs_when_any_fact_differs) {
  const HostKey key = make_host_key("node1", 7, 25);
  EXPECT_EQ(key, make_host_key("node1", 7, 25));
  EXPECT_NE(key, make_host_key("node2", 7, 25));
  EXPECT_NE(key, make_host_key("node1", 8, 25));
  EXPECT_NE(key, make_host_key("node1", 7, 26));
}

TEST(HostKey, long_names_differ_past_the_part_that_fits) {
  const std::string stem(200, 'n');
  EXPECT_NE(named((stem + "1").c_str()), named((stem + "2").c_str()));
}

TEST(HostKey, a_given_key_is_never_one_made_from_facts) {
  EXPECT_EQ(make_host_key_from_text("a"), make_host_key_from_text("a"));
  EXPECT_NE(make_host_key_from_text("a"), make_host_key_from_text("b"));
  EXPECT_NE(make_host_key_from_text("a"), make_host_key("a", 0, 0));
}

TEST(HostKey, has_a_short_number_that_every_byte_of_it_changes) {
  const HostKey key = named("node1");
  EXPECT_EQ(key_hash(key), key_hash(named("node1")));
  for (std::size_t i = 0; i < sizeof key; ++i) {
    HostKey other = key;
    reinterpret_cast<unsigned char*>(&other)[i] ^= 0x80;
    EXPECT_NE(key_hash(other), key_hash(key)) << i;
    EXPECT_GE(key_hash(other), 0);
  }
}

TEST(HostKey, the_lowest_rank_of_equal_keys_leads) {
  const std::vector<HostKey> keys = {named("b"), named("a"), named("b"), named("c"), named("a"), named("b")};
  EXPECT_EQ(first_probe_round(keys).leader, (Ranks{0, 1, 0, 3, 1, 0}));
  EXPECT_EQ(first_probe_round({}).leader, Ranks{});
}

TEST(HostProbe, is_done_at_once_when_every_rank_is_alone) {
  const std::vector<HostKey> keys = {named("a"), named("b")};
  EXPECT_TRUE(first_probe_round(keys).done);
}

TEST(HostProbe, settles_a_host_that_all_its_ranks_attach_to) {
  const std::vector<HostKey> keys(4, named("a"));
  const ProbeRound first = first_probe_round(keys);
  EXPECT_FALSE(first.done);
  const ProbeRound next = next_probe_round(first, std::vector<unsigned char>{1, 1, 1, 1});
  EXPECT_TRUE(next.done);
  EXPECT_EQ(next.leader, (Ranks{0, 0, 0, 0}));
}

// Runs all rounds; ranks can attach to each other when they are on the same true host.
Ranks probed(const std::vector<HostKey>& keys, const Ranks& true_host, int& rounds) {
  ProbeRound round = first_probe_round(keys);
  for (rounds = 0; !round.done && rounds < 100; ++rounds) {
    std::vector<unsigned char> attached(keys.size());
    for (std::size_t rank = 0; rank < keys.size(); ++rank)
      attached[rank] = true_host[rank] == true_host[static_cast<std::size_t>(round.leader[rank])] ? 1 : 0;
    round = next_probe_round(round, attached);
  }
  return round.leader;
}

TEST(HostProbe, tells_hosts_with_colliding_keys_apart) {
  int rounds = 0;
  const std::vector<HostKey> keys(7, named("localhost"));
  EXPECT_EQ(probed(keys, {5, 6, 5, 7, 6, 7, 5}, rounds), (Ranks{0, 1, 0, 3, 1, 3, 0}));
  EXPECT_EQ(rounds, 3);
}

TEST(HostProbe, never_joins_ranks_whose_keys_differ) {
  int rounds = 0;
  const std::vector<HostKey> keys = {named("a"), named("b"), named("a"), named("b")};
  EXPECT_EQ(probed(keys, {0, 0, 0, 0}, rounds), (Ranks{0, 1, 0, 1}));
}

TEST(HostProbe, ends_even_when_nobody_can_attach_to_anybody) {
  int rounds = 0;
  const std::vector<HostKey> keys(5, named("a"));
  EXPECT_EQ(probed(keys, {0, 1, 2, 3, 4}, rounds), (Ranks{0, 1, 2, 3, 4}));
  EXPECT_LE(rounds, 5);
}

TEST(HostProbe, a_rank_once_settled_is_not_moved) {
  const std::vector<HostKey> keys(3, named("a"));
  ProbeRound round = next_probe_round(first_probe_round(keys), std::vector<unsigned char>{1, 1, 0});
  EXPECT_FALSE(round.done);
  round = next_probe_round(round, std::vector<unsigned char>{0, 0, 1});
  EXPECT_TRUE(round.done);
  EXPECT_EQ(round.leader, (Ranks{0, 0, 2}));
}

}  // namespace
}  // namespace comex::pr
