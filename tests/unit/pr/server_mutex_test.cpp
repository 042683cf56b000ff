// The user's mutexes through a server.
#include <array>

#include "server_rig.h"

namespace comex::pr {
namespace {

using namespace rig;

class ServerMutex : public ::testing::Test {
 protected:
  void SetUp() override {
    set = rig.allocate(target, 4 * sizeof(shm::FairMutexBlock));
    rig.arena.mutexes_of(1).show(set, 4);
  }
  std::uint32_t lock(Hand& hand, std::uint64_t mutex = 1) {
    EXPECT_TRUE(hand.wait_credit());
    return hand.simple(Verb::lock, unused, mutex);
  }
  // The first origin holds the mutex, the second and the third stand in line. Returns the third one's slot.
  std::uint32_t lock_in_turn() {
    EXPECT_NE(a.reply_to(lock(a), 3), nullptr);
    lock(b);
    rig.run(2);
    const std::uint32_t third = lock(c);
    rig.run(2);
    return third;
  }
  bool unlock(Hand& hand, std::uint64_t mutex = 1) {
    const std::size_t before = rig.refused.size();
    release(hand, mutex);
    EXPECT_NE(hand.reply_to(hand.fence(), 10), nullptr);
    return rig.refused.size() == before;
  }
  void release(Hand& hand, std::uint64_t mutex = 1) {
    EXPECT_TRUE(hand.wait_credit());
    hand.simple(Verb::release, unused, mutex);
  }
  std::uint64_t try_lock(Hand& hand, std::uint64_t mutex = 1) {
    EXPECT_TRUE(hand.wait_credit());
    const Reply* reply = hand.reply_to(hand.simple(Verb::try_lock, unused, mutex), 10);
    return reply == nullptr ? 99 : reply->header.value;
  }
  shm::FairMutex direct(std::uint64_t mutex = 1) {
    return rig.arena.mutex_at(set + mutex * sizeof(shm::FairMutexBlock));
  }

  // Each way to ask is refused, by a target that has so many.
  void expect_refused(Hand& hand, std::uint64_t index, std::uint64_t count, Worker of = target) {
    for (const Verb verb : {Verb::lock, Verb::try_lock}) {
      ASSERT_TRUE(hand.wait_credit());
      RequestHeader request = hand.header(verb);
      request.set_mutex(index);
      request.target = of;
      hand.send(request);
      const Reply* reply = hand.reply_to(request.slot, 5);
      ASSERT_NE(reply, nullptr) << index;
      EXPECT_EQ(reply->header.verb, Verb::refused);
      EXPECT_EQ(reply->header.refusal, Refusal::no_such_mutex);
      EXPECT_EQ(rig.refused.back().fault.bytes, count);
    }
  }

