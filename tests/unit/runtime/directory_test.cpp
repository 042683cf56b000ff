// The rows that the lowest rank of a host writes for all of it.
#include "runtime/opening/directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/map_lookup.h"

namespace comex::runtime {
namespace {

pr::WorldSplit split_of(const std::vector<int>& hosts, const test::Environment& environment) {
  const Settings settings = parse_settings(test::lookup_in(environment)).value();
  return pr::split_world(hosts, settings).value();
}

struct Shape {
  std::vector<int> hosts;
  test::Environment environment;
};

std::vector<Shape> shapes() {
  const char* const number = "GA_NUM_PROGRESS_RANKS_PER_NODE";
  return {{{0}, {}},
          {{0, 0, 0}, {}},
          {{0, 1, 0, 1, 0, 1, 0}, {{number, "2"}, {"GA_PROGRESS_RANKS_DISTRIBUTION_CYCLIC", "1"}}},
          {{0, 0, 0, 0, 0, 0, 0, 1, 2, 2}, {{"COMEX_PROGRESS_RANK_POSITION", "smallest"}}},
          {{0, 0, 1, 0, 1, 0, 0, 0}, {{"COMEX_VIRTUAL_HOSTS", "2"}}},
          {{0, 0, 1, 1}, {{number, "0"}}}};
}

groups::DirectoryShape shape_of(const pr::WorldSplit& split) {
  return {static_cast<std::uint32_t>(split.ranks()), static_cast<std::uint32_t>(split.workers.size()),
          static_cast<std::uint32_t>(split.hosts.size())};
}

HostRow row_of(std::size_t host) {
  HostRow row{.base = 0x1000 * (host + 1)};
  ("host" + std::to_string(host)).copy(row.name.data(), row.name.size() - 1);
  return row;
}

std::int32_t node_rank_of(int rank) {
  return rank + 100;
}

// The lowest rank of one host, among others that pass their node ranks.
class AmongLeaders final : public transport::Collective {
 public:
  AmongLeaders(TransportRank rank, std::vector<std::vector<std::int32_t>> node_ranks)
      : rank_(rank), node_ranks_(std::move(node_ranks)) {}
  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return static_cast<TransportRank>(node_ranks_.size()); }
  void all_gather_parts(std::span<const std::byte> mine, std::span<std::byte> all,
                        std::span<const std::size_t> sizes) override {
    std::vector<std::byte> parts;
    for (std::size_t host = 0; host < node_ranks_.size(); ++host) {
      const auto part = std::as_bytes(std::span(node_ranks_[host]));
      EXPECT_EQ(sizes[host], part.size());
      EXPECT_TRUE(host != static_cast<std::size_t>(rank_) || std::ranges::equal(mine, part));
      parts.insert(parts.end(), part.begin(), part.end());
    }
    ASSERT_EQ(parts.size(), all.size());
    std::ranges::copy(parts, all.begin());
  }
  void barrier() override { ADD_FAILURE(); }
  void broadcast(std::span<std::byte>, TransportRank) override { ADD_FAILURE(); }
  void all_gather(std::span<const std::byte>, std::span<std::byte>) override { ADD_FAILURE(); }
  std::uint64_t all_min(std::uint64_t mine) override { return mine; }
  std::unique_ptr<Collective> among(int) override { return nullptr; }

 private:
  TransportRank rank_;
  std::vector<std::vector<std::int32_t>> node_ranks_;  // by host
};

// The rows as one host writes them.
class Rows {
 public:
  Rows(const pr::WorldSplit& split, int own_host)
      : memory_(groups::Directory::bytes(shape_of(split)) / sizeof(std::uint64_t) + 1, 0xdeadbeefdeadbeefU),
        directory_(reinterpret_cast<std::byte*>(memory_.data()), shape_of(split)) {
    std::vector<HostRow> hosts;
    std::vector<std::vector<std::int32_t>> node_ranks;
    for (const pr::Host& host : split.hosts) {
      hosts.push_back(row_of(hosts.size()));
      node_ranks.emplace_back();
      for (const int rank : host.ranks) node_ranks.back().push_back(node_rank_of(rank));
    }
    write_places(directory_, split, own_host, hosts);
    AmongLeaders leaders(own_host, node_ranks);
    exchange_node_ranks(leaders, directory_, split, node_ranks[static_cast<std::size_t>(own_host)]);
  }
  const groups::Directory& directory() const { return directory_; }

