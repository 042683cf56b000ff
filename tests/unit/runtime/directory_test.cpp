// The rows that the lowest rank of a host writes for all of it, a piece at a time.
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
  return pr::split_world(pr::split_input(hosts, settings).value()).value();
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

groups::HostName name_of(std::size_t host) {
  groups::HostName name{};
  ("host" + std::to_string(host)).copy(name.data(), name.size() - 1);
  return name;
}

RankRow row_of(int rank) {
  return {.base = 0x1000 * static_cast<std::uint64_t>(rank + 1), .node_rank = rank + 100};
}

// One host's rows, of which each piece has so many ranks at most.
class Rows {
 public:
  Rows(const pr::WorldSplit& split, int own_host, std::size_t most)
      : memory_(groups::Directory::bytes(shape_of(split)) / sizeof(std::uint64_t) + 1, 0xdeadbeefdeadbeefU),
        directory_(reinterpret_cast<std::byte*>(memory_.data()), shape_of(split)) {
    std::vector<groups::HostName> names;
    for (std::size_t host = 0; host < split.hosts.size(); ++host) names.push_back(name_of(host));
    write_places(directory_, split, own_host, names);
    RankRange range;
    while ((range = next_ranks(split.hosts, range, most)).any()) {
      std::vector<RankRow> rows;
      for (const pr::Host& host : split.hosts) {
        for (const int rank : range.among(host)) rows.push_back(row_of(rank));
      }
      write_rows(directory_, split, range, rows);
    }
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
    EXPECT_EQ(row.base, row_of(rank).base);
    EXPECT_EQ(directory.numbers()[static_cast<std::size_t>(place.worker)].node_rank, row_of(rank).node_rank);
    TransportRank& first = lowest[static_cast<std::size_t>(place.host)];
    if (first == no_rank) first = rank;
  }
  for (std::size_t host = 0; host < split.hosts.size(); ++host) {
    EXPECT_EQ(directory.hosts()[host].name, name_of(host));
    EXPECT_EQ(directory.hosts()[host].lowest_worker, lowest[host]);
  }
}

TEST(Directory, says_of_each_worker_where_it_lives_whatever_the_pieces) {
  for (const Shape& shape : shapes()) {
    const pr::WorldSplit split = split_of(shape.hosts, shape.environment);
    for (int own_host = 0; own_host < static_cast<int>(split.hosts.size()); ++own_host) {
      for (const std::size_t most : {1UL, 2UL, 3UL, 5UL, 1000UL}) {
        SCOPED_TRACE(testing::Message() << shape.hosts.size() << " ranks, host " << own_host << ", " << most);
        expect_rows(Rows(split, own_host, most).directory(), split, own_host);
      }
    }
  }
}

TEST(Directory, exchanges_as_many_rows_at_once_as_fit_and_one_of_each_host_at_least) {
  std::vector<int> hosts(10, 0);
  for (const int host : {1, 1, 2}) hosts.push_back(host);
  const pr::WorldSplit split = split_of(hosts, {});
  std::vector<std::vector<std::size_t>> pieces;
  RankRange range;
  while ((range = next_ranks(split.hosts, range, 4)).any()) {
    pieces.emplace_back();
    for (const pr::Host& host : split.hosts) pieces.back().push_back(range.among(host).size());
  }
  const std::vector<std::vector<std::size_t>> wanted = {{1, 1, 1}, {2, 1, 0}, {4, 0, 0}, {3, 0, 0}};
  EXPECT_EQ(pieces, wanted);
  EXPECT_EQ(next_ranks(split.hosts, {}, 0).end, 1u);
}

// The lowest rank of one host, among others that pass their rows in turn.
class AmongLeaders final : public transport::Collective {
 public:
  AmongLeaders(TransportRank rank, std::vector<std::vector<RankRow>> rows)
      : rank_(rank), rows_(std::move(rows)), begun_(rows_.size(), 0) {}
  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return static_cast<TransportRank>(rows_.size()); }
  void all_gather_parts(std::span<const std::byte> mine, std::span<std::byte> all,
                        std::span<const std::size_t> sizes) override {
    ++rounds;
    std::vector<std::byte> parts;
    for (std::size_t host = 0; host < rows_.size(); ++host) {
      const auto part = std::as_bytes(std::span(rows_[host])).subspan(begun_[host], sizes[host]);
      EXPECT_TRUE(host != static_cast<std::size_t>(rank_) || std::ranges::equal(mine, part));
      parts.insert(parts.end(), part.begin(), part.end());
      begun_[host] += sizes[host];
    }
    ASSERT_EQ(parts.size(), all.size());
    std::ranges::copy(parts, all.begin());
  }
  void barrier() override { ADD_FAILURE(); }
  void broadcast(std::span<std::byte>, TransportRank) override { ADD_FAILURE(); }
  void all_gather(std::span<const std::byte>, std::span<std::byte>) override { ADD_FAILURE(); }
  std::uint64_t all_min(std::uint64_t mine) override { return mine; }
  std::unique_ptr<Collective> among(int) override { return nullptr; }

  int rounds = 0;

 private:
  TransportRank rank_;
  std::vector<std::vector<RankRow>> rows_;  // by host
  std::vector<std::size_t> begun_;          // bytes
};

TEST(Directory, is_filled_by_as_many_rounds_as_it_takes) {
  for (const Shape& shape : shapes()) {
    const pr::WorldSplit split = split_of(shape.hosts, shape.environment);
    std::vector<std::vector<RankRow>> rows_by_host;
    for (const pr::Host& host : split.hosts) {
      rows_by_host.emplace_back();
      for (const int rank : host.ranks) rows_by_host.back().push_back(row_of(rank));
    }
    for (std::size_t host = 0; host < rows_by_host.size(); ++host) {
      SCOPED_TRACE(testing::Message() << shape.hosts.size() << " ranks, host " << host);
      std::vector<int> rounds;
      for (const std::size_t most : {1UL, 2UL, 1000UL}) {
        const int own_host = static_cast<int>(host);
        Rows rows(split, own_host, 1000);
        for (groups::WorkerPlace& place : rows.directory().places()) place.base = 0;
        AmongLeaders leaders(own_host, rows_by_host);
        exchange_rows(leaders, rows.directory(), split, rows_by_host[host], most);
        expect_rows(rows.directory(), split, own_host);
        rounds.push_back(leaders.rounds);
      }
      EXPECT_EQ(rounds.back(), 1);
      EXPECT_GT(rounds.front(), shape.hosts.size() > 4 ? 2 : 0);
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
  std::size_t most = 0;
  std::size_t spoken = 0;
  RankRange range;
  while ((range = next_ranks(split.hosts, range, most_rows_at_once)).any()) {
    std::size_t now = 0;
    for (const pr::Host& host : split.hosts) now += range.among(host).size();
    most = std::max(most, now);
    spoken += now;
  }
  EXPECT_EQ(spoken, ranks);
  EXPECT_GT(most, ranks / 8) << "rounds are few";
  constexpr std::size_t arena_besides = 5'000'000;  // slots, boards, outboxes, stripes
  EXPECT_LE(held + most * sizeof(RankRow) + groups::Directory::bytes(shape_of(split)) + arena_besides,
            64'000'000u);
}

}  // namespace
}  // namespace comex::runtime
