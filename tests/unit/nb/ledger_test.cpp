#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "nb/fence_ledger.h"
#include "nb/fifo.h"
#include "nb/request_pool.h"

namespace comex::nb {
namespace {

const Gpid a{1, 10}, b{1, 11}, c{1, 12};

std::uint64_t write(FenceLedger& ledger, TransportRank server, Gpid target) {
  ledger.queue(server, target);
  const std::uint64_t number = ledger.issue(server, target);
  ledger.unqueue(server, target);
  return number;
}

TEST(FenceLedger, numbers_writes_from_one_without_gaps_for_each_server) {
  FenceLedger ledger;
  EXPECT_EQ(write(ledger, 5, a), 1u);
  EXPECT_EQ(write(ledger, 5, b), 2u);
  EXPECT_EQ(write(ledger, 6, a), 1u);
  EXPECT_EQ(ledger.issued(5), 2u);
}

TEST(FenceLedger, a_target_is_clean_once_its_own_last_write_is_applied) {
  FenceLedger ledger;
  EXPECT_FALSE(ledger.dirty(5, a));
  write(ledger, 5, a);
  write(ledger, 5, b);
  ledger.applied(5, 1);
  EXPECT_FALSE(ledger.dirty(5, a));
  EXPECT_TRUE(ledger.dirty(5, b));
  EXPECT_TRUE(ledger.dirty(5));
  ledger.applied(5, 2);
  EXPECT_FALSE(ledger.dirty(5));
}

TEST(FenceLedger, a_write_that_waits_to_be_sent_makes_dirty_too) {
  FenceLedger ledger;
  EXPECT_FALSE(ledger.dirty());
  ledger.queue(5, a);
  EXPECT_TRUE(ledger.dirty());
  EXPECT_TRUE(ledger.dirty(5));
  EXPECT_TRUE(ledger.dirty(5, a));
  EXPECT_FALSE(ledger.dirty(5, b));
}

TEST(FenceLedger, an_older_reply_does_not_undo_a_newer_one) {
  FenceLedger ledger;
  for (int i = 0; i < 3; ++i) write(ledger, 5, a);
  ledger.applied(5, 3);
  ledger.applied(5, 1);
  EXPECT_FALSE(ledger.dirty(5));
}

TEST(FenceLedger, walks_the_dirty_servers_only) {
  FenceLedger ledger;
  for (TransportRank server = 0; server < 100; ++server) write(ledger, server, a);
  for (TransportRank server = 0; server < 100; ++server)
    if (server % 10 != 3) ledger.applied(server, 1);
  for (int round = 0; round < 2; ++round) {
    std::vector<TransportRank> seen;
    ledger.for_each_dirty([&](TransportRank server) { seen.push_back(server); });
    EXPECT_EQ(seen.size(), 10u);
    for (const TransportRank server : seen) EXPECT_EQ(server % 10, 3);
  }
  write(ledger, 4, a);
  unsigned count = 0;
  ledger.for_each_dirty([&](TransportRank) { ++count; });
  EXPECT_EQ(count, 11u) << "a server that became dirty again";
  for (TransportRank server = 0; server < 100; ++server) ledger.applied(server, ledger.issued(server));
  ledger.for_each_dirty([](TransportRank) { ADD_FAILURE() << "a clean server"; });
  EXPECT_FALSE(ledger.dirty());
}

TEST(FenceLedger, a_refused_write_is_told_once) {
  FenceLedger ledger;
  ledger.add_failure(a);
  ledger.add_failure(b);
  ledger.add_failure(b);
  EXPECT_EQ(ledger.take_failures(5, b), 2u);
  EXPECT_EQ(ledger.take_failures(5, b), 0u);
  EXPECT_EQ(ledger.take_failures(), 1u);
  EXPECT_FALSE(ledger.has_failures());
}

constexpr std::uint32_t many_ranks = 20 * static_cast<std::uint32_t>(FenceLedger::kept);

TEST(FenceLedger, a_lost_server_is_clean_and_fails_the_targets_whose_writes_may_be_lost) {
  FenceLedger ledger;
  write(ledger, 5, a);
  write(ledger, 5, b);
  ledger.queue(5, b);
  write(ledger, 6, c);
  ledger.applied(5, 1);
  ledger.give_up(5);
  EXPECT_FALSE(ledger.dirty(5));
  EXPECT_TRUE(ledger.dirty(6));
  EXPECT_EQ(ledger.take_failures(5, a), 0u) << "its only write was applied";
  EXPECT_EQ(ledger.take_failures(5, b), 1u);
  EXPECT_EQ(ledger.take_failures(6, c), 0u) << "of another server";
}

TEST(FenceLedger, a_lost_server_fails_whoever_fences_it_if_mirrors_lacked_something) {
  FenceLedger ledger;
  ledger.applied(5, write(ledger, 5, a));
  ledger.note_unmirrored(5, true);
  ledger.note_unmirrored(6, true);
  ledger.give_up(5);
  EXPECT_FALSE(ledger.dirty(5));
  EXPECT_TRUE(ledger.has_failures());
  EXPECT_EQ(ledger.take_failures(6, c), 0u) << "that server lives";
  EXPECT_EQ(ledger.take_failures(5, b), 1u) << "an atomic to it has left no entry";
  EXPECT_EQ(ledger.take_failures(5, a), 0u) << "it has been told";
  ledger.give_up(6);
  EXPECT_EQ(ledger.take_failures(), 1u);
  EXPECT_FALSE(ledger.has_failures());
}

TEST(FenceLedger, a_lost_server_fails_whoever_fences_it_if_its_targets_were_forgotten) {
  FenceLedger ledger;
  for (std::uint32_t rank = 0; rank < many_ranks; ++rank) write(ledger, 5, {1, rank});
  ledger.give_up(5);
  EXPECT_NE(ledger.take_failures(5, {1, 0}), 0u);
}

TEST(FenceLedger, a_server_with_an_unanswered_atomic_is_dirty_until_the_answer) {
  FenceLedger ledger;
  ledger.begin_atomic(5);
  ledger.begin_atomic(5);
  ledger.end_atomic(5);
  EXPECT_TRUE(ledger.dirty(5, a));
  std::vector<TransportRank> dirty;
  ledger.for_each_dirty([&](TransportRank server) { dirty.push_back(server); });
  EXPECT_EQ(dirty, std::vector<TransportRank>{5});
  ledger.end_atomic(5);
  EXPECT_FALSE(ledger.dirty(5, a));
  ledger.begin_atomic(5);
  ledger.give_up(5);
  EXPECT_FALSE(ledger.dirty(5, a));
}

TEST(FenceLedger, forgets_targets_whose_writes_are_applied) {
  FenceLedger ledger;
  for (std::uint32_t rank = 0; rank < many_ranks; ++rank) {
    ledger.applied(5, write(ledger, 5, {1, rank}));
    ASSERT_LE(ledger.targets(), FenceLedger::kept);
  }
  EXPECT_FALSE(ledger.dirty(5));
}

TEST(FenceLedger, takes_more_targets_for_dirty_than_are_but_none_for_clean_that_is_not) {
  FenceLedger ledger;
  for (std::uint32_t rank = 0; rank < many_ranks; ++rank) {
    write(ledger, static_cast<TransportRank>(rank % 4), {1, rank});
    ASSERT_LE(ledger.targets(), FenceLedger::kept);
  }
  const auto dirty = [&](std::uint32_t rank) {
    return ledger.dirty(static_cast<TransportRank>(rank % 4), {1, rank});
  };
  for (std::uint32_t rank = 0; rank < many_ranks; ++rank) ASSERT_TRUE(dirty(rank)) << rank;
  ledger.applied(2, many_ranks / 4);
  for (std::uint32_t rank = 0; rank < many_ranks; ++rank) ASSERT_EQ(dirty(rank), rank % 4 != 2) << rank;
  write(ledger, 2, {1, 6});
  EXPECT_TRUE(dirty(6));
  EXPECT_FALSE(dirty(10)) << "what was forgotten is applied";
}

TEST(FenceLedger, keeps_targets_with_unsent_writes) {
  FenceLedger ledger;
  constexpr std::uint32_t unsent = 3 * static_cast<std::uint32_t>(FenceLedger::kept);
  for (std::uint32_t rank = 0; rank < unsent; ++rank) ledger.queue(5, {1, rank});
  for (std::uint32_t rank = unsent; rank < many_ranks; ++rank) write(ledger, 5, {1, rank});
  ledger.applied(5, ledger.issued(5));
  EXPECT_LE(ledger.targets(), 2 * unsent);
  for (std::uint32_t rank = 0; rank < many_ranks; ++rank)
    ASSERT_EQ(ledger.dirty(5, {1, rank}), rank < unsent);
  for (std::uint32_t rank = 0; rank < unsent; ++rank) {
    ledger.issue(5, {1, rank});
    ledger.unqueue(5, {1, rank});
  }
  EXPECT_TRUE(ledger.dirty(5, {1, 0}));
  ledger.applied(5, ledger.issued(5));
  ledger.tidy();
  EXPECT_EQ(ledger.targets(), 0u);
  EXPECT_FALSE(ledger.dirty(5));
}

TEST(FenceLedger, goes_on_with_the_numbers_of_a_server_that_it_had_forgotten) {
  FenceLedger ledger;
  for (int i = 0; i < 3; ++i) write(ledger, 5, a);
  ledger.applied(5, 3);
  ledger.for_each_dirty([](TransportRank) { ADD_FAILURE(); });
  const std::uint64_t issued = ledger.forget_server(5);
  EXPECT_EQ(issued, 3u);
  EXPECT_FALSE(ledger.dirty(5, a));
  EXPECT_EQ(ledger.forget_server(5), 0u);
  ledger.resume(5, issued);
  EXPECT_FALSE(ledger.dirty(5));
  EXPECT_EQ(write(ledger, 5, a), 4u);
  EXPECT_TRUE(ledger.dirty(5, a));
}

TEST(FenceLedger, tells_refused_writes_to_targets_that_it_has_forgotten) {
  FenceLedger ledger;
  write(ledger, 5, a);
  ledger.add_failure(a);
  ledger.applied(5, 1);
  for (std::uint32_t rank = 100; rank < many_ranks; ++rank) write(ledger, 5, {1, rank});
  EXPECT_EQ(ledger.take_failures(5, a), 1u);
}

TEST(SlotTable, gives_out_each_slot_once_and_never_slot_zero) {
  SlotTable slots(5);
  int owner = 0;
  for (std::uint32_t i = 1; i < 5; ++i) EXPECT_EQ(slots.take(&owner), i);
  EXPECT_EQ(slots.take(&owner), SlotTable::none);
  EXPECT_EQ(slots.available(), 0u);
  slots.forget_owner(2);
  EXPECT_EQ(slots.owner(2), nullptr);
  EXPECT_EQ(slots.take(&owner), SlotTable::none) << "still out";
  slots.give_back(2);
  EXPECT_EQ(slots.take(&owner), 2u);
  EXPECT_EQ(slots.owner(2), &owner);
  EXPECT_EQ(slots.owner(77), nullptr);
}

TEST(SlotTable, begins_again_with_the_first_slot_when_it_is_tidied_and_none_is_out) {
  SlotTable slots;
  int owner = 0;
  for (std::uint32_t i = 1; i <= 3000; ++i) EXPECT_EQ(slots.take(&owner), i);
  for (std::uint32_t i = 3000; i > 1; --i) slots.give_back(i);
  slots.tidy();
  EXPECT_EQ(slots.owner(1), &owner) << "it is out";
  slots.give_back(1);
  slots.tidy();
  EXPECT_EQ(slots.available(), protocol::slot_count - 1);
  for (std::uint32_t i = 1; i <= 3000; ++i) EXPECT_EQ(slots.take(&owner), i);
}

TEST(ObjectPool, reuses_what_came_back_with_what_it_held) {
  ObjectPool<std::vector<int>> pool;
  std::vector<int>* first = pool.take();
  first->reserve(100);
  pool.give_back(first);
  EXPECT_EQ(pool.in_use(), 0u);
  std::vector<int>* again = pool.take();
  EXPECT_EQ(again, first);
  EXPECT_GE(again->capacity(), 100u);
}

TEST(ObjectPool, gives_back_what_was_not_needed_since_the_last_time_and_nothing_in_use) {
  ObjectPool<int> pool;
  std::vector<int*> taken(1000);
  for (int*& each : taken) each = pool.take();
  pool.tidy();
  EXPECT_GE(pool.capacity(), taken.size());
  for (int* each : taken) pool.give_back(each);
  pool.tidy();
  EXPECT_GE(pool.capacity(), taken.size()) << "it was needed";
  pool.give_back(pool.take());
  pool.tidy();
  EXPECT_LT(pool.capacity(), 100u);
  pool.give_back(pool.take());
  const std::size_t capacity = pool.capacity();
  pool.tidy();
  EXPECT_EQ(pool.capacity(), capacity) << "as many are needed again and again";
  for (int*& each : taken) *(each = pool.take()) = 1;
  std::ranges::sort(taken);
  EXPECT_EQ(std::ranges::adjacent_find(taken), taken.end()) << "given out twice";
}

TEST(Fifo, gives_in_order_and_keeps_no_more_than_twice_what_is_in_it) {
  Fifo<int> queue;
  EXPECT_TRUE(queue.empty());
  int next = 0;
  for (int i = 0; i < 100'000; ++i) {
    queue.push_back(i);
    if (i % 1000 >= 10) {
      ASSERT_EQ(queue.front(), next++);
      queue.pop_front();
    }
  }
  EXPECT_EQ(queue.size(), 1000u);
  EXPECT_LE(queue.capacity(), 4096u);
  EXPECT_EQ(static_cast<std::size_t>(queue.end() - queue.begin()), queue.size());
  while (!queue.empty()) {
    ASSERT_EQ(queue.front(), next++);
    queue.pop_front();
  }
  EXPECT_EQ(next, 100'000);
}

}  // namespace
}  // namespace comex::nb
