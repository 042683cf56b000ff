#include "runtime/statistics.h"

#include <gtest/gtest.h>

#include <vector>

namespace comex::runtime {
namespace {

using activity::Kind;

// Two workers of one host and its progress rank, which has another host beside it.
class Blocks {
 public:
  struct alignas(64) Board {
    std::byte bytes[activity::bytes_for(3, 2)] = {};
    activity::Block& block() { return *reinterpret_cast<activity::Block*>(bytes); }
    const activity::Peer* peers() const {
      return reinterpret_cast<const activity::Peer*>(bytes + sizeof(activity::Block));
    }
  };
  Blocks() {
    for (std::size_t slot = 0; slot < boards.size(); ++slot) {
      activity::Owner& owner = boards[slot].block().owner;
      owner.rank.set(slot);
      owner.worker.set(slot == 2 ? 0 : slot + 1);
      owner.since_ns.set(1000);
      owner.slots.set(3);
      owner.slot.set(slot);
      owner.peers.set(activity::peers_for(3, 2));
    }
  }
  activity::Recorder recorder(std::size_t slot) { return {boards[slot].bytes, 3, 2, true}; }
  JobTotals totals(std::uint64_t now_ns = 2'001'000) {
    JobTotals sum;
    sum.hosts = 1;
    for (Board& board : boards) add_rank(sum, board.block(), board.peers(), now_ns);
    return sum;
  }

  std::array<Board, 3> boards;
};

Amount of(const JobTotals& totals, Kind kind, Locality locality) {
  return totals.operations[static_cast<std::size_t>(kind)][static_cast<std::size_t>(locality)];
}

TEST(Statistics, adds_operations_up_by_route) {
  Blocks blocks;
  blocks.recorder(0).count_near(Kind::put, 0, 8);
  blocks.recorder(0).count_near(Kind::put, 1, 16);
  blocks.recorder(1).count_near(Kind::put, 0, 32);
  blocks.recorder(1).count_far(Kind::get, 1, 64);
  blocks.recorder(1).count_other_world(Kind::rmw, 8);
  const JobTotals totals = blocks.totals();
  EXPECT_EQ(of(totals, Kind::put, Locality::self).amount, 8u);
  EXPECT_EQ(of(totals, Kind::put, Locality::same_host).amount, 48u);
  EXPECT_EQ(of(totals, Kind::put, Locality::same_host).count, 2u);
  EXPECT_EQ(of(totals, Kind::get, Locality::other_host).amount, 64u);
  EXPECT_EQ(of(totals, Kind::rmw, Locality::other_world).count, 1u);
  EXPECT_EQ(totals.sizes[0][activity::class_of(16)], 2u);  // with the 8 bytes
  EXPECT_EQ(totals.bytes.ranks, 2u);
  EXPECT_EQ(totals.bytes.least, 24u);
  EXPECT_EQ(totals.bytes.most, 104u);
  EXPECT_EQ(totals.bytes.most_rank, 1);
}

TEST(Statistics, merges_hosts_and_keeps_who_had_least_and_most) {
  Spread low;
  low.add(3, 30);
  low.add(4, 10);
  Spread high;
  high.add(9, 50);
  low.merge(high);
  low.merge(Spread());
  EXPECT_EQ(low.sum, 90u);
  EXPECT_EQ(low.least_rank, 4);
  EXPECT_EQ(low.most_rank, 9);
  EXPECT_DOUBLE_EQ(low.mean(), 30);
}

TEST(Statistics, a_busy_progress_rank_suggests_more_of_them) {
  Blocks blocks;
  blocks.recorder(0).count_far(Kind::get, 1, 8);
  blocks.boards[2].block().served.busy_ns.set(1'600'000);  // of 2,000,000
  const auto found = suggestions(blocks.totals(), Settings{});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].setting, "GA_NUM_PROGRESS_RANKS_PER_NODE=2");
  EXPECT_NE(found[0].reason.find("progress rank 2 was busy for 80 %"), std::string::npos);
}

