#include "shm/mirrored_part.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "support.h"

namespace comex::shm {
namespace {

constexpr std::uint64_t block = MirroredPart::block_bytes;

using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

class Part {
 public:
  explicit Part(std::uint64_t bytes) : memory_(MirroredPart::bytes_behind(bytes) / 64 + 2) {
    part().format(bytes);
  }
  MirroredPart& part() { return *reinterpret_cast<MirroredPart*>(memory_.data()); }
  // Takes all marks, in steps of so many blocks.
  Runs take(std::uint64_t step) {
    Runs taken;
    for (std::uint64_t next = 0; !part().is_end(next);) {
      const MirroredPart::Blocks blocks = part().take_marked(next, step);
      if (blocks.bytes != 0) taken.emplace_back(blocks.offset, blocks.bytes);
    }
    return taken;
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> memory_;
};

TEST(MirroredPart, gives_each_written_block_once) {
  Part all(10 * block + 100);
  EXPECT_FALSE(all.part().take_dirty());
  all.part().mark(block - 1, 2);        // two blocks
  all.part().mark(5 * block, block);    // one
  all.part().mark(10 * block + 99, 1);  // the last, which is short
  all.part().mark(3 * block, 0);        // none
  EXPECT_TRUE(all.part().take_dirty());
  EXPECT_FALSE(all.part().take_dirty());
  EXPECT_EQ(all.take(100), (Runs{{0, 2 * block}, {5 * block, block}, {10 * block, 100}}));
  EXPECT_EQ(all.take(100), Runs{});
  all.part().mark(0, 10 * block + 100);
  EXPECT_EQ(all.take(4), (Runs{{0, 4 * block}, {4 * block, 4 * block}, {8 * block, 2 * block + 100}}));
}

// What is marked while marks are taken is not lost: it is taken now or later.
TEST(MirroredPart, loses_no_mark_of_a_writer_beside) {
  constexpr std::uint64_t blocks = 64;
  constexpr std::uint32_t rounds = 20'000;
  Part all(blocks * block);
  std::vector<std::atomic<std::uint32_t>> words(blocks);
  std::vector<std::uint32_t> mirror(blocks);
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      const std::uint64_t at = round * 7 % blocks;
      words[at].store(round, std::memory_order_relaxed);
      all.part().mark(at * block, 1);
    }
    is_over = true;
  });
  for (bool is_last = false; !is_last;) {
    is_last = is_over;
    if (!all.part().take_dirty()) continue;
    for (const auto& [offset, bytes] : all.take(blocks)) {
      for (std::uint64_t at = offset / block; at < (offset + bytes) / block; ++at)
        mirror[at] = words[at].load(std::memory_order_relaxed);
    }
  }
  writer.join();
  for (std::uint64_t at = 0; at < blocks; ++at) EXPECT_EQ(mirror[at], words[at].load()) << at;
}

class MirroredExtents : public testing::Test {
 protected:
  HookedOs os_;
  Arena arena_ = mapped_arena(os_, small_arena(4));
  Extents& extents_ = arena_.extents();

  // With what lies behind them.
  static std::uint64_t whole(std::uint64_t bytes) { return bytes + MirroredPart::bytes_behind(bytes); }
  Extent allocate(std::uint64_t bytes) {
    Result<Extent> made = extents_.allocate_mirrored(3, bytes, 1);
    EXPECT_TRUE(made) << (made ? "" : made.failure().text);
    extents_.behind(made->offset).format(bytes);
    extents_.show_mirrored(made->offset);
    return made.value();
  }
};

TEST_F(MirroredExtents, mark_what_is_written_to_them_and_nothing_else) {
  const Extent plain = extents_.allocate(3, 5000).value();
  EXPECT_FALSE(extents_.has_mirrored());
  const Extent kept = allocate(5000);
  EXPECT_TRUE(extents_.has_mirrored());
  EXPECT_FALSE(extents_.note_written(plain.offset, 8));
  EXPECT_TRUE(extents_.note_written(kept.offset + 4999, 1));
  MirroredPart& part = extents_.behind(kept.offset);
  EXPECT_TRUE(part.take_dirty());
  std::uint64_t next = 0;
  EXPECT_EQ(part.take_marked(next, 100).offset, 4 * block);
  EXPECT_FALSE(extents_.note_written(~0ULL, 8));
}