 private:
  std::vector<std::uint64_t> memory_;
  groups::Directory directory_;
};

void expect_rows(const groups::Directory& directory, const pr::WorldSplit& split, int own_host) {
  const std::vector<pr::RankPlace> places = split.places();
  std::vector<TransportRank> lowest(split.hosts.size(), no_rank);
  for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
    const pr::RankPlace& place = places[static_cast<std::size_t>(rank)];
    EXPECT_EQ(directory.slots()[static_cast<std::size_t>(rank)],
              place.host == own_host ? place.local_index : groups::Directory::elsewhere);
    if (place.role == pr::Role::progress) continue;
    const groups::WorkerPlace& row = directory.places()[static_cast<std::size_t>(place.worker)];
    EXPECT_EQ(row.rank, rank);
    EXPECT_EQ(row.server, place.server < 0 ? rank : place.server);
    EXPECT_EQ(row.host, static_cast<std::uint32_t>(place.host));
    EXPECT_EQ(row.slot, static_cast<std::uint32_t>(place.local_index));
    EXPECT_EQ(row.base, row_of(static_cast<std::size_t>(place.host)).base);
    EXPECT_EQ(directory.node_ranks()[static_cast<std::size_t>(place.worker)], node_rank_of(rank));
    TransportRank& first = lowest[static_cast<std::size_t>(place.host)];
    if (first == no_rank) first = rank;
  }
  for (std::size_t host = 0; host < split.hosts.size(); ++host) {
    EXPECT_EQ(directory.hosts()[host].name, row_of(host).name);
    EXPECT_EQ(directory.hosts()[host].lowest_worker, lowest[host]);
  }
}

TEST(Directory, says_of_each_worker_where_it_lives) {
  for (const Shape& shape : shapes()) {
    const pr::WorldSplit split = split_of(shape.hosts, shape.environment);
    for (int own_host = 0; own_host < static_cast<int>(split.hosts.size()); ++own_host) {
      SCOPED_TRACE(testing::Message() << shape.hosts.size() << " ranks, host " << own_host);
      expect_rows(Rows(split, own_host).directory(), split, own_host);
    }
  }
}

// The goal of a million ranks on hosts of 64: no more than 64 MB on a host, with what the arena holds by
// then.
TEST(Directory, of_a_million_ranks_is_made_beside_little_else) {
  constexpr std::size_t ranks = std::size_t{1} << 20;
  constexpr std::size_t on_host = 64;
  std::vector<int> hosts(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) hosts[rank] = static_cast<int>(rank / on_host);
  const pr::WorldSplit split = split_of(hosts, {});
  static_assert(sizeof split == 4 * sizeof(std::vector<int>) + sizeof(std::uint64_t),
                "all of it is counted here");
  std::size_t held = (split.workers.capacity() + split.progress.capacity()) * sizeof(int) +
                     split.hosts.capacity() * sizeof(pr::Host);
  for (const pr::Host& host : split.hosts) {
    held += (host.ranks.capacity() + host.progress_ranks.capacity()) * sizeof(int);
  }
  constexpr std::size_t arena_besides = 5'000'000;  // slots, boards, outboxes, stripes
  EXPECT_LE(held + ranks * sizeof(std::int32_t) + groups::Directory::bytes(shape_of(split)) + arena_besides,
            64'000'000u);
}

}  // namespace
}  // namespace comex::runtime
