// Who may hand pointers to whom: hosts whose arena stands at one address, and hosts where it does not.
#include "groups/process_group.h"

#include <gtest/gtest.h>

namespace comex::groups {
namespace {

std::vector<std::uint32_t> domains_of(const std::vector<WorkerPlace>& places, std::size_t hosts) {
  const ProcessGroup group(0, places, std::vector<std::string>(hosts, "host"));
  std::vector<std::uint32_t> found;
  for (Worker worker = 0; worker < group.size(); ++worker) found.push_back(group.pointer_domain(worker));
  return found;
}

TEST(ProcessGroup, numbers_pointer_domains_as_hosts_where_the_arena_has_one_address) {
  // Two hosts may well use the same address.
  EXPECT_EQ(domains_of({{.host = 0, .base = 8}, {.host = 1, .base = 8}, {.host = 0, .base = 8}}, 2),
            (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(ProcessGroup, parts_workers_of_a_host_that_see_the_arena_at_different_addresses) {
  EXPECT_EQ(domains_of({{.host = 0, .base = 8},
                        {.host = 0, .base = 16},
                        {.host = 1, .base = 16},
                        {.host = 0, .base = 24},
                        {.host = 0, .base = 16}},
                       2),
            (std::vector<std::uint32_t>{0, 2, 1, 3, 2}));
}

}  // namespace
}  // namespace comex::groups
