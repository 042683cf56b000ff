#include "pr/setup/world_split.h"

#include <gtest/gtest.h>

#include "support/map_lookup.h"

namespace comex::pr {
namespace {

using Ranks = std::vector<int>;
using test::Environment;

// The whole way from the environment to the split.
Result<WorldSplit> split(const Ranks& hosts, const Environment& environment) {
  auto settings = parse_settings(test::lookup_in(environment));
  if (!settings) return settings.take_failure();
  return split_world(hosts, settings.value());
}

// Groups of all hosts, each as its ranks; and the progress ranks.
std::vector<Ranks> groups_of(const WorldSplit& world) {
  std::vector<Ranks> groups;
  const std::vector<RankPlace> places = world.places();
  for (const Host& host : world.hosts)
    for (std::size_t group = 0; group < host.progress_ranks.size(); ++group) {
      groups.emplace_back();
      for (const int rank : host.ranks)
        if (places[static_cast<std::size_t>(rank)].group == static_cast<int>(group))
          groups.back().push_back(rank);
    }
  return groups;
}

bool has(const WorldSplit& world, NoticeKind kind) {
  for (const SplitNotice& notice : world.notices)
    if (notice.kind == kind) return true;
  return false;
}

const char* const number = "GA_NUM_PROGRESS_RANKS_PER_NODE";
const char* const packed = "GA_PROGRESS_RANKS_DISTRIBUTION_PACKED";
const char* const cyclic = "GA_PROGRESS_RANKS_DISTRIBUTION_CYCLIC";
const char* const position = "COMEX_PROGRESS_RANK_POSITION";
const char* const cut = "COMEX_VIRTUAL_HOSTS";

Ranks one_host(int ranks) {
  return Ranks(static_cast<std::size_t>(ranks), 0);
}

struct Row {
  const char* what;
  Ranks hosts;
  Environment environment;
  std::vector<Ranks> groups;
  Ranks progress;
  Ranks workers;
};

std::vector<Row> original_examples() {
  return {
      {"one is the default", one_host(8), {}, {{0, 1, 2, 3, 4, 5, 6, 7}}, {7}, {0, 1, 2, 3, 4, 5, 6}},
      {"packed by number",
       one_host(8),
       {{number, "2"}, {packed, "1"}},
       {{0, 1, 2, 3}, {4, 5, 6, 7}},
       {3, 7},
       {0, 1, 2, 4, 5, 6}},
      {"packed by letter",
       one_host(8),
       {{number, "2"}, {packed, "Y"}},
       {{0, 1, 2, 3}, {4, 5, 6, 7}},
       {3, 7},
       {0, 1, 2, 4, 5, 6}},
      {"packed when neither is set",
       one_host(8),
       {{number, "2"}},
       {{0, 1, 2, 3}, {4, 5, 6, 7}},
       {3, 7},
       {0, 1, 2, 4, 5, 6}},
      {"cyclic",
       one_host(8),
       {{number, "2"}, {packed, "0"}, {cyclic, "1"}},
       {{0, 2, 4, 6}, {1, 3, 5, 7}},
       {6, 7},
       {0, 1, 2, 3, 4, 5}},
      {"cyclic alone",
       one_host(8),
       {{number, "2"}, {cyclic, "Yes"}},
       {{0, 2, 4, 6}, {1, 3, 5, 7}},
       {6, 7},
       {0, 1, 2, 3, 4, 5}},
      {"packed wins over cyclic",
       one_host(8),
       {{number, "2"}, {packed, "true"}, {cyclic, "true"}},
       {{0, 1, 2, 3}, {4, 5, 6, 7}},
       {3, 7},
       {0, 1, 2, 4, 5, 6}},
      {"four cyclic",
       one_host(8),
       {{number, "4"}, {cyclic, "on"}},
       {{0, 4}, {1, 5}, {2, 6}, {3, 7}},
       {4, 5, 6, 7},
       {0, 1, 2, 3}},
      {"four packed",
       one_host(8),
       {{number, "4"}},
       {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
       {1, 3, 5, 7},
       {0, 2, 4, 6}},
  };
}

std::vector<Row> uneven_rows() {
  return {
      {"remainder, packed", one_host(7), {{number, "2"}}, {{0, 1, 2, 3}, {4, 5, 6}}, {3, 6}, {0, 1, 2, 4, 5}},
      {"remainder, packed, three",
       one_host(8),
       {{number, "3"}},
       {{0, 1, 2}, {3, 4, 5}, {6, 7}},
       {2, 5, 7},
       {0, 1, 3, 4, 6}},
      {"remainder, cyclic, three",
       one_host(8),
       {{number, "3"}, {cyclic, "1"}},
       {{0, 3, 6}, {1, 4, 7}, {2, 5}},
       {5, 6, 7},
       {0, 1, 2, 3, 4}},
      {"a group may be its progress rank alone", one_host(3), {{number, "2"}}, {{0, 1}, {2}}, {1, 2}, {0}},
      {"smallest, packed",
       one_host(8),
       {{number, "2"}, {position, "smallest"}},
       {{0, 1, 2, 3}, {4, 5, 6, 7}},
       {0, 4},
       {1, 2, 3, 5, 6, 7}},
      {"smallest, cyclic",
       one_host(8),
       {{number, "2"}, {cyclic, "1"}, {position, "smallest"}},
       {{0, 2, 4, 6}, {1, 3, 5, 7}},
       {0, 1},
       {2, 3, 4, 5, 6, 7}},
      {"two hosts by blocks",
       {0, 0, 0, 0, 4, 4, 4, 4},
       {},
       {{0, 1, 2, 3}, {4, 5, 6, 7}},
       {3, 7},
       {0, 1, 2, 4, 5, 6}},
      {"two hosts round-robin",
       {0, 1, 0, 1, 0, 1, 0, 1},
       {{number, "2"}},
       {{0, 2}, {4, 6}, {1, 3}, {5, 7}},
       {2, 3, 6, 7},
       {0, 1, 4, 5}},
      {"two hosts round-robin, cyclic",
       {0, 1, 0, 1, 0, 1, 0, 1},
       {{number, "2"}, {cyclic, "1"}},
       {{0, 4}, {2, 6}, {1, 5}, {3, 7}},
       {4, 5, 6, 7},
       {0, 1, 2, 3}},
      {"uneven hosts, the second with one rank",
       {0, 0, 0, 0, 0, 5, 6, 6},
       {{number, "2"}},
       {{0, 1, 2}, {3, 4}, {6, 7}},
       {2, 4, 7},
       {0, 1, 3, 5, 6}},
      {"none", one_host(3), {{number, "0"}}, {}, {}, {0, 1, 2}},
      {"one rank", one_host(1), {}, {}, {}, {0}},
      {"more than the host can give", one_host(3), {{number, "1024"}}, {{0, 1}, {2}}, {1, 2}, {0}},
      {"two ranks asked for two", one_host(2), {{number, "2"}}, {{0, 1}}, {1}, {0}},
  };
}

std::vector<Row> virtual_rows() {
  return {
      {"two blocks of eight",
       one_host(8),
       {{cut, "2"}},
       {{0, 1, 2, 3}, {4, 5, 6, 7}},
       {3, 7},
       {0, 1, 2, 4, 5, 6}},
      {"the first blocks are longer",
       one_host(8),
       {{cut, "3"}},
       {{0, 1, 2}, {3, 4, 5}, {6, 7}},
       {2, 5, 7},
       {0, 1, 3, 4, 6}},
      {"a list", one_host(4), {{cut, "0,1,0,1"}}, {{0, 2}, {1, 3}}, {2, 3}, {0, 1}},
      {"a list in any order", one_host(4), {{cut, "9,9,3,3"}}, {{0, 1}, {2, 3}}, {1, 3}, {0, 2}},
      {"each real host is cut",
       {0, 1, 0, 1, 0, 1, 0, 1},
       {{cut, "2"}},
       {{0, 2}, {1, 3}, {4, 6}, {5, 7}},
       {2, 3, 6, 7},
       {0, 1, 4, 5}},
      {"more blocks than ranks", one_host(2), {{cut, "5"}}, {}, {}, {0, 1}},
  };
}

void expect_row(const Row& row) {
  SCOPED_TRACE(row.what);
  const auto world = split(row.hosts, row.environment);
  ASSERT_TRUE(world) << world.failure().text;
  EXPECT_EQ(groups_of(world.value()), row.groups);
  EXPECT_EQ(world->progress, row.progress);
  EXPECT_EQ(world->workers, row.workers);
}

TEST(WorldSplit, makes_the_groups_of_the_original_examples) {
  for (const Row& row : original_examples()) expect_row(row);
}

TEST(WorldSplit, copes_with_remainders_uneven_hosts_and_any_placement) {
  for (const Row& row : uneven_rows()) expect_row(row);
}

TEST(WorldSplit, cuts_hosts_into_virtual_ones) {
  for (const Row& row : virtual_rows()) expect_row(row);
}

// What must hold for every split, tried over many shapes.
void expect_sound(const WorldSplit& world, const Ranks& hosts, int wanted) {
  const std::vector<RankPlace> places = world.places();
  ASSERT_EQ(places.size(), hosts.size());
  int worker = 0;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const RankPlace& place = places[rank];
    const Host& host = world.hosts[static_cast<std::size_t>(place.host)];
    EXPECT_EQ(host.ranks[static_cast<std::size_t>(place.local_index)], static_cast<int>(rank));
    const std::size_t k = std::min(static_cast<std::size_t>(wanted), host.ranks.size() - 1);
    EXPECT_EQ(host.progress_ranks.size(), k);
    EXPECT_EQ(place.server >= 0, k > 0);
    if (k > 0) {
      const RankPlace& server = places[static_cast<std::size_t>(place.server)];
      EXPECT_EQ(server.role, Role::progress);
      EXPECT_EQ(server.host, place.host);
      EXPECT_EQ(server.group, place.group);
    }
    if (place.role == Role::worker) {
      EXPECT_EQ(place.worker, worker);
      EXPECT_EQ(world.workers[static_cast<std::size_t>(worker)], static_cast<int>(rank));
      ++worker;
    } else {
      EXPECT_EQ(place.worker, -1);
      EXPECT_EQ(place.server, static_cast<int>(rank));
    }
  }
  EXPECT_EQ(world.workers.size() + world.progress.size(), hosts.size());
}

TEST(WorldSplit, every_worker_has_a_server_on_its_host_and_numbers_follow_rank_order) {
  for (int ranks = 1; ranks <= 12; ++ranks)
    for (int real = 1; real <= 3; ++real)
      for (int wanted = 0; wanted <= 5; ++wanted)
        for (const char* distribution : {"0", "1"})
          for (const char* where : {"largest", "smallest"})
            for (const char* parts : {"1", "2", "3"}) {
              Ranks hosts;
              for (int rank = 0; rank < ranks; ++rank) hosts.push_back(rank % real);
              const auto world = split(hosts, {{number, std::to_string(wanted)},
                                               {cyclic, distribution},
                                               {position, where},
                                               {cut, parts}});
              ASSERT_TRUE(world);
              expect_sound(world.value(), hosts, wanted);
            }
}

TEST(WorldSplit, says_once_that_progress_ranks_were_lowered) {
  const auto world = split({0, 0, 0, 3, 3, 3}, {{number, "5"}});
  ASSERT_TRUE(world);
  ASSERT_TRUE(has(world.value(), NoticeKind::lowered));
  EXPECT_EQ(
      world->notices[0].text,
      "5 progress ranks per host asked for, but 2 hosts cannot give them: a host of 3 ranks gives 2 and "
      "keeps one worker");
  EXPECT_FALSE(has(split(one_host(3), {{number, "2"}}).value(), NoticeKind::lowered));
}

TEST(WorldSplit, says_that_workers_without_a_progress_rank_serve_themselves) {
  EXPECT_TRUE(has(split(one_host(3), {{number, "0"}}).value(), NoticeKind::self_served));
  const auto lone = split({0, 0, 0, 3}, {{number, "2"}});
  EXPECT_TRUE(has(lone.value(), NoticeKind::self_served));
  EXPECT_FALSE(has(split(one_host(3), {}).value(), NoticeKind::self_served));
}

TEST(WorldSplit, says_nothing_of_a_job_of_one_process) {
  for (const char* wanted : {"0", "1", "3"})
    EXPECT_TRUE(split(one_host(1), {{number, wanted}})->notices.empty()) << wanted;
}

TEST(WorldSplit, says_that_groups_are_uneven_and_progress_ranks_idle) {
  EXPECT_TRUE(has(split(one_host(7), {{number, "2"}}).value(), NoticeKind::uneven));
  EXPECT_FALSE(has(split(one_host(8), {{number, "2"}}).value(), NoticeKind::uneven));
  EXPECT_TRUE(has(split(one_host(3), {{number, "2"}}).value(), NoticeKind::idle));
  EXPECT_FALSE(has(split(one_host(4), {{number, "2"}}).value(), NoticeKind::idle));
}

TEST(WorldSplit, virtual_hosts_remember_their_machine) {
  const auto world = split({0, 0, 0, 0, 4, 4}, {{cut, "2"}});
  ASSERT_TRUE(world);
  Ranks machines;
  for (const Host& host : world->hosts) machines.push_back(host.real_host);
  EXPECT_EQ(machines, (Ranks{0, 0, 1, 1}));
}

// What the ranks of a machine find out by themselves is what the split of all makes of it.
TEST(WorldSplit, puts_each_rank_on_the_virtual_host_that_its_machine_knows) {
  for (const char* text : {"", "1", "2", "3", "9", "0,1,0,1", "3,0,0,7"}) {
    const VirtualHosts virtual_hosts = parse_virtual_hosts(text).value();
    const auto world = split({0, 1, 0, 1, 0, 1, 0, 1}, {{cut, text}});  // machines in turn
    ASSERT_TRUE(world) << text;
    const std::vector<RankPlace> places = world->places();
    for (int left = 0; left < 8; ++left) {
      for (int right = left % 2; right < 8; right += 2) {
        const bool together =
            places[static_cast<std::size_t>(left)].host == places[static_cast<std::size_t>(right)].host;
        EXPECT_EQ(together,
                  virtual_part(virtual_hosts, left / 2, 4) == virtual_part(virtual_hosts, right / 2, 4))
            << text << ": " << left << ", " << right;
      }
    }
  }
}

TEST(WorldSplit, lets_a_list_of_the_wrong_length_cut_nothing) {
  const VirtualHosts virtual_hosts = parse_virtual_hosts("0,1,0").value();
  for (int index = 0; index < 4; ++index) EXPECT_EQ(virtual_part(virtual_hosts, index, 4), 0);
}

TEST(WorldSplit, tells_a_machine_with_a_rank_alone_on_its_virtual_host) {
  const auto has_lone = [](const char* text, int ranks) {
    return has_lone_rank(parse_virtual_hosts(text).value(), ranks);
  };
  for (const auto& [text, ranks] :
       {std::pair("", 1), {"2", 1}, {"2", 2}, {"2", 3}, {"9", 4}, {"0,1,0", 3}, {"1,0", 2}})
    EXPECT_TRUE(has_lone(text, ranks)) << text << " of " << ranks;
  for (const auto& [text, ranks] :
       {std::pair("", 2), {"1", 2}, {"2", 4}, {"2", 5}, {"0,1,0,1", 4}, {"3,3", 2}})
    EXPECT_FALSE(has_lone(text, ranks)) << text << " of " << ranks;
}

TEST(WorldSplit, leaves_each_rank_its_own_host_and_the_counts) {
  const auto world = split({0, 0, 0, 0, 0, 0, 6, 6}, {{cut, "2"}});
  ASSERT_TRUE(world);
  const SplitShare share = share_of(world.value(), 1);  // the second half of a machine
  EXPECT_EQ(share.host.ranks, (Ranks{3, 4, 5}));
  EXPECT_EQ(share.host_workers(), (Ranks{3, 4}));
  EXPECT_EQ(share.place_of(5), world->places()[5]);
  EXPECT_EQ(share.virtual_host, 1u);
  EXPECT_EQ(share.ranks, 8u);
  EXPECT_EQ(share.hosts, 4u);
  EXPECT_EQ(share.workers, world->workers.size());
  EXPECT_EQ(share.servers, 4u);  // two progress ranks, and the two that are alone
  EXPECT_EQ(share.progress, 2u);
}

TEST(WorldSplit, refuses_a_list_of_virtual_hosts_of_the_wrong_length) {
  const auto world = split({0, 0, 0, 0, 4, 4, 4}, {{cut, "0,0,1,1"}});
  ASSERT_FALSE(world);
  EXPECT_NE(world.failure().text.find("lists 4 entries but the host of rank 4 has 3 ranks"),
            std::string::npos)
      << world.failure().text;
}

TEST(WorldSplit, refuses_virtual_hosts_that_are_no_number_and_no_list) {
  for (const char* text :
       {"0", "-1", "x", "2x", ",", "0,", ",0", "0,,1", "0,-1", "0;1", "1.5", "99999999999"})
    EXPECT_FALSE(parse_virtual_hosts(text)) << text;
  EXPECT_FALSE(split({0, 0}, {{cut, "x"}}));
}

TEST(WorldSplit, refuses_a_world_of_no_ranks) {
  EXPECT_FALSE(split({}, {}));
}

}  // namespace
}  // namespace comex::pr
