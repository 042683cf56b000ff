// What is under way: when accesses are done, and which buffers belong to an operation.
#include "checker/history.h"

#include <gtest/gtest.h>

#include <array>

#include "checker/pending.h"
#include "checker/shape.h"

namespace comex::checker {
namespace {

Region bytes_at(std::uint64_t begin, std::uint64_t bytes) {
  return {begin, contiguous_patch(bytes)};
}

Region column_at(std::uint64_t begin, int bytes, int rows, int stride) {
  const std::array<int, 1> strides = {stride};
  const std::array<int, 2> counts = {bytes, rows};
  return {begin, make_patch(1, strides.data(), strides.data(), counts.data()).value()};
}

TEST(ShapeTest, FindsTheFirstCommonByte) {
  EXPECT_EQ(common_byte(bytes_at(0, 8), bytes_at(4, 8)), 4U);
  EXPECT_EQ(common_byte(bytes_at(0, 8), bytes_at(8, 8)), std::nullopt);
  EXPECT_EQ(common_byte(column_at(0, 8, 10, 64), column_at(8, 8, 10, 64)), std::nullopt);
  EXPECT_EQ(common_byte(column_at(0, 8, 10, 64), column_at(4, 8, 10, 64)), 4U);
  EXPECT_EQ(common_byte(column_at(0, 8, 10, 64), bytes_at(200, 1000)), 256U);
  EXPECT_EQ(common_byte(column_at(0, 8, 10, 64), bytes_at(584, 100)), std::nullopt)
      << "the last row ends there";
  EXPECT_EQ(common_byte(column_at(0, 8, 7, 48), column_at(12, 8, 5, 64)), 144U) << "strides that do not nest";
}

class HistoryTest : public ::testing::Test {
 protected:
  AccessIndex write_to(std::uint16_t owner, std::uint64_t begin = 64) {
    const AccessIndex made = history.add({.owner = owner, .use = Use::write}, bytes_at(begin, 8), clocks);
    history.await_fence(made);
    return made;
  }
  Time done(AccessIndex access) const { return history.accesses()[access].done; }

