#include "nb/handle_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace comex::nb {
namespace {

using State = HandleTable::State;

TEST(HandleTable, issues_positive_handles_that_are_pending_until_completed) {
  HandleTable table;
  const int handle = table.issue();
  EXPECT_GT(handle, 0);
  EXPECT_EQ(table.state(handle), State::pending);
  table.find(handle)->complete();
  EXPECT_EQ(table.state(handle), State::done);
  EXPECT_EQ(table.state(handle), State::done) << "waited for twice";
}

TEST(HandleTable, knows_a_value_that_was_never_issued) {
  HandleTable table;
  const int handle = table.issue();
  EXPECT_EQ(table.state(0), State::unknown);
  EXPECT_EQ(table.state(-1), State::unknown);
  EXPECT_EQ(table.state(12345), State::unknown);
  EXPECT_EQ(table.state(handle + 1), State::unknown) << "a slot not used yet";
  EXPECT_EQ(table.state(handle + (1 << 20)), State::unknown) << "a generation to come";
  EXPECT_EQ(table.find(0x7fffffff), nullptr);
}

TEST(HandleTable, the_handle_of_what_completed_at_once_is_done) {
  HandleTable table;
  EXPECT_EQ(table.state(HandleTable::completed_handle), State::done);
  EXPECT_GT(HandleTable::completed_handle, 0);
}

TEST(HandleTable, grows_while_everything_is_pending) {
  HandleTable table;
  std::set<int> handles;
  for (int i = 0; i < 5000; ++i) handles.insert(table.issue());
  EXPECT_EQ(handles.size(), 5000u);
  Completion* first = table.find(*handles.begin());
  for (const int handle : handles) EXPECT_EQ(table.state(handle), State::pending);
  EXPECT_EQ(table.find(*handles.begin()), first) << "slots stay in place";
}

TEST(HandleTable, reuses_slots_without_ever_reviving_an_old_handle) {
  HandleTable table;
  std::vector<int> old;
  for (int i = 0; i < 20000; ++i) {
    const int handle = table.issue();
    table.find(handle)->complete();
    if (i % 500 == 0) old.push_back(handle);
  }
  EXPECT_LE(table.slots(), 2048u);
  const int pending = table.issue();
  for (const int handle : old) EXPECT_EQ(table.state(handle), State::done);
  EXPECT_EQ(table.state(pending), State::pending);
}

TEST(HandleTable, spent_generations_retire_a_slot_instead_of_wrapping) {
  HandleTable table;
  const int first = table.issue();
  table.find(first)->complete();
  const int slot_mask = (1 << 20) - 1;
  for (int i = 0; i < 3'000'000; ++i) {
    const int handle = table.issue();
    // A wrapped generation would give the very first handle out again, pending.
    ASSERT_NE(handle, first);
    ASSERT_GT(handle, 0);
    table.find(handle)->complete();
  }
  EXPECT_EQ(table.state(first), State::done);
  EXPECT_NE(table.issue() & slot_mask, first & slot_mask);
  EXPECT_LE(table.slots(), 4096u);
}

TEST(HandleTable, a_failure_is_told_once_and_keeps_its_slot_until_then) {
  HandleTable table;
  const int handle = table.issue();
  table.find(handle)->fail();
  table.find(handle)->complete();
  for (int i = 0; i < 5000; ++i) table.find(table.issue())->complete();
  EXPECT_EQ(table.take_failure(handle), OperationError::reported);
  EXPECT_EQ(table.take_failure(handle), OperationError::none);
  EXPECT_EQ(table.state(handle), State::done);
}

TEST(HandleTable, failures_that_nobody_has_taken_are_told_at_once) {
  HandleTable table;
  const int taken = table.issue();
  table.find(taken)->fail();
  EXPECT_EQ(table.take_failure(taken), OperationError::reported);
  EXPECT_FALSE(table.take_failures());
  for (int i = 0; i < 3; ++i) {
    const int handle = table.issue();
    table.find(handle)->fail();
    table.find(handle)->complete();
  }
  EXPECT_TRUE(table.take_failures());
  EXPECT_FALSE(table.take_failures());
}

// A million are under way; of the first chunk's slots one has failed, and the others have used up their
// generations.
TEST(HandleTable, generations_begin_again_when_every_slot_is_pending_or_retired) {
  HandleTable table;
  const int failed = table.issue();
  table.find(failed)->fail();
  table.find(failed)->complete();
  int latest = table.issue();
  for (; table.slots() == HandleTable::chunk_slots; latest = table.issue()) table.find(latest)->complete();

  std::vector<bool> is_pending(1u << 20);
  const auto keep = [&](int handle) -> bool {
    const std::size_t slot = static_cast<std::size_t>(handle) % is_pending.size();
    if (handle <= 0 || is_pending[slot]) return false;
    return is_pending[slot] = true;
  };
  EXPECT_TRUE(keep(latest));
  for (std::size_t i = HandleTable::chunk_slots + 1; i < is_pending.size(); ++i)
    ASSERT_TRUE(keep(table.issue()));
  for (std::size_t i = 2; i < HandleTable::chunk_slots; ++i)
    ASSERT_TRUE(keep(table.issue())) << "a spent slot";
  EXPECT_EQ(table.issue(), 0) << "what has failed keeps its slot";
  EXPECT_EQ(table.take_failure(failed), OperationError::reported);
  EXPECT_TRUE(keep(table.issue()));
  EXPECT_EQ(table.issue(), 0) << "all are under way";
}

TEST(HandleTable, threads_may_issue_and_look_at_once) {
  HandleTable table;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        const int handle = table.issue();
        if (table.state(handle) != State::pending) ++wrong;
        table.find(handle)->complete();
        if (table.state(handle) != State::done) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace comex::nb