TEST_F(MirroredExtents, let_nobody_touch_what_lies_behind_them) {
  for (const std::uint64_t bytes : {1ULL, 64ULL, 4096ULL, 5000ULL, 3ULL << 20}) {
    const Extent kept = allocate(bytes);
    EXPECT_EQ(extents_.check(3, kept.offset, bytes), BoundsVerdict::ok);
    EXPECT_NE(extents_.check(3, kept.offset + bytes, 1), BoundsVerdict::ok);
    EXPECT_NE(extents_.check(3, arena_.offset_of(&extents_.behind(kept.offset)), 1), BoundsVerdict::ok);
    std::memset(arena_.at(kept.offset), 0xff, bytes);
    EXPECT_FALSE(extents_.behind(kept.offset).take_dirty());
  }
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(MirroredExtents, are_listed_until_they_are_retired) {
  const Extent first = allocate(100);
  const Extent second = allocate(100);
  const std::uint32_t changes = extents_.mirrored_changes();
  ASSERT_EQ(extents_.mirrored().size(), 2u);
  ASSERT_TRUE(extents_.retire(first.offset));
  EXPECT_NE(extents_.mirrored_changes(), changes);
  ASSERT_EQ(extents_.mirrored().size(), 1u);
  EXPECT_EQ(extents_.mirrored().front().offset, second.offset);
  EXPECT_FALSE(extents_.note_written(first.offset, 8));
  ASSERT_TRUE(extents_.release(first.offset));
  ASSERT_TRUE(extents_.release(second.offset));
  EXPECT_FALSE(extents_.has_mirrored());
  EXPECT_TRUE(is_consistent(arena_));
}

TEST_F(MirroredExtents, are_refused_with_numbers_that_add_up) {
  ASSERT_TRUE(extents_.allocate(0, mebibyte));  // the records
  os_.faults.limit_bytes = os_.granted_bytes() + 8 * mebibyte + page_bytes;
  const Result<Extent> made = extents_.allocate_mirrored(0, 8 * mebibyte, 1);
  ASSERT_FALSE(made);
  const std::string numbers = "wanted " + std::to_string(whole(8 * mebibyte)) + " bytes, free 8392704,";
  EXPECT_NE(made.failure().text.find(numbers), std::string::npos) << made.failure().text;
}

TEST_F(MirroredExtents, announce_all_that_they_give_back) {
  const Extent kept = allocate(20 * mebibyte);
  std::uint64_t announced = 0;
  os_.at_punch = [&] {
    announced = reinterpret_cast<SlotBlock*>(arena_.at(arena_.geometry().slots_offset))->memory.giving_back;
  };
  ASSERT_TRUE(extents_.release(kept.offset));
  EXPECT_EQ(announced, round_up(whole(20 * mebibyte), page_bytes));
}

TEST(MirroredAllocation, does_not_wait_for_what_is_not_enough) {
  HookedOs os;
  ArenaOptions options = small_arena();
  options.on_touch = true;
  Arena arena = mapped_arena(os, options);
  const std::uint64_t most = os.resident_bytes(*arena.lock_party().object) + 64 * mebibyte;
  os.faults.limit_bytes = most;
  ASSERT_TRUE(arena.extents().retire(arena.extents().allocate(1, 60 * mebibyte)->offset));
  unsigned slept = 0;
  os.at_sleep = [&] { ++slept; };
  EXPECT_FALSE(arena.extents().allocate_mirrored(0, most, 1));
  EXPECT_EQ(slept, 0u);
}

}  // namespace
}  // namespace comex::shm