  Clocks clocks{3, 0};
  History history{3};
};

TEST_F(HistoryTest, FenceCoversTheWritesToItsOwner) {
  const AccessIndex one = write_to(1);
  const AccessIndex two = write_to(2);
  clocks.tick();
  history.fence(0, 1, clocks.now());
  EXPECT_EQ(done(one), clocks.now());
  EXPECT_EQ(done(two), never);
}

TEST_F(HistoryTest, FenceThatBeganBeforeAWriteDoesNotCoverIt) {
  const AccessIndex before = write_to(1);
  const AccessIndex limit = history.size();
  const AccessIndex after = write_to(1);
  history.fence(0, 1, 5, limit);
  EXPECT_EQ(done(before), 5);
  EXPECT_EQ(done(after), never);
  history.fence(0, 1, 6);
  EXPECT_EQ(done(before), 5);
  EXPECT_EQ(done(after), 6);
}

TEST_F(HistoryTest, ForgetsThatTheOwnerFreedTheBytes) {
  const AccessIndex here = history.add({.use = Use::freed}, bytes_at(100, 50), clocks);
  const AccessIndex there = history.add({.use = Use::freed}, bytes_at(150, 50), clocks);
  history.forget_freed(120, 150);
  EXPECT_EQ(history.accesses()[here].bytes, 0U);
  EXPECT_EQ(history.accesses()[there].bytes, 50U);
}

TEST_F(HistoryTest, FenceOfARangeLeavesTheRest) {
  const AccessIndex inside = write_to(1, 100);
  const AccessIndex outside = write_to(1, 300);
  history.fence_range(0, 1, {100, 200}, 1);
  EXPECT_EQ(done(inside), 1);
  EXPECT_EQ(done(outside), never);
  history.fence(0, 1, 2);
  EXPECT_EQ(done(outside), 2);
}

TEST_F(HistoryTest, ForgetsWhatIsDoneAndKeepsTheRest) {
  const AccessIndex one = write_to(1);
  history.add({.owner = 1, .use = Use::read}, column_at(0, 8, 4, 32), clocks);
  const AccessIndex open = write_to(2);
  history.fence(0, 1, 1);
  const std::vector<AccessIndex> moved = history.forget_done();
  EXPECT_EQ(moved[one], History::gone);
  ASSERT_EQ(history.size(), 2U) << "the read is not done either";
  EXPECT_NE(history.accesses()[moved[1]].shape, 0U);
  history.fence(0, 2, 7);
  EXPECT_EQ(done(moved[open]), 7);
  EXPECT_EQ(history.tables().shapes.size(), 1U);
}

TEST_F(HistoryTest, WhatWasRefusedIsForgottenBeforeItsFence) {
  const AccessIndex refused = write_to(1);
  const AccessIndex open = write_to(1);
  history.drop(refused);
  const std::vector<AccessIndex> moved = history.forget_done();
  EXPECT_EQ(moved[refused], History::gone);
  history.fence(0, 1, 7);
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(done(moved[open]), 7);
}

TEST_F(HistoryTest, ReadsOfAWordInALoopArePolls) {
  std::array<AccessIndex, 3> reads{};
  for (AccessIndex& read : reads) {
    read = history.add({.site = 4, .owner = 1, .use = Use::word_read}, bytes_at(64, 8), clocks);
    history.read_word(read, 5, false);
  }
  EXPECT_TRUE(history.accesses()[reads[0]].is_polled);
  EXPECT_TRUE(history.accesses()[reads[1]].is_polled);
  EXPECT_FALSE(history.accesses()[reads[2]].is_polled);
}

TEST_F(HistoryTest, ReadOfAWordThatHasChangedSinceTheLastMeetingIsAPoll) {
  const auto read = [&](std::int64_t value) {
    const AccessIndex made = history.add({.owner = 1, .use = Use::word_read}, bytes_at(64, 8), clocks);
    history.read_word(made, value, false);
    history.finish(made, 1);
    return history.accesses()[made].is_polled;
  };
  EXPECT_FALSE(read(5));
  history.forget_done();
  EXPECT_TRUE(read(6));
  history.forget_done();
  history.forget_done();
  EXPECT_FALSE(read(7)) << "nothing is kept for ever";
}

Started with_buffer(const Region& region, bool is_filled) {
  Started started;
  started.buffers.push_back({region, is_filled, 0});
  return started;
}

TEST(PendingTest, BuffersBelongToTheirOperationUntilItIsTaken) {
  Pending pending;
  const int reads = pending.add(with_buffer(bytes_at(100, 50), false));
  const int fills = pending.add(with_buffer(bytes_at(200, 50), true));
  EXPECT_FALSE(pending.clash({bytes_at(100, 50), false, 0})) << "both only read";
  EXPECT_TRUE(pending.clash({bytes_at(140, 50), true, 0}));
  EXPECT_TRUE(pending.clash({bytes_at(240, 50), false, 0}));
  EXPECT_FALSE(pending.clash({bytes_at(250, 50), true, 0}));
  EXPECT_TRUE(pending.take(reads));
  EXPECT_FALSE(pending.take(reads));
  EXPECT_FALSE(pending.clash({bytes_at(140, 50), true, 0}));
  EXPECT_TRUE(pending.take(fills));
  EXPECT_TRUE(pending.all().empty());
}

TEST(PendingTest, HandleOfWhatIsCompleteIsKept) {
  Pending pending;
  const int handle = pending.add(with_buffer(bytes_at(100, 50), true));
  EXPECT_TRUE(Pending::is_ours(handle));
  pending.find(handle)->real_handle = 7;
  EXPECT_TRUE(pending.settle(handle, -1));
  EXPECT_FALSE(pending.settle(handle, 0)) << "it was settled";
  EXPECT_FALSE(pending.clash({bytes_at(100, 50), true, 0})) << "the buffer is the program's again";
  ASSERT_NE(pending.find(handle), nullptr);
  EXPECT_EQ(pending.find(handle)->real_handle, 7);
  EXPECT_EQ(pending.take(handle)->refusal, -1) << "its wait tells";
  EXPECT_EQ(pending.find(handle), nullptr);
}

TEST(PendingTest, HandlesThatAreOpenAreNotGivenAgain) {
  constexpr int handles = 3;
  Pending pending(handles);
  const int open = pending.add({.site = 1});
  std::uint64_t last = pending.find(open)->serial;
  for (std::uint32_t site = 2; site < 9; ++site) {
    const int handle = pending.add({.site = site});
    ASSERT_NE(handle, open);
    EXPECT_TRUE(Pending::is_ours(handle));
    ASSERT_EQ(pending.find(handle)->site, site);
    EXPECT_LT(last, pending.find(handle)->serial) << "numbers come again, serial numbers do not";
    last = pending.find(handle)->serial;
    pending.take(handle);
  }
  EXPECT_EQ(pending.find(open)->site, 1U);
}

TEST(PendingTest, FenceCoversTheSameAccessesWhenSomeAreForgotten) {
  Pending pending;
  const int fence = pending.add({.is_fence = true, .covers = 3});
  pending.accesses_moved({0, History::gone, History::gone, 1});
  EXPECT_EQ(pending.find(fence)->covers, 1U);
  pending.accesses_moved({History::gone, 0});
  EXPECT_EQ(pending.find(fence)->covers, 0U);
}

TEST(PendingTest, ColumnsBesideEachOtherDoNotClash) {
  Pending pending;
  pending.add(with_buffer(column_at(0, 8, 10, 64), true));
  EXPECT_FALSE(pending.clash({column_at(8, 8, 10, 64), true, 0}));
  EXPECT_TRUE(pending.clash({column_at(60, 8, 10, 64), true, 0}));
}

TEST(PendingTest, ChecksumSeesEveryByte) {
  std::array<char, 21> memory{};
  const Region region = bytes_at(reinterpret_cast<std::uint64_t>(memory.data()), memory.size());
  const std::uint64_t before = checksum(region);
  for (char& byte : memory) {
    byte = 1;
    EXPECT_NE(checksum(region), before) << &byte - memory.data();
    byte = 0;
  }
  EXPECT_EQ(checksum(region), before);
}

}  // namespace
}  // namespace comex::checker
