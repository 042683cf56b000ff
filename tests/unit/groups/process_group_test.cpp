// Who may hand pointers to whom: hosts whose arena stands at one address, and hosts where it does not.
#include "groups/process_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "groups/world_registry.h"

namespace comex::groups {
namespace {

// A directory with memory of its own: as many ranks as workers.
class Rows {
 public:
  Rows(const std::vector<WorkerPlace>& places, std::uint32_t hosts)
      : Rows({static_cast<std::uint32_t>(places.size()), static_cast<std::uint32_t>(places.size()), hosts}) {
    std::ranges::copy(places, directory.places().begin());
    directory.number_pointer_domains();
  }

 private:
  explicit Rows(const DirectoryShape& shape)
      : memory_(Directory::bytes(shape) / sizeof(std::uint64_t) + 1),
        directory(reinterpret_cast<std::byte*>(memory_.data()), shape) {}

  std::vector<std::uint64_t> memory_;

 public:
  const Directory directory;
};

std::vector<std::uint32_t> domains_of(const std::vector<WorkerPlace>& places, std::uint32_t hosts) {
  const Rows rows(places, hosts);
  const ProcessGroup group(0, rows.directory);
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

TEST(ProcessGroup, is_where_a_registry_finds_the_rows_of_the_own_world) {
  const Rows rows(
      {{.rank = 1, .host = 0, .slot = 1, .base = 8}, {.rank = 2, .host = 1, .slot = 0, .base = 16}}, 2);
  rows.directory.numbers()[1].node_rank = 5;
  const ProcessGroup group(7, rows.directory);
  const WorldRegistry registry({.id = 7, .size = 2, .launch = {}, .nonce = {}, .rows = {}}, 0, nullptr,
                               &group);
  const ConnectionData row = registry.connection_data({7, 1}).value();
  EXPECT_EQ(row.vpid, 2);
  EXPECT_EQ(row.local_rank, 0);
  EXPECT_EQ(row.node_rank, 5);
  EXPECT_FALSE(registry.worlds().front().rows);
  const WorldDescription shipped = registry.world(7).value();
  ASSERT_EQ(shipped.rows->size(), 2u);
  EXPECT_EQ((*shipped.rows)[1].vpid, 2);
}

}  // namespace
}  // namespace comex::groups
