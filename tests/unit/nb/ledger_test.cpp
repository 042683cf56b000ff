#include <gtest/gtest.h>

#include <vector>

#include "nb/fence_ledger.h"
#include "nb/request_pool.h"

namespace comex::nb {
namespace {

const Gpid a{1, 10}, b{1, 11};

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
  EXPECT_EQ(ledger.take_failures(b), 2u);
  EXPECT_EQ(ledger.take_failures(b), 0u);
  EXPECT_EQ(ledger.take_failures(), 1u);
  EXPECT_FALSE(ledger.has_failures());
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

}  // namespace
}  // namespace comex::nb