  static constexpr std::uint64_t unused = 1;
  static constexpr std::array<shm::HostSlot, 1> owners{1};
  Rig rig{3};
  std::uint64_t set = 0;
  Hand a{rig, 1};
  Hand b{rig, 2};
  Hand c{rig, 3};
};

TEST_F(ServerMutex, of_a_dead_origin_is_passed_on_and_what_comes_late_of_it_changes_nothing) {
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  const std::uint32_t second = lock(b);
  rig.server->forget_dead(1, 101, owners);
  const Reply* const granted = b.reply_to(second, 5000);  // whether the holder lives is asked now and then
  ASSERT_NE(granted, nullptr);
  EXPECT_EQ(granted->header.value, protocol::taken_value(true));
  lock(a, 2);
  release(a);
  rig.run(10);
  EXPECT_EQ(try_lock(c, 1), protocol::not_taken) << "it is the second one's";
  EXPECT_EQ(try_lock(c, 2), protocol::taken_value(false));
}

TEST_F(ServerMutex, that_a_dead_origin_gave_back_behind_its_writes_stays_with_the_next) {
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  const std::uint32_t second = lock(b);
  const std::uint32_t put = a.big_put(rig.memory, 3 * small_chunk);
  release(a);
  rig.run(5);
  rig.server->forget_dead(1, 101, owners);
  ASSERT_NE(b.reply_to(second, 5000), nullptr);
  const Bytes body(3 * small_chunk);
  a.send_chunks(put, body);
  rig.run(20);
  EXPECT_TRUE(rig.refused.empty()) << "nobody is left who could be told";
  EXPECT_EQ(try_lock(c), protocol::not_taken) << "it is the second one's";
  EXPECT_TRUE(unlock(b));
}

// Another process of the host may be taking the mutex over when the unlock's turn comes.
TEST_F(ServerMutex, that_a_dead_origin_gave_back_behind_its_writes_is_found_as_a_dead_one_s) {
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  const std::uint32_t put = a.big_put(rig.memory, 3 * small_chunk);
  release(a);
  rig.run(5);
  rig.server->forget_dead(1, 101, owners);
  const Bytes body(3 * small_chunk);
  a.send_chunks(put, body);
  rig.run(20);
  EXPECT_EQ(try_lock(c), protocol::taken_value(true));
}

TEST_F(ServerMutex, of_an_owner_that_another_server_serves_is_left_to_that_server) {
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  rig.server->forget_dead(1, 101, {});
  EXPECT_EQ(try_lock(c), protocol::not_taken);
}

// A worker that the others have given up may be alive, and compute on beside those who do its work again.
TEST_F(ServerMutex, and_all_else_takes_nothing_from_an_origin_that_was_given_up) {
  const Bytes ones(8, std::byte{1});
  ASSERT_TRUE(a.wait_credit());
  a.put(rig.memory, ones);
  rig.run(5);
  rig.server->give_up(1);
  ASSERT_TRUE(a.wait_credit());
  a.put(rig.memory + 8, ones);
  ASSERT_TRUE(a.wait_credit());
  const std::uint32_t get = a.get(rig.memory, 8);
  EXPECT_EQ(a.reply_to(get, 20), nullptr);
  EXPECT_EQ(rig.read(rig.memory, 8), ones) << "it came before";
  EXPECT_EQ(rig.read(rig.memory + 8, 8), Bytes(8)) << "it came late";
}

// Else each later one would wait for the one that was thrown away.
TEST_F(ServerMutex, and_no_place_is_kept_for_messages_of_an_origin_that_was_given_up) {
  const Bytes ones(8, std::byte{1});
  const auto put_in_place = [&](std::uint16_t place) {
    ASSERT_TRUE(a.wait_credit());
    a.sequence = static_cast<std::uint16_t>(place - 1);
    a.put(rig.memory, ones);
    rig.run(5);
  };
  ASSERT_TRUE(a.wait_credit());
  put_in_place(2);
  EXPECT_FALSE(rig.server->quiet()) << "it waits for the first";
  rig.server->give_up(1);
  put_in_place(1);
  put_in_place(3);
  EXPECT_TRUE(rig.server->quiet());
  EXPECT_EQ(rig.read(rig.memory, 8), Bytes(8));
}

TEST_F(ServerMutex, of_a_dead_origin_is_passed_on_past_one_that_died_in_line) {
  const std::uint32_t third = lock_in_turn();
  rig.server->forget_dead(1, 101, owners);
  rig.server->forget_dead(2, 102, owners);
  const Reply* const granted = c.reply_to(third, 10000);
  ASSERT_NE(granted, nullptr);
  EXPECT_EQ(granted->header.value, protocol::taken_value(true)) << "what it guards may be half updated";
  EXPECT_TRUE(unlock(c));
  EXPECT_EQ(try_lock(c), protocol::taken_value(false));
}

TEST_F(ServerMutex, is_granted_in_the_order_of_asking) {
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  const std::uint32_t second = lock(b);
  rig.run(2);
  const std::uint32_t third = lock(c);
  EXPECT_EQ(b.reply_to(second, 10), nullptr);
  EXPECT_TRUE(unlock(a));
  const Reply* grant = b.reply_to(second, 3);
  ASSERT_NE(grant, nullptr);
  EXPECT_EQ(grant->header.verb, Verb::done);
  EXPECT_EQ(grant->header.value, 1U);
  EXPECT_EQ(c.reply_to(third, 10), nullptr);
  EXPECT_TRUE(unlock(b));
  EXPECT_NE(c.reply_to(third, 3), nullptr);
  EXPECT_TRUE(unlock(c));
  EXPECT_TRUE(rig.server->quiet());
}

TEST_F(ServerMutex, waited_for_holds_no_credit) {
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  const std::uint32_t wait = lock(b);
  rig.run(2);
  EXPECT_TRUE(b.wait_credit(10));
  EXPECT_NE(b.reply_to(b.get(rig.memory, 8), 3), nullptr);
  EXPECT_EQ(b.reply_to(wait), nullptr);
}

TEST_F(ServerMutex, is_tried_without_waiting) {
  EXPECT_EQ(try_lock(a), 1U);
  EXPECT_EQ(try_lock(b), 0U);
  EXPECT_EQ(try_lock(b, 2), 1U);
  EXPECT_TRUE(unlock(a));
  EXPECT_EQ(try_lock(b), 1U);
}

TEST_F(ServerMutex, is_unlocked_by_its_holder_only) {
  ASSERT_EQ(try_lock(a), 1U);
  EXPECT_FALSE(unlock(b));
  ASSERT_EQ(rig.refused.size(), 1U);
  EXPECT_EQ(rig.refused[0].fault.refusal, Refusal::not_the_holder);
  EXPECT_EQ(direct().holder(), 101U);
  EXPECT_TRUE(unlock(a));
  EXPECT_FALSE(unlock(a)) << "not twice";
}

TEST_F(ServerMutex, is_unlocked_by_the_endpoint_that_holds_it) {
  a.by = {1, 4};
  ASSERT_EQ(try_lock(a), 1U);
  a.by = {2, 5};
  EXPECT_EQ(try_lock(a), 0U);
  EXPECT_FALSE(unlock(a));
  ASSERT_EQ(rig.refused.size(), 1U);
  EXPECT_EQ(rig.refused[0].header.by.rank, 5U);
  a.by = {1, 9};  // the same endpoint, by a handle in which it has another rank
  EXPECT_TRUE(unlock(a));
}

TEST_F(ServerMutex, that_does_not_exist_is_refused) {
  for (const std::uint64_t index : {std::uint64_t{4}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    expect_refused(a, index, 4);
  }
}

TEST_F(ServerMutex, of_a_target_that_has_none_is_refused) {
  rig.arena.mutexes_of(1).hide();
  expect_refused(a, 0, 0);
  for (std::uint64_t mutex = 0; mutex < 4; ++mutex) EXPECT_FALSE(direct(mutex).holder());
}

TEST_F(ServerMutex, of_a_target_without_a_slot_of_its_own_is_refused) {
  expect_refused(a, 0, 0, target + 1);              // of another host
  rig.slot_of_others = rig.arena.geometry().slots;  // a guest: what lies there is no word of its own
  rig.arena.mutexes_of(rig.slot_of_others).show(rig.allocate(target + 1, 4 * sizeof(shm::FairMutexBlock)), 4);
  expect_refused(a, 0, 0, target + 1);
}

TEST_F(ServerMutex, whose_memory_is_gone_is_refused) {
  ASSERT_TRUE(static_cast<bool>(rig.arena.extents().release(set)));
  expect_refused(a, 1, 4);
}

TEST_F(ServerMutex, that_is_waited_for_stays_where_it_was) {
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  const std::uint32_t wait = lock(b);
  rig.run(2);
  const std::uint64_t other = rig.allocate(target, 4 * sizeof(shm::FairMutexBlock));
  rig.arena.mutexes_of(1).show(other, 4);
  rig.run(2);
  EXPECT_EQ(b.reply_to(wait, 10), nullptr);
  rig.arena.mutexes_of(1).show(set, 4);
  EXPECT_TRUE(unlock(a));
  EXPECT_NE(b.reply_to(wait, 3), nullptr);
}

TEST_F(ServerMutex, is_unlocked_after_the_writes_before_it) {
  const Bytes data = pattern(3 * small_chunk, 1);
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  ASSERT_TRUE(a.wait_credit());
  const std::uint32_t put = a.big_put(rig.memory, data.size());
  const std::uint32_t next = lock(b);
  release(a);
  const std::uint32_t done = a.fence();
  EXPECT_EQ(b.reply_to(next, 10), nullptr);
  a.send_chunks(put, data);
  EXPECT_NE(b.reply_to(next, 20), nullptr);
  EXPECT_NE(a.reply_to(done), nullptr);
  EXPECT_EQ(rig.read(rig.memory, data.size()), data);
}

TEST_F(ServerMutex, locks_at_once_while_the_origins_writes_are_under_way) {
  for (unsigned i = 0; i < 5; ++i) {  // credits to spare
    while (a.may_send()) a.put(rig.memory, pattern(8, 1));
    rig.run(2);
  }
  a.big_put(rig.memory, 3 * small_chunk);
  EXPECT_NE(a.reply_to(lock(a), 3), nullptr);
}

TEST_F(ServerMutex, of_a_local_holder_is_handed_to_a_remote_waiter_with_a_ring) {
  const shm::MutexParty local{target, 1, false};
  ASSERT_EQ(direct().try_lock(local), shm::LockResult::acquired);
  const std::uint32_t wait = lock(b);
  EXPECT_EQ(b.reply_to(wait, 10), nullptr);
  EXPECT_FALSE(rig.server->quiet());
  const std::uint32_t seen = rig.arena.doorbell(0).seen();
  ASSERT_TRUE(static_cast<bool>(direct().unlock(local)));
  EXPECT_NE(rig.arena.doorbell(0).seen(), seen);
  EXPECT_NE(b.reply_to(wait, 3), nullptr);
  EXPECT_EQ(rig.recovered, 0U) << "nobody has died";
}

TEST_F(ServerMutex, passes_by_a_waiter_that_left) {
  const std::uint32_t third = lock_in_turn();
  b.simple(Verb::leave);
  rig.run(2);
  EXPECT_EQ(rig.server->departed(), 1U);
  EXPECT_TRUE(unlock(a));
  EXPECT_NE(c.reply_to(third, 5), nullptr);
  b.poll();
  EXPECT_TRUE(b.replies.empty());
  EXPECT_TRUE(unlock(c));
}

TEST_F(ServerMutex, of_a_dead_local_holder_is_recovered) {
  Result<shm::Arena> mine = shm::Arena::attach(rig.os, rig.arena.ticket(), 1);
  ASSERT_TRUE(static_cast<bool>(mine));
  ASSERT_EQ(direct().try_lock({target, 1, false}), shm::LockResult::acquired);
  const std::uint32_t wait = lock(b);
  EXPECT_EQ(b.reply_to(wait, 1500), nullptr) << "alive";
  rig.os.kill_slot(1);
  EXPECT_NE(b.reply_to(wait, 1500), nullptr);
  EXPECT_EQ(rig.recovered, 1U);
  EXPECT_EQ(rig.recovered_from, target);
}

TEST_F(ServerMutex, tried_is_taken_over_from_a_dead_local_holder) {
  ASSERT_EQ(direct().try_lock({target, 1, false}),
            shm::LockResult::acquired);  // nobody holds the life of slot 1
  EXPECT_EQ(try_lock(b), protocol::taken_value(true));
  EXPECT_EQ(rig.recovered, 1U);
  EXPECT_EQ(rig.recovered_from, target);
  EXPECT_TRUE(unlock(b));
}

// Workers of the own host come here when shared memory is switched off for them.
TEST_F(ServerMutex, forgets_a_local_waiter_that_died_and_was_passed_over) {
  ASSERT_NE(a.reply_to(lock(a), 3), nullptr);
  rig.slot_of_others = 1;  // nobody holds its life
  const std::uint32_t dead = lock(b);
  rig.run(2);
  shm::MutexTurn turn;
  const shm::MutexParty local{target, 0, false};
  ASSERT_EQ(direct().step(turn, local, false), shm::LockResult::busy);
  shm::FairMutexBlock& block =
      *reinterpret_cast<shm::FairMutexBlock*>(rig.arena.at(set + sizeof(shm::FairMutexBlock)));
  block.serving.store(turn.ticket);  // as one that took over would
  ASSERT_EQ(direct().step(turn, local, false), shm::LockResult::acquired);
  rig.run(3);
  EXPECT_EQ(b.reply_to(dead), nullptr);
  EXPECT_TRUE(rig.server->quiet()) << "nobody waits any more";
  EXPECT_TRUE(static_cast<bool>(direct().unlock(local)));
}

}  // namespace
}  // namespace comex::pr
