// The rows of a world, as a registry reads them.
#include "groups/directory.h"

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
  }

 private:
  explicit Rows(const DirectoryShape& shape)
      : memory_(Directory::bytes(shape) / sizeof(std::uint64_t) + 1),
        directory(reinterpret_cast<std::byte*>(memory_.data()), shape) {}

  std::vector<std::uint64_t> memory_;

 public:
  const Directory directory;
};

TEST(Directory, is_where_a_registry_finds_the_rows_of_the_own_world) {
  const Rows rows(
      {{.rank = 1, .host = 0, .slot = 1, .base = 8}, {.rank = 2, .host = 1, .slot = 0, .base = 16}}, 2);
  rows.directory.node_ranks()[1] = 5;
  const WorldRegistry registry({{.id = 7, .size = 2}}, 0, nullptr, &rows.directory);
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
