// Memory that costs what is touched: pages on touch within what the host has, small blocks that share pages,
// freed memory that is kept as far as the host can spare it.
#include <algorithm>
#include <cstring>
#include <future>
#include <random>

#include "support.h"

namespace comex::shm {
namespace {

// Time stands still unless a test moves it, so that an answer about the limits stays as old as it is.
class TimedOs : public MemoryOs {
 public:
  std::uint64_t now_ns() override { return now_; }
  void pass_seconds(std::uint64_t seconds) { now_ += seconds * 1'000'000'000; }

 private:
  std::uint64_t now_ = 1;
};

ArenaOptions on_touch() {
  ArenaOptions options = small_arena(4);
  options.on_touch = true;
  options.keep_bytes = keep_a_share;
  return options;
}

class TouchTest : public testing::Test {
 protected:
  TimedOs os_;
  Arena arena_ = mapped_arena(os_, on_touch());
  Extents& extents_ = arena_.extents();
  const Object& object_ = *arena_.lock_party().object;

  Extent allocate(Worker owner, std::uint64_t bytes) {
    Result<Extent> made = extents_.allocate(owner, bytes);
    EXPECT_TRUE(made) << (made ? "" : made.failure().text);
    return made ? made.value() : Extent{};
  }
  void fill(const Extent& extent) { std::memset(arena_.at(extent.offset), 1, extent.bytes); }
  // Touches so much, and frees it.
  void keep(std::uint64_t bytes) {
    const Extent kept = allocate(0, bytes);
    fill(kept);
    EXPECT_TRUE(extents_.release(kept.offset));
  }
  std::uint64_t resident() { return os_.resident_bytes(object_); }
  void leave(std::uint64_t bytes) { os_.faults.limit_bytes = resident() + bytes; }
};

TEST_F(TouchTest, takes_nothing_until_a_page_is_touched) {
  allocate(0, 5000);  // the records
  const std::uint64_t before = resident();
  const Extent e = allocate(0, 40 * mebibyte);
  EXPECT_EQ(resident(), before) << "the table needs no entries for it";
  std::memset(arena_.at(e.offset + 7 * mebibyte), 1, 3 * page_bytes);
  EXPECT_EQ(resident() - before, 3 * page_bytes);
  EXPECT_EQ(extents_.check(0, e.offset, e.bytes), BoundsVerdict::ok);
}

TEST_F(TouchTest, reads_zeros_where_nobody_wrote_and_what_others_wrote) {
  const Extent e = allocate(0, mebibyte);
  Arena other = attached_arena(os_, arena_.ticket(), 1, 0);
  other.at(e.offset)[5] = std::byte{9};
  EXPECT_EQ(arena_.at(e.offset)[5], std::byte{9});
  EXPECT_EQ(arena_.at(e.offset)[mebibyte - 1], std::byte{0});
}

TEST_F(TouchTest, refuses_at_once_what_the_host_has_no_memory_for) {
  fill(allocate(1, 3 * mebibyte));
  leave(0);
  os_.pass_seconds(2);
  os_.faults.used_spare_bytes = resident() - 3 * mebibyte;  // the arena's own tables: they make no room
  EXPECT_FALSE(extents_.allocate(2, page_bytes));
  os_.faults.used_spare_bytes = 0;
  leave(20 * mebibyte);
  os_.faults.limit = Limit::cgroup;
  allocate(0, 10 * mebibyte);  // promised, not touched
  const Result<Extent> made = extents_.allocate(2, 12 * mebibyte);
  ASSERT_FALSE(made);
  const std::string& text = made.failure().text;
  for (const char* part : {"worker 2", "wanted 12582912", "free ", "cgroup", "worker 0 holds 10485760 in 1",
                           "worker 1 holds 3145728 in 1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
  EXPECT_TRUE(is_consistent(arena_));
  EXPECT_TRUE(extents_.allocate(2, 8 * mebibyte));
}

// The sum of all that was promised can be touched: what memory_limits() left is never overdrawn.
TEST_F(TouchTest, promises_no_more_than_there_is_whatever_is_touched_when) {
  leave(16 * mebibyte);
  os_.pass_seconds(2);
  const std::uint64_t most = resident() + 16 * mebibyte;
  std::mt19937 random(11);
  std::vector<Extent> live;
  unsigned refused = 0;
  for (int step = 0; step < 1000; ++step) {
    os_.pass_seconds(random() % 2);
    const std::uint64_t bytes = 1 + random() % (3 * mebibyte);  // before the worker, whatever the compiler
    const Result<Extent> made = extents_.allocate(random() % 4, bytes);
    if (made) {
      live.push_back(made.value());
    } else {
      ++refused;
    }
    if (!live.empty() && random() % 8 == 0) fill(live[random() % live.size()]);
    if (!live.empty() && (!made || random() % 2 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      ASSERT_TRUE(extents_.release(live.back().offset));
      live.pop_back();
    }
  }
  EXPECT_GT(refused, 10u);
  for (const Extent& each : live) fill(each);
  EXPECT_LE(resident(), most);
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(TouchTest, reads_the_limits_now_and_then_only) {
  allocate(0, 5000);
  const unsigned before = os_.limits_read();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(extents_.release(allocate(0, 5 * mebibyte).offset));
  EXPECT_EQ(os_.limits_read(), before);
  os_.pass_seconds(2);
  for (int i = 0; i < 1000; ++i) allocate(0, 5000);
  EXPECT_EQ(os_.limits_read(), before + 1);
}

TEST_F(TouchTest, gives_the_same_pages_again_and_again) {
  fill(allocate(0, 5 * mebibyte));
  const Extent e = allocate(0, 30 * mebibyte);
  fill(e);
  const std::uint64_t before = resident();
  ASSERT_TRUE(extents_.release(e.offset));
  for (int i = 0; i < 50; ++i) {
    const Extent again = allocate(0, 30 * mebibyte);
    EXPECT_EQ(again.offset, e.offset);
    fill(again);
    ASSERT_TRUE(extents_.release(again.offset));
  }
  EXPECT_EQ(resident(), before);
}

TEST_F(TouchTest, keeps_a_share_of_what_is_free_and_gives_it_back_when_others_need_it) {
  leave(64 * mebibyte);
  os_.pass_seconds(2);
  const Extent small = allocate(0, 10 * mebibyte);
  const Extent large = allocate(0, 40 * mebibyte);
  fill(small);
  fill(large);
  const std::uint64_t before = resident();
  ASSERT_TRUE(extents_.release(large.offset));
  EXPECT_EQ(block_of(arena_).kept_bytes, 0u) << "40 MiB are more than a quarter of 64";
  ASSERT_TRUE(extents_.release(small.offset));
  EXPECT_EQ(block_of(arena_).kept_bytes, 10 * mebibyte);
  EXPECT_EQ(resident(), before - 40 * mebibyte);
  leave(4 * mebibyte);  // somebody else has taken the rest
  os_.pass_seconds(2);
  ASSERT_TRUE(extents_.release(allocate(0, 5000).offset));
  EXPECT_LE(block_of(arena_).kept_bytes, 14 * mebibyte / 4) << "a quarter of what is free and kept";
  EXPECT_GE(block_of(arena_).kept_bytes, mebibyte) << "the others need no more";
  EXPECT_LE(resident(), before - 46 * mebibyte + 4 * page_bytes);
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(TouchTest, gives_up_what_it_keeps_before_it_refuses) {
  leave(64 * mebibyte);
  os_.pass_seconds(2);
  keep(12 * mebibyte);
  ASSERT_EQ(block_of(arena_).kept_bytes, 12 * mebibyte);
  fill(allocate(1, 60 * mebibyte));
  EXPECT_LE(block_of(arena_).kept_bytes, 4 * mebibyte);
}

TEST_F(TouchTest, gives_up_no_more_than_it_has_to) {
  leave(200 * mebibyte);
  os_.pass_seconds(2);
  keep(40 * mebibyte);
  const std::uint64_t before = resident();
  allocate(1, os_.faults.limit_bytes - 38 * mebibyte);
  EXPECT_EQ(block_of(arena_).kept_bytes, 38 * mebibyte);
  EXPECT_LE(before - resident(), 2 * mebibyte);
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(TouchTest, keeps_what_it_has_where_a_request_can_never_fit) {
  leave(170 * mebibyte);
  os_.pass_seconds(2);
  keep(40 * mebibyte);
  const std::uint64_t before = resident();
  for (const std::uint64_t bytes : {200 * mebibyte, 230 * mebibyte}) {  // there is space for the first
    const std::string text = extents_.allocate(1, bytes).failure().text;
    EXPECT_NE(text.find("free " + std::to_string(os_.faults.limit_bytes) + ","), std::string::npos) << text;
    EXPECT_EQ(resident(), before);
  }
  leave(1000 * mebibyte);
  os_.pass_seconds(2);
  allocate(2, 100 * mebibyte);
  EXPECT_FALSE(extents_.allocate(1, 150 * mebibyte)) << "there is no such space";
  EXPECT_EQ(resident(), before);
}

TEST_F(TouchTest, gives_back_what_is_kept_in_steps_that_are_short) {
  leave(1024 * mebibyte);
  os_.pass_seconds(2);
  const Extent e = allocate(0, 150 * mebibyte);
  ASSERT_TRUE(extents_.release(e.offset));
  ASSERT_EQ(block_of(arena_).kept_bytes, 150 * mebibyte);
  os_.pass_seconds(11);
  EXPECT_EQ(extents_.give_back_unused(), 100'000u) << "there is more";
  EXPECT_EQ(block_of(arena_).kept_bytes, 86 * mebibyte);
  EXPECT_EQ(extents_.give_back_unused(), 100'000u);
  EXPECT_EQ(block_of(arena_).kept_bytes, 22 * mebibyte);
  EXPECT_EQ(extents_.give_back_unused(), 10'000'000'000u);
  EXPECT_EQ(block_of(arena_).kept_bytes, 0u);
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(TouchTest, waits_for_memory_that_another_worker_is_freeing) {
  leave(64 * mebibyte);
  os_.pass_seconds(2);
  const Extent theirs = allocate(0, 60 * mebibyte);
  ASSERT_TRUE(extents_.retire(theirs.offset));
  auto mine = std::async(std::launch::async, [this] { return extents_.allocate(1, 60 * mebibyte); });
  EXPECT_EQ(mine.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  ASSERT_TRUE(extents_.release(theirs.offset));
  EXPECT_TRUE(mine.get());
}

TEST_F(TouchTest, does_not_wait_for_memory_that_a_worker_was_freeing_when_it_died) {
  leave(64 * mebibyte);
  os_.pass_seconds(2);
  const Extent theirs = allocate(0, 60 * mebibyte);
  auto& dead =
      *reinterpret_cast<SlotBlock*>(arena_.at(arena_.geometry().slots_offset + 2 * slot_block_bytes));
  dead.memory.giving_back = theirs.bytes;
  EXPECT_FALSE(extents_.allocate(1, 60 * mebibyte));
}

// MPI may have registered the pages with a network.
TEST_F(TouchTest, has_stale_registrations_dropped_once_after_pages_went_back) {
  leave(64 * mebibyte);
  os_.pass_seconds(2);
  ASSERT_TRUE(extents_.release(allocate(0, 5 * mebibyte).offset));
  arena_.drop_stale_registrations();
  EXPECT_EQ(os_.found_anew_bytes, 0u) << "its pages are kept";
  ASSERT_TRUE(extents_.release(allocate(0, 40 * mebibyte).offset));
  arena_.drop_stale_registrations();
  EXPECT_EQ(os_.found_anew_bytes, 40 * mebibyte);
  arena_.drop_stale_registrations();
  EXPECT_EQ(os_.found_anew_bytes, 40 * mebibyte);
}

TEST_F(TouchTest, has_all_registrations_dropped_once_pages_went_back_too_often_to_be_known) {
  leave(64 * mebibyte);
  os_.pass_seconds(2);
  for (int time = 0; time < 63; ++time) ASSERT_TRUE(extents_.release(allocate(0, 40 * mebibyte).offset));
  arena_.drop_stale_registrations();
  EXPECT_EQ(os_.found_anew_bytes, 63 * 40 * mebibyte);
  os_.found_anew_bytes = 0;
  for (int time = 0; time < 64; ++time) ASSERT_TRUE(extents_.release(allocate(0, 40 * mebibyte).offset));
  arena_.drop_stale_registrations();
  EXPECT_EQ(os_.found_anew_bytes, arena_.reservation_bytes() - arena_.geometry().data_offset);
}

TEST_F(TouchTest, gives_back_what_is_kept_and_not_used_for_long) {
  EXPECT_EQ(extents_.give_back_unused(), 10'000'000'000u) << "nothing is kept";
  const Extent e = allocate(0, 5 * mebibyte);
  fill(e);
  ASSERT_TRUE(extents_.release(e.offset));
  os_.pass_seconds(4);
  EXPECT_EQ(extents_.give_back_unused(), 6'000'000'000u);
  EXPECT_EQ(block_of(arena_).kept_bytes, 5 * mebibyte);
  os_.pass_seconds(7);
  EXPECT_EQ(extents_.give_back_unused(), 10'000'000'000u);
  EXPECT_EQ(block_of(arena_).kept_bytes, 0u);
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(TouchTest, commits_where_the_system_promises_no_pages_on_touch) {
  MemoryOs os;
  os.faults.refuse_touch = true;
  Arena arena = mapped_arena(os, on_touch());
  EXPECT_EQ(arena.ticket().on_touch, 0);
  const std::uint64_t before = os.granted_bytes();
  ASSERT_TRUE(arena.extents().allocate(0, 8 * mebibyte));
  EXPECT_GE(os.granted_bytes(), before + 8 * mebibyte);
}

// ---- small blocks ----

TEST_F(TouchTest, lets_small_blocks_share_pages) {
  const std::uint64_t before = resident();
  std::vector<Extent> blocks;
  for (int i = 0; i < 20000; ++i) {
    blocks.push_back(allocate(0, 16));
    arena_.at(blocks.back().offset)[0] = std::byte{1};
  }
  EXPECT_LE(resident() - before, 2 * mebibyte);
  for (const Extent& each : blocks) ASSERT_TRUE(extents_.release(each.offset));
  EXPECT_LE(extents_.totals().size(), 0u);
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(TouchTest, checks_every_small_block_to_its_last_byte) {
  for (const std::uint64_t bytes : {1U, 2U, 16U, 63U, 64U, 65U, 100U, 500U, 1025U, 2047U, 2048U}) {
    const Extent e = allocate(3, bytes);
    EXPECT_EQ(e.offset % 64, 0u);
    EXPECT_EQ(extents_.check(3, e.offset, bytes), BoundsVerdict::ok) << bytes;
    EXPECT_EQ(extents_.check(3, e.offset + bytes - 1, 1), BoundsVerdict::ok) << bytes;
    EXPECT_EQ(extents_.check(3, e.offset, bytes + 1), BoundsVerdict::past_end) << bytes;
    EXPECT_EQ(extents_.check(3, e.offset + bytes - 1, ~0ULL), BoundsVerdict::past_end) << bytes;
    EXPECT_EQ(extents_.check(2, e.offset, 1), BoundsVerdict::wrong_owner) << bytes;
    EXPECT_NE(extents_.check(3, e.offset + e.reserved, 1), BoundsVerdict::ok) << "the next cell is free";
    EXPECT_FALSE(extents_.release(e.offset + 1));
    Extent found;
    EXPECT_TRUE(extents_.covering(e.offset + bytes - 1, found));
    EXPECT_EQ(found.bytes, bytes);
    ASSERT_TRUE(extents_.retire(e.offset));
    EXPECT_EQ(extents_.check(3, e.offset, 1), BoundsVerdict::retired) << bytes;
    EXPECT_FALSE(extents_.retire(e.offset));
    ASSERT_TRUE(extents_.release(e.offset));
    EXPECT_EQ(extents_.check(3, e.offset, 1), BoundsVerdict::no_extent) << bytes;
    EXPECT_FALSE(extents_.release(e.offset));
  }
}

TEST_F(TouchTest, lets_no_check_pass_on_the_words_of_a_slab) {
  const Extent e = allocate(0, 16);
  for (std::uint64_t offset = e.offset / page_bytes * page_bytes - page_bytes; offset < e.offset;
       offset += 64) {
    EXPECT_NE(extents_.check(0, offset, 1), BoundsVerdict::ok) << offset;
  }
}

TEST_F(TouchTest, tells_local_memory_from_that_of_allocations) {
  for (const std::uint64_t bytes : {std::uint64_t{16}, std::uint64_t{5000}, 3 * mebibyte}) {
    const Extent local = extents_.allocate(1, bytes).value();
    const Extent shared = extents_.allocate(1, bytes, 77).value();
    EXPECT_TRUE(extents_.begins_local(1, local.offset));
    EXPECT_FALSE(extents_.begins_local(2, local.offset)) << "of another worker";
    EXPECT_FALSE(extents_.begins_local(1, local.offset + 64));
    EXPECT_FALSE(extents_.begins_local(1, shared.offset));
    ASSERT_TRUE(extents_.release(local.offset));
    EXPECT_FALSE(extents_.begins_local(1, local.offset));
  }
  EXPECT_FALSE(extents_.begins_local(1, 0));
  EXPECT_FALSE(extents_.begins_local(1, ~0ULL));
}

TEST_F(TouchTest, reuses_what_was_a_slab_as_anything_else) {
  std::vector<Extent> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(allocate(0, 200));
  for (const Extent& each : blocks) ASSERT_TRUE(extents_.release(each.offset));
  const Extent large = allocate(0, 3 * mebibyte);
  fill(large);
  EXPECT_EQ(extents_.check(0, large.offset, large.bytes), BoundsVerdict::ok);
  for (int i = 0; i < 5000; ++i) {
    const Extent e = allocate(0, 200);
    ASSERT_EQ(extents_.check(0, e.offset, 200), BoundsVerdict::ok);
    ASSERT_NE(extents_.check(0, e.offset, 201), BoundsVerdict::ok);
  }
  EXPECT_TRUE(is_consistent(arena_));
}

// Extents of every size side by side: a lookup finds each, whether a span, a page or a cell names it.
TEST_F(TouchTest, finds_every_byte_of_extents_of_every_size) {
  std::mt19937 random(5);
  std::vector<Extent> live;
  for (int step = 0; step < 4000; ++step) {
    const std::uint64_t size = std::uint64_t{1} << random() % 23;
    if (live.size() < 12 || random() % 2 == 0) {
      const Result<Extent> made = extents_.allocate(random() % 4, size + random() % size);
      if (made) live.push_back(made.value());
    }
    if (live.size() > 30 || (!live.empty() && random() % 3 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      const Extent gone = live.back();
      live.pop_back();
      ASSERT_TRUE(extents_.release(gone.offset));
      ASSERT_NE(extents_.check(gone.owner, gone.offset, 1), BoundsVerdict::ok);
    }
    for (const Extent& each : live) {
      ASSERT_EQ(extents_.check(each.owner, each.offset, each.bytes), BoundsVerdict::ok);
      ASSERT_EQ(extents_.check(each.owner, each.offset + random() % each.bytes, 1), BoundsVerdict::ok);
      ASSERT_NE(extents_.check(each.owner, each.offset, each.bytes + 1), BoundsVerdict::ok);
      ASSERT_EQ(extents_.check(each.owner + 1, each.offset, 1), BoundsVerdict::wrong_owner);
      Extent found;
      ASSERT_TRUE(extents_.covering(each.offset + random() % each.bytes, found));
      ASSERT_EQ(found.offset, each.offset);
    }
  }
  EXPECT_TRUE(is_consistent(arena_));
}

}  // namespace
}  // namespace comex::shm
