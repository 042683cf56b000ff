// What every Collective must do, as one suite that each implementation passes.
//
// A Rig has the caller's Collective, and one counter that all of its ranks see without it. Every rank runs
// every test; nothing is asserted before all calls of a round are made, so that no rank leaves others
// waiting.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "transport/collective.h"

namespace comex::transport::test {

template <class Rig>
class CollectiveConformance : public testing::Test {
 protected:
  Collective& all() { return rig_.all(); }
  std::size_t size() { return static_cast<std::size_t>(all().size()); }
  // Tells ranks and rounds apart, also in the position of each byte.
  static std::vector<std::byte> block(TransportRank rank, std::size_t bytes) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      made[i] = static_cast<std::byte>(static_cast<std::size_t>(rank) * 37 + i * 5 + bytes);
    }
    return made;
  }

  Rig rig_;
};
TYPED_TEST_SUITE_P(CollectiveConformance);

TYPED_TEST_P(CollectiveConformance, numbers_the_ranks_from_zero_without_a_gap) {
  Collective& all = this->all();
  const TransportRank mine = all.rank();
  std::vector<TransportRank> ranks(this->size(), no_rank);
  all.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(ranks)));
  for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_EQ(ranks[i], static_cast<TransportRank>(i));
}

TYPED_TEST_P(CollectiveConformance, gathers_the_blocks_in_the_order_of_ranks) {
  Collective& all = this->all();
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{3}, std::size_t{70'000}}) {
    std::vector<std::byte> gathered(this->size() * bytes);
    all.all_gather(this->block(all.rank(), bytes), gathered);
    for (std::size_t i = 0; i < this->size(); ++i) {
      const std::vector<std::byte> expected = this->block(static_cast<TransportRank>(i), bytes);
      EXPECT_EQ(std::memcmp(gathered.data() + i * bytes, expected.data(), bytes), 0) << i << ", " << bytes;
    }
  }
}

TYPED_TEST_P(CollectiveConformance, gathers_blocks_of_any_sizes) {
  Collective& all = this->all();
  std::vector<std::size_t> sizes;
  std::vector<std::byte> expected;
  for (TransportRank rank = 0; rank < all.size(); ++rank) {
    sizes.push_back(rank % 3 == 1 ? 0 : 5 + 4000 * static_cast<std::size_t>(rank));
    for (const std::byte byte : this->block(rank, sizes.back())) expected.push_back(byte);
  }
  std::vector<std::byte> gathered(expected.size());
  all.all_gather_parts(this->block(all.rank(), sizes[static_cast<std::size_t>(all.rank())]), gathered, sizes);
  EXPECT_EQ(gathered, expected);
}

TYPED_TEST_P(CollectiveConformance, broadcasts_from_every_root) {
  Collective& all = this->all();
  for (TransportRank root = 0; root < all.size(); ++root) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{9}, std::size_t{70'000}}) {
      std::vector<std::byte> told = this->block(all.rank(), bytes);
      all.broadcast(told, root);
      EXPECT_EQ(told, this->block(root, bytes)) << root << ", " << bytes;
    }
  }
}

TYPED_TEST_P(CollectiveConformance, takes_nothing_for_an_answer) {
  Collective& all = this->all();
  all.broadcast({}, all.size() - 1);
  all.all_gather({}, {});
  EXPECT_TRUE(all.all_agree(true));
}

TYPED_TEST_P(CollectiveConformance, agrees_when_nobody_objects_and_only_then) {
  Collective& all = this->all();
  EXPECT_TRUE(all.all_agree(true));
  EXPECT_FALSE(all.all_agree(false));
  for (TransportRank dissenter = 0; dissenter < all.size(); ++dissenter) {
    EXPECT_FALSE(all.all_agree(all.rank() != dissenter)) << dissenter;
  }
}

TYPED_TEST_P(CollectiveConformance, finds_the_smallest_number) {
  Collective& all = this->all();
  constexpr std::uint64_t large = ~std::uint64_t{0} - 1000;  // not if it is taken for a signed one
  EXPECT_EQ(all.all_min(large), large);
  EXPECT_EQ(all.all_min(all.rank() == 0 ? 1 : large), 1u);
  const auto ranks = static_cast<std::uint64_t>(all.size());
  const auto mine = static_cast<std::uint64_t>(all.rank());
  for (std::uint64_t least = 0; least < ranks; ++least) {
    EXPECT_EQ(all.all_min(large + (mine + ranks - least) % ranks), large) << least;
  }
}

TYPED_TEST_P(CollectiveConformance, has_parts_that_talk_by_themselves) {
  Collective& all = this->all();
  const std::unique_ptr<Collective> part = all.among(all.rank() % 2);
  const std::unique_ptr<Collective> first = all.among(all.rank() == 0 ? 7 : -1);
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->rank(), all.rank() / 2);
  EXPECT_EQ(part->size(), (all.size() + 1 - all.rank() % 2) / 2);
  EXPECT_EQ(part->all_min(static_cast<std::uint64_t>(all.rank())),
            static_cast<std::uint64_t>(all.rank() % 2));
  EXPECT_EQ(first == nullptr ? 0 : first->size(), all.rank() == 0 ? 1 : 0);
}

TYPED_TEST_P(CollectiveConformance, lets_nobody_leave_a_barrier_before_all_have_come) {
  Collective& all = this->all();
  unsigned too_early = 0;
  for (unsigned round = 1; round <= 50; ++round) {
    const bool comes_late = round % this->size() == static_cast<std::size_t>(all.rank());
    for (unsigned turn = 0; comes_late && turn < 100; ++turn) std::this_thread::yield();
    this->rig_.count_one();
    all.barrier();
    if (this->rig_.counted() < round * this->size()) ++too_early;
  }
  EXPECT_EQ(too_early, 0u);
}

REGISTER_TYPED_TEST_SUITE_P(CollectiveConformance, numbers_the_ranks_from_zero_without_a_gap,
                            gathers_the_blocks_in_the_order_of_ranks, gathers_blocks_of_any_sizes,
                            broadcasts_from_every_root, takes_nothing_for_an_answer,
                            agrees_when_nobody_objects_and_only_then, finds_the_smallest_number,
                            has_parts_that_talk_by_themselves,
                            lets_nobody_leave_a_barrier_before_all_have_come);

}  // namespace comex::transport::test
