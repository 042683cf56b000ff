#include "shm/extents.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "support.h"

namespace comex::shm {
namespace {

class ExtentsTest : public testing::Test {
 protected:
  MemoryOs os_;
  Arena arena_ = mapped_arena(os_, small_arena(4));
  Extents& extents_ = arena_.extents();

  Extent allocate(Worker owner, std::uint64_t bytes) {
    Result<Extent> made = extents_.allocate(owner, bytes);
    EXPECT_TRUE(made) << (made ? "" : made.failure().text);
    return made.value();
  }
};

TEST_F(ExtentsTest, lets_the_owners_bytes_pass_and_no_others) {
  const Extent e = allocate(3, 5000);
  EXPECT_EQ(extents_.check(3, e.offset, 5000), BoundsVerdict::ok);
  EXPECT_EQ(extents_.check(3, e.offset + 4999, 1), BoundsVerdict::ok);
  EXPECT_EQ(extents_.check(3, e.offset, 5001), BoundsVerdict::past_end);
  EXPECT_EQ(extents_.check(3, e.offset + 5000, 1), BoundsVerdict::past_end);
  EXPECT_EQ(extents_.check(3, e.offset + 4999, ~0ULL), BoundsVerdict::past_end);
  EXPECT_EQ(extents_.check(2, e.offset, 8), BoundsVerdict::wrong_owner);
  EXPECT_EQ(extents_.check(3, e.offset - 1, 1), BoundsVerdict::no_extent);
  EXPECT_EQ(extents_.check(3, e.offset + 8192, 1), BoundsVerdict::no_extent);
}

TEST_F(ExtentsTest, refuses_wild_offsets) {
  allocate(0, 100);
  for (const std::uint64_t wild : {0ULL, 64ULL, 1ULL << 27, 1ULL << 40, ~0ULL, ~0ULL - 4096, 1ULL << 63}) {
    EXPECT_EQ(extents_.check(0, wild, 8), BoundsVerdict::no_extent) << wild;
  }
}

TEST_F(ExtentsTest, refuses_retired_bytes_until_they_are_reused) {
  const Extent e = allocate(1, 4096);
  ASSERT_TRUE(extents_.retire(e.offset));
  EXPECT_EQ(extents_.check(1, e.offset, 8), BoundsVerdict::retired);
  EXPECT_FALSE(extents_.retire(e.offset));
  ASSERT_TRUE(extents_.release(e.offset));
  EXPECT_EQ(extents_.check(1, e.offset, 8), BoundsVerdict::no_extent);
  EXPECT_FALSE(extents_.release(e.offset));
  EXPECT_EQ(allocate(1, 4096).offset, e.offset);
  EXPECT_EQ(extents_.check(1, e.offset, 8), BoundsVerdict::ok);
}

TEST_F(ExtentsTest, releases_only_what_begins_an_allocation) {
  const Extent e = allocate(1, 3 * 4096);
  EXPECT_FALSE(extents_.release(e.offset + 4096));
  EXPECT_FALSE(extents_.release(e.offset + 8));
  EXPECT_FALSE(extents_.release(0));
  EXPECT_FALSE(extents_.release(~0ULL));
  EXPECT_EQ(extents_.check(1, e.offset, 3 * 4096), BoundsVerdict::ok);
}

TEST_F(ExtentsTest, joins_free_neighbours) {
  const Extent a = allocate(0, 4096);
  const Extent b = allocate(0, 4096);
  const Extent c = allocate(0, 4096);
  allocate(0, 4096);
  for (const Extent& e : {a, c, b}) ASSERT_TRUE(extents_.release(e.offset));
  EXPECT_EQ(allocate(0, 3 * 4096).offset, a.offset);
  EXPECT_TRUE(is_consistent(arena_));
}

// Else what several owners free lies in pieces, and the arena grows for ever under steady use.
TEST_F(ExtentsTest, joins_free_neighbours_of_several_owners_before_it_takes_fresh_space) {
  constexpr std::uint64_t piece = 4 * 4096;
  std::vector<Extent> pieces;
  for (Worker owner = 0; owner < 8; ++owner) pieces.push_back(allocate(owner % 3, piece));
  for (const Extent& each : pieces) ASSERT_TRUE(extents_.release(each.offset));
  EXPECT_EQ(allocate(1, piece).offset, pieces[7].offset) << "one that fits is an owner's own";
  EXPECT_EQ(allocate(1, 7 * piece).offset, pieces[0].offset);
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(ExtentsTest, keeps_a_little_and_punches_the_rest) {
  const Extent small = allocate(0, 8 << 20);
  const Extent large = allocate(0, 32 << 20);
  const std::uint64_t before = os_.granted_bytes();
  ASSERT_TRUE(extents_.release(small.offset));
  EXPECT_EQ(block_of(arena_).kept_bytes, 8u << 20);
  EXPECT_EQ(os_.granted_bytes(), before);
  ASSERT_TRUE(extents_.release(large.offset));
  EXPECT_EQ(block_of(arena_).kept_bytes, 8u << 20);
  EXPECT_EQ(os_.granted_bytes(), before - (32u << 20));
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(ExtentsTest, takes_a_recycled_extent_without_new_pages) {
  const Extent e = allocate(0, 1 << 20);
  ASSERT_TRUE(extents_.release(e.offset));
  const std::uint64_t before = os_.granted_bytes();
  EXPECT_EQ(allocate(2, 1 << 20).offset, e.offset);
  EXPECT_EQ(os_.granted_bytes(), before);
  EXPECT_EQ(extents_.check(2, e.offset, 1 << 20), BoundsVerdict::ok);
}

// Pages lie near the worker that had them first.
TEST_F(ExtentsTest, gives_kept_pages_back_to_the_worker_that_had_them) {
  std::vector<Extent> first;
  for (Worker owner = 0; owner < 4; ++owner) first.push_back(allocate(owner, 1 << 20));
  for (const std::size_t at : {2U, 0U, 1U, 3U}) ASSERT_TRUE(extents_.release(first[at].offset));
  const std::uint64_t before = os_.granted_bytes();
  for (const Worker owner : {1U, 3U, 0U, 2U}) {
    EXPECT_EQ(allocate(owner, 1 << 20).offset, first[owner].offset) << owner;
  }
  EXPECT_EQ(os_.granted_bytes(), before);
  EXPECT_TRUE(is_consistent(arena_));
}

// What lies on memory of some kind stays there, also once it is freed.
TEST_F(ExtentsTest, neither_recycles_placed_pages_nor_places_recycled_ones) {
  const Extent plain = allocate(0, 1 << 20);
  ASSERT_TRUE(extents_.release(plain.offset));
  ASSERT_EQ(block_of(arena_).kept_bytes, 1u << 20);
  const std::uint64_t before = os_.granted_bytes();
  const Extent placed = extents_.allocate(0, 1 << 20, 0, Pages::placed).value();
  EXPECT_NE(placed.offset, plain.offset);
  EXPECT_EQ(block_of(arena_).kept_bytes, 1u << 20);
  EXPECT_EQ(os_.granted_bytes(), before + (1 << 20));
  ASSERT_TRUE(extents_.release(placed.offset));
  EXPECT_EQ(block_of(arena_).kept_bytes, 1u << 20);
  EXPECT_EQ(os_.granted_bytes(), before);
  EXPECT_EQ(allocate(0, 1 << 20).offset, plain.offset) << "plain memory is recycled as ever";
  const Extent again = allocate(0, 1 << 20);
  ASSERT_TRUE(extents_.release(again.offset));
  EXPECT_EQ(block_of(arena_).kept_bytes, 1u << 20) << "the record may have been that of the placed one";
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(ExtentsTest, places_where_only_kept_space_is_left_once_its_pages_are_gone) {
  const Geometry& g = arena_.geometry();
  const Extent plain = allocate(0, 1 << 20);
  allocate(1, g.reservation_bytes - g.data_offset - (1 << 20));
  ASSERT_TRUE(extents_.release(plain.offset));
  const std::uint64_t before = os_.granted_bytes();
  const Result<Extent> placed = extents_.allocate(0, 1 << 20, 0, Pages::placed);
  ASSERT_TRUE(placed) << placed.failure().text;
  EXPECT_EQ(placed->offset, plain.offset);
  EXPECT_EQ(block_of(arena_).kept_bytes, 0u);
  EXPECT_EQ(os_.granted_bytes(), before) << "punched, then granted again";
}

TEST_F(ExtentsTest, refuses_what_exceeds_the_memory_and_says_why) {
  allocate(1, 3 << 20);
  os_.faults.limit_bytes = os_.granted_bytes() + (1 << 20);
  os_.faults.limit = Limit::cgroup;
  const std::uint64_t before = os_.granted_bytes();
  const Result<Extent> made = extents_.allocate(2, 2 << 20);
  ASSERT_FALSE(made);
  const std::string& text = made.failure().text;
  for (const char* part :
       {"worker 2", "wanted 2097152", "free 1048576", "cgroup", "worker 1 holds 3145728 in 1", "container"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
  EXPECT_EQ(os_.granted_bytes(), before);
  EXPECT_TRUE(is_consistent(arena_));
  os_.faults.limit_bytes = ~0ULL;
  EXPECT_TRUE(extents_.allocate(2, 2 << 20));
}

TEST_F(ExtentsTest, gives_everything_back_when_the_system_refuses_half_way) {
  os_.faults.hidden_bytes = os_.granted_bytes() + (40 << 20);
  const std::uint64_t before = os_.granted_bytes();
  const Result<Extent> made = extents_.allocate(0, 64 << 20);
  ASSERT_FALSE(made);
  EXPECT_NE(made.failure().text.find("errno 28"), std::string::npos) << made.failure().text;
  EXPECT_LE(os_.granted_bytes(), before + commit_chunk_bytes);  // the page table may have grown
  EXPECT_TRUE(is_consistent(arena_));
  allocate(0, 32 << 20);
}

TEST_F(ExtentsTest, gives_up_what_it_keeps_before_it_refuses) {
  const Extent kept = allocate(0, 8 << 20);
  ASSERT_TRUE(extents_.release(kept.offset));
  os_.faults.limit_bytes = os_.granted_bytes() + (4 << 20);
  allocate(1, 12 << 20);
  EXPECT_EQ(block_of(arena_).kept_bytes, 0u);
}

TEST_F(ExtentsTest, keeps_what_would_not_be_enough) {
  const Extent kept = allocate(0, 8 << 20);
  ASSERT_TRUE(extents_.release(kept.offset));
  os_.faults.limit_bytes = os_.granted_bytes() + (4 << 20);
  const Result<Extent> made = extents_.allocate(1, 20 << 20);
  ASSERT_FALSE(made);
  EXPECT_NE(made.failure().text.find("free 12582912,"), std::string::npos) << made.failure().text;
  EXPECT_EQ(block_of(arena_).kept_bytes, 8u << 20);
}

TEST_F(ExtentsTest, refuses_more_than_the_reservation) {
  for (const std::uint64_t bytes : {512ULL << 20, ~0ULL, ~0ULL - 5000}) {
    const Result<Extent> made = extents_.allocate(0, bytes);
    ASSERT_FALSE(made);
    EXPECT_NE(made.failure().text.find("COMEX_ARENA_RESERVE"), std::string::npos) << made.failure().text;
  }
  EXPECT_FALSE(extents_.allocate(0, 0));
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(ExtentsTest, joins_kept_and_fresh_space_when_nothing_else_fits) {
  const Geometry& g = arena_.geometry();
  const Extent low = allocate(0, 4 << 20);
  ASSERT_TRUE(extents_.release(low.offset));
  allocate(0, g.reservation_bytes - g.data_offset);
  EXPECT_TRUE(is_consistent(arena_));
}

// Whole ones within the allocation.
std::uint64_t large_pages_of(const Extent& extent) {
  const std::uint64_t first = round_up(extent.offset, test_large_page_bytes) / test_large_page_bytes;
  return std::max(first, (extent.offset + extent.reserved) / test_large_page_bytes) - first;
}

TEST_F(ExtentsTest, asks_for_every_large_page_that_an_allocation_spans) {
  os_.faults.large_page_bytes = test_large_page_bytes;
  std::uint64_t expected = 0;
  for (const std::uint64_t bytes : {1ULL << 20, 5ULL << 20, 41ULL << 20, (17ULL << 20) + 100}) {
    const std::uint64_t before = os_.granted_bytes();
    const Extent e = allocate(1, bytes);
    expected += large_pages_of(e);
    EXPECT_EQ(os_.large_pages_granted(), expected) << bytes;
    EXPECT_LE(os_.granted_bytes() - before, e.reserved + (1 << 20)) << "the rest is for the records";
  }
  EXPECT_GT(expected, 20u);
  ASSERT_TRUE(extents_.allocate(1, 8 << 20, 0, Pages::placed));
  EXPECT_EQ(os_.large_pages_granted(), expected) << "what is placed moves page by page";
}

TEST_F(ExtentsTest, asks_for_no_large_pages_where_they_are_not_wanted) {
  ArenaOptions options = small_arena(4);
  options.large_pages = false;
  Arena plain = mapped_arena(os_, options);
  Arena other = attached_arena(os_, plain.ticket(), 1, 0);
  os_.faults.large_page_bytes = test_large_page_bytes;
  ASSERT_TRUE(plain.extents().allocate(0, 8 << 20));
  ASSERT_TRUE(other.extents().allocate(1, 8 << 20));
  EXPECT_EQ(os_.large_pages_granted(), 0u);
}

TEST_F(ExtentsTest, gives_large_pages_back_when_the_system_refuses_the_rest) {
  os_.faults.large_page_bytes = test_large_page_bytes;
  allocate(0, 100);  // the records of what comes
  const std::uint64_t before = os_.granted_bytes();
  os_.faults.limit_bytes = before + (30 << 20);
  os_.faults.hidden_bytes = before + (25 << 20);  // so that large pages come first, and small ones no more
  const Result<Extent> refused = extents_.allocate(0, 26 << 20);
  ASSERT_FALSE(refused);
  EXPECT_GT(os_.large_pages_granted(), 0u);
  EXPECT_EQ(os_.granted_bytes(), before);
  const std::string free_text = "free by now " + std::to_string(30 << 20);
  EXPECT_NE(refused.failure().text.find(free_text), std::string::npos) << refused.failure().text;
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(ExtentsTest, asks_for_no_more_large_pages_once_one_is_refused) {
  allocate(0, 100);
  os_.faults.large_page_bytes = test_large_page_bytes;
  os_.faults.most_large_pages = 3;
  allocate(0, 60 << 20);
  EXPECT_EQ(os_.large_pages_granted(), 3u);
  EXPECT_EQ(os_.large_pages_refused(), 1u);
}

TEST_F(ExtentsTest, tells_the_nearest_and_who_holds_what) {
  Extent found;
  EXPECT_EQ(extents_.nearest(5, found), Nearby::none);
  const Extent a = allocate(1, 100);
  const Extent b = allocate(2, 8192);
  EXPECT_EQ(extents_.nearest(a.offset + 200, found), Nearby::found);
  EXPECT_EQ(found.owner, 1u);
  EXPECT_EQ(extents_.nearest(~0ULL, found), Nearby::found);
  EXPECT_EQ(found.offset, b.offset);
  const std::vector<OwnerTotal> totals = extents_.totals();
  ASSERT_EQ(totals.size(), 2u);
  EXPECT_EQ(totals[1].bytes, 8192u);
}

TEST_F(ExtentsTest, stays_consistent_over_thousands_of_random_steps) {
  std::mt19937 random(7);
  std::vector<Extent> live;
  for (int step = 0; step < 20000; ++step) {
    const bool grows = live.size() < 3000 && (live.empty() || random() % 5 < 3);
    if (grows) {
      const Result<Extent> made = extents_.allocate(random() % 4, 1 + random() % 40000);
      ASSERT_TRUE(made) << made.failure().text;
      live.push_back(made.value());
    } else {
      std::swap(live[random() % live.size()], live.back());
      ASSERT_TRUE(extents_.release(live.back().offset));
      live.pop_back();
    }
  }
  EXPECT_TRUE(is_consistent(arena_));
  std::sort(live.begin(), live.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  for (std::size_t i = 0; i < live.size(); ++i) {
    EXPECT_EQ(extents_.check(live[i].owner, live[i].offset, live[i].bytes), BoundsVerdict::ok);
    std::memset(arena_.at(live[i].offset), 1, live[i].bytes);
    if (i > 0) {
      EXPECT_GE(live[i].offset, live[i - 1].offset + live[i - 1].reserved);
    }
  }
  for (const Extent& e : live) ASSERT_TRUE(extents_.release(e.offset));
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(ExtentsTest, serves_checks_while_others_allocate_and_release) {
  const Extent fixed = allocate(9, 10000);
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (Worker me = 0; me < 3; ++me) {
    threads.emplace_back([&, me] {
      std::mt19937 random(me);
      for (int i = 0; i < 400; ++i) {
        const Result<Extent> e = extents_.allocate(me, 1 + random() % 30000);
        ASSERT_TRUE(e);
        ASSERT_EQ(extents_.check(me, e->offset, e->bytes), BoundsVerdict::ok);
        ASSERT_TRUE(extents_.release(e->offset));
      }
      is_over = true;
    });
  }
  while (!is_over) {
    EXPECT_EQ(extents_.check(9, fixed.offset, 10000), BoundsVerdict::ok);
    EXPECT_NE(extents_.check(9, fixed.offset + 12288, 8), BoundsVerdict::ok);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(ExtentsTest, takes_over_from_a_holder_that_died) {
  std::vector<Extent> live;
  for (int i = 0; i < 20; ++i) live.push_back(allocate(0, 9000));
  for (int i = 0; i < 20; i += 2) ASSERT_TRUE(extents_.release(live[static_cast<std::size_t>(i)].offset));
  {
    const Arena other = attached_arena(os_, arena_.ticket(), 1, 0);
    ExtentsBlock& header = block_of(arena_);
    const LockParty dead{&os_, arena_.lock_party().object, 1};
    ASSERT_EQ(OwnerLock(header.lock).lock(dead), LockResult::acquired);
    header.bins[0][3] = 77;  // half-done work
    header.kept_bytes = 12345;
  }  // slot 1 dies with the lock
  EXPECT_EQ(allocate(0, 9000).reserved, 12288u);
  EXPECT_EQ(block_of(arena_).rebuilds, 1u);
  EXPECT_TRUE(is_consistent(arena_));
  EXPECT_EQ(extents_.check(0, live[1].offset, 9000), BoundsVerdict::ok);
}

}  // namespace
}  // namespace comex::shm
