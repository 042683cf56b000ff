// The marks of dead workers, and what groups make of them.
#include "groups/failures.h"

#include <gtest/gtest.h>

#include <array>

namespace comex::groups {
namespace {

class FailuresOfAHost : public ::testing::Test {
 protected:
  static constexpr std::uint32_t workers = 10;
  static constexpr std::uint32_t hosts = 3;
  alignas(64) std::array<std::byte, Failures::bytes(workers, hosts)> memory_{};
  Failures seen_{memory_.data(), workers};
};

TEST_F(FailuresOfAHost, begin_with_nobody) {
  EXPECT_TRUE(seen_.are_watched());
  EXPECT_EQ(seen_.epoch(), 0u);
  for (Worker worker = 0; worker < workers; ++worker) EXPECT_EQ(seen_.of(worker), WorkerState::alive);
}

TEST_F(FailuresOfAHost, count_each_mark_once_and_only_for_the_worse) {
  EXPECT_TRUE(seen_.mark(9, WorkerState::dead));
  EXPECT_FALSE(seen_.mark(9, WorkerState::dead));
  EXPECT_EQ(seen_.epoch(), 1u);
  EXPECT_TRUE(seen_.mark(9, WorkerState::lost));
  EXPECT_FALSE(seen_.mark(9, WorkerState::dead));
  EXPECT_EQ(seen_.epoch(), 2u);
  EXPECT_EQ(seen_.of(9), WorkerState::lost);
  EXPECT_EQ(seen_.of(8), WorkerState::alive);
}

TEST_F(FailuresOfAHost, count_each_host_that_was_left_once_and_apart_from_workers) {
  seen_.note_left(0);
  seen_.note_left(2);
  seen_.note_left(0);
  EXPECT_EQ(seen_.left_hosts(), 2u);
  EXPECT_EQ(seen_.epoch(), 0u);
}

TEST_F(FailuresOfAHost, are_seen_by_groups_that_have_the_dead_and_by_no_others) {
  const std::array<Lpid, 3> some{1, 7, 4};
  const MemberFailures with(seen_, ConnectionTable::from(some));
  const MemberFailures without(seen_, ConnectionTable::range(0, 4));
  seen_.mark(5, WorkerState::dead);
  EXPECT_FALSE(with.any());
  EXPECT_FALSE(without.any());
  seen_.mark(7, WorkerState::dead);
  EXPECT_TRUE(with.any());
  EXPECT_TRUE(with.any());
  EXPECT_FALSE(without.any());
}

TEST_F(FailuresOfAHost, say_nothing_about_members_of_other_worlds) {
  seen_.mark(9, WorkerState::dead);
  EXPECT_FALSE(MemberFailures(seen_, ConnectionTable::range(10, 5)).any());
}

TEST(FailuresOfNobody, are_not_watched_and_never_any) {
  const Failures none;
  EXPECT_FALSE(none.are_watched());
  EXPECT_EQ(none.epoch(), 0u);
  EXPECT_EQ(none.of(3), WorkerState::alive);
  EXPECT_FALSE(MemberFailures(none, ConnectionTable::range(0, 5)).any());
}

}  // namespace
}  // namespace comex::groups
