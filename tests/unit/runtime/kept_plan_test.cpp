#include "runtime/kept/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace comex::runtime {
namespace {

using Ranks = std::vector<std::uint32_t>;

struct Row {
  Ranks hosts;  // of the members
  Ranks homes;  // of the parts
  std::uint32_t copies;
  Ranks mirrors;
};

TEST(KeptPlan, puts_mirrors_where_the_table_says) {
  const Row rows[] = {
      {{0, 0, 1, 1}, {0, 1, 2, 3}, 1, {2, 3, 0, 1}},
      {{5, 9, 5, 9}, {0, 1, 2, 3}, 1, {1, 0, 3, 2}},
      {{0, 0, 0, 1}, {0, 1, 2, 3}, 1, {3, 3, 3, 0}},
      // The parts of a host are spread over the others.
      {{0, 0, 1, 1, 2, 2}, {0, 1, 2, 3, 4, 5}, 1, {2, 4, 5, 0, 1, 3}},
      {{0, 1, 2}, {0, 1, 2}, 2, {1, 2, 2, 0, 0, 1}},
      // After a loss a member may have several parts, and another one none.
      {{0, 0, 1}, {0, 1, 0, 0}, 1, {2, 2, 2, 2}},
      {{0, 0}, {0, 1}, 0, {}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(choose_mirrors(row.hosts, row.homes, row.copies), row.mirrors);
  }
}

TEST(KeptPlan, has_copies_on_hosts_of_their_own_and_spreads_them) {
  for (std::uint32_t hosts = 2; hosts < 7; ++hosts) {
    for (std::uint32_t each = 1; each < 5; ++each) {
      Ranks host_of;
      for (std::uint32_t member = 0; member < hosts * each; ++member) host_of.push_back(member % hosts);
      Ranks homes(host_of.size());
      std::iota(homes.begin(), homes.end(), 0U);
      for (std::uint32_t copies = 1; copies < hosts; ++copies) {
        const Ranks mirrors = choose_mirrors(host_of, homes, copies);
        ASSERT_EQ(mirrors.size(), homes.size() * copies);
        Ranks held(host_of.size());
        for (std::size_t part = 0; part < homes.size(); ++part) {
          std::set<std::uint32_t> used{host_of[homes[part]]};
          for (std::uint32_t copy = 0; copy < copies; ++copy) {
            const std::uint32_t mirror = mirrors[part * copies + copy];
            EXPECT_TRUE(used.insert(host_of[mirror]).second) << "two copies on one host";
            ++held[mirror];
          }
        }
        const auto [least, most] = std::ranges::minmax(held);
        EXPECT_LE(most - least, 2 * copies) << hosts << " hosts of " << each << ", " << copies << " copies";
      }
    }
  }
}

TEST(KeptPlan, gives_lost_parts_to_those_with_the_fewest) {
  Ranks homes{0, no_home, 1, no_home, no_home};
  find_homes(homes, 3);  // member 2 is new
  EXPECT_EQ(homes, (Ranks{0, 2, 1, 0, 1}));
  EXPECT_EQ(count_hosts(Ranks{4, 4, 2, 4}), 2u);
}

}  // namespace
}  // namespace comex::runtime