TEST(Statistics, a_job_that_never_leaves_its_host_needs_no_progress_rank) {
  Blocks blocks;
  blocks.recorder(0).count_near(Kind::get, 1, 8);
  const auto found = suggestions(blocks.totals(), Settings{});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].setting, "GA_NUM_PROGRESS_RANKS_PER_NODE=0");
  Settings goes_on;
  goes_on.on_failure = OnFailure::go_on;  // which takes one on every host
  for (const Suggestion& each : suggestions(blocks.totals(), goes_on))
    EXPECT_NE(each.setting, "GA_NUM_PROGRESS_RANKS_PER_NODE=0");
}

TEST(Statistics, suggests_by_what_workers_wait_for) {
  Blocks blocks;
  blocks.recorder(0).count_far(Kind::get, 1, 8);
  blocks.boards[2].block().served.busy_ns.set(400'000);
  blocks.recorder(0).end_wait(0, {.waiting = activity::Waiting::data}, 0, 1'000'000);
  blocks.recorder(1).end_wait(0, {.waiting = activity::Waiting::members}, 0, 1'900'000);
  JobTotals totals = blocks.totals();
  totals.oversubscribed_hosts = 1;
  std::vector<std::string> settings;
  for (const Suggestion& each : suggestions(totals, Settings{})) settings.push_back(each.setting);
  EXPECT_EQ(settings, (std::vector<std::string>{"COMEX_NAP_MAX_US=200", "fewer workers on each host"}));
}

TEST(Statistics, suggests_neither_what_is_set_nor_what_takes_more_cores_than_there_are) {
  Blocks blocks;
  blocks.recorder(0).count_far(Kind::get, 1, 8);
  blocks.boards[2].block().served.busy_ns.set(1'600'000);
  blocks.recorder(1).end_wait(0, {.waiting = activity::Waiting::members}, 0, 1'900'000);
  JobTotals totals = blocks.totals();
  const auto suggests = [&](const std::string& setting, const Settings& settings) {
    const auto found = suggestions(totals, settings);
    return std::ranges::find(found, setting, &Suggestion::setting) != found.end();
  };
  Settings spins;
  spins.wait = WaitMode::spin;
  EXPECT_TRUE(suggests("COMEX_WAIT=spin", Settings{}));
  EXPECT_FALSE(suggests("COMEX_WAIT=spin", spins));
  EXPECT_TRUE(suggests("GA_NUM_PROGRESS_RANKS_PER_NODE=2", Settings{}));
  totals.oversubscribed_hosts = 1;
  EXPECT_FALSE(suggests("COMEX_WAIT=spin", Settings{}));
  EXPECT_FALSE(suggests("GA_NUM_PROGRESS_RANKS_PER_NODE=2", Settings{}));
}

TEST(Statistics, table_and_json_tell_the_figures) {
  Blocks blocks;
  blocks.recorder(0).count_near(Kind::acc, 1, 4096);
  blocks.recorder(0).end_wait(0, {.waiting = activity::Waiting::fence}, 0, 500'000);
  const JobTotals totals = blocks.totals();
  const std::string text = statistics_text(totals, Settings{});
  for (const char* part : {"2 workers and 1 progress ranks on 1 hosts, 2.00 ms", "4.00 KiB", "fences",
                           "500 us", "12.5 % of all"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string json = statistics_json(totals, Settings{});
  for (const char* part :
       {"\"workers\": 2",
        "\"acc\": {\"self\": {\"count\": 0, \"bytes\": 0}, \"same_host\": {\"count\": 1, \"bytes\": 4096}",
        "\"fence\": {\"count\": 1, \"seconds\": 0.000500}"})
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
}

TEST(Statistics, workers_that_serve_other_hosts_themselves_may_want_a_progress_rank) {
  Blocks blocks;
  blocks.recorder(0).count_far(Kind::get, 1, 8);
  JobTotals totals = blocks.totals();
  totals.requests = {};  // nobody but the workers has served
  Settings none;
  none.progress_ranks = 0;
  const auto found = suggestions(totals, none);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].setting, "GA_NUM_PROGRESS_RANKS_PER_NODE=1");
  EXPECT_EQ(found[0].reason,
            "workers serve operations of other hosts beside their own work");  // thread or not
  for (const Suggestion& each : suggestions(totals, Settings{}))  // 1 is set: hosts of one rank have no other
    EXPECT_NE(each.setting, "GA_NUM_PROGRESS_RANKS_PER_NODE=1");
}

}  // namespace
}  // namespace comex::runtime
