// The users' mutexes in every order: waiting, trying, asked by a server, and with a party that dies.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rules/schedules/scheduled_os.h"
#include "shm/locks/fair_mutex.h"

namespace comex::rules {
namespace {

using shm::FairMutex;
using shm::FairMutexBlock;
using shm::forever_ns;
using shm::LockResult;
using shm::MutexParty;
using shm::MutexTurn;

constexpr std::size_t bells_offset = 4096;
constexpr std::size_t bell_stride = 256;

class MutexSchedules : public testing::Test {
 protected:
  FairMutexBlock& block() { return shared_at<FairMutexBlock>(0); }
  shm::Doorbells bells() { return {os, shared_memory() + bells_offset, bell_stride}; }
  FairMutex mutex() { return {os, object, block(), bells()}; }
  static MutexParty party(shm::HostSlot slot) { return {slot, slot, false, 0}; }

  void section(Worker worker) {
    EXPECT_EQ(holders_, 0) << "two workers hold the mutex";
    ++holders_;
    entered_.push_back(worker);
    auto& sum = shared_at<std::uint64_t>(8192);  // a place to be interrupted at
    sum += 1;
    --holders_;
  }
  void begin() {
    holders_ = 0;
    entered_.clear();
    tickets_.clear();
  }
  // What comex_lock does on the own host.
  void lock_and_unlock(shm::HostSlot slot, int rounds) {
    FairMutex own = mutex();
    for (int round = 0; round < rounds; ++round) {
      MutexTurn turn;
      while (own.step(turn, party(slot), false) == LockResult::busy) own.sleep(turn, forever_ns);
      tickets_.push_back(turn.ticket);
      section(slot);
      EXPECT_TRUE(own.unlock(party(slot)));
    }
  }
  void expect_free_after(std::size_t entries) {
    EXPECT_FALSE(mutex().holder());
    EXPECT_EQ(entered_.size(), entries);
    EXPECT_TRUE(std::is_sorted(tickets_.begin(), tickets_.end())) << "somebody was overtaken";
    EXPECT_EQ(block().next.load(), block().serving.load());
  }

  ScheduledOs os;
  shm::Object object;
  int holders_ = 0;
  std::vector<Worker> entered_;
  std::vector<std::uint32_t> tickets_;
};

TEST_F(MutexSchedules, let_one_in_at_a_time_in_the_order_of_the_queue) {
  const auto twice = [this](shm::HostSlot slot) { return [this, slot] { lock_and_unlock(slot, 2); }; };
  const auto once = [this] { lock_and_unlock(2, 1); };
  expect_in_every_schedule(
      "mutex", {[this] { begin(); }, {twice(0), twice(1), once}, [this] { expect_free_after(5); }});
}

TEST_F(MutexSchedules, with_trylocks_refuse_or_let_one_in) {
  std::size_t taken = 0;
  const auto tries = [&] {
    FairMutex own = mutex();
    if (own.try_lock(party(1)) == LockResult::busy) return;
    ++taken;
    section(1);
    EXPECT_TRUE(own.unlock(party(1)));
  };
  expect_in_every_schedule("mutex with trylock",
                           {[&] {
                              begin();
                              taken = 0;
                            },
                            {[this] { lock_and_unlock(0, 1); }, tries, [this] { lock_and_unlock(2, 1); }},
                            [&] { expect_free_after(2 + taken); }});
}

// A server that waits for a worker of another host is rung when it is that worker's turn.
TEST_F(MutexSchedules, with_a_server_ring_it_at_its_turn) {
  const auto server = [this] {
    const MutexParty remote{9, 0, true, 0};
    FairMutex own = mutex();
    shm::Doorbell bell = bells().of(2);
    MutexTurn turn;
    LockResult taken = own.step(turn, remote, false);
    if (taken == LockResult::busy) own.set_bell(2);
    while (taken == LockResult::busy) {  // as pr/mutexes: polled after each ring
      const std::uint32_t seen = bell.seen();
      taken = own.step(turn, remote, false);
      if (taken == LockResult::busy) bell.sleep_until_rung(seen, forever_ns);
    }
    tickets_.push_back(turn.ticket);
    section(9);
    EXPECT_TRUE(own.unlock(remote));
  };
  expect_in_every_schedule("mutex with a server",
                           {[this] { begin(); },
                            {[this] { lock_and_unlock(0, 1); }, [this] { lock_and_unlock(1, 1); }, server},
                            [this] { expect_free_after(3); }});
}

// A party dies before any of its writes: the others get the mutex, and are told if it was inside.
class MutexSchedulesWithADeath : public MutexSchedules {
 protected:
  void lock_and_die() {
    FairMutex own = mutex();
    MutexTurn turn;
    while (own.step(turn, party(0), false) == LockResult::busy) own.sleep(turn, forever_ns);
    before_ = entered_.size();
    is_inside_ = true;
    shared_at<std::uint64_t>(8192) += 1;
    is_inside_ = false;
    EXPECT_TRUE(own.unlock(party(0)));
    shared_at<std::uint64_t>(8192 + 64) += 1;  // it may die here, too
  }
  void lock_and_ask(shm::HostSlot slot) {
    FairMutex own = mutex();
    MutexTurn turn;
    LockResult taken = own.step(turn, party(slot), false);
    while (taken == LockResult::busy) {
      own.sleep(turn, shm::ask_after_ns);
      taken = own.step(turn, party(slot), true);
    }
    leave(slot, taken);
  }
  void leave(shm::HostSlot slot, LockResult taken) {
    if (taken == LockResult::taken_over) {
      ++recovered_;
      EXPECT_TRUE(scheduler().is_dead(0)) << "taken over from a living worker";
    }
    section(slot);
    EXPECT_TRUE(mutex().unlock(party(slot)));
  }
  Scenario scenario_with(const std::function<void()>& one, const std::function<void()>& two) {
    Scenario scenario;
    scenario.begin = [this] {
      begin();
      is_inside_ = false;
      recovered_ = 0;
    };
    scenario.processes = {[this] { lock_and_die(); }, one, two};
    scenario.mortal = 0;
    scenario.time_passes = true;
    return scenario;
  }

  bool is_inside_ = false;
  std::size_t before_ = 0;  // workers that had entered when it did
  unsigned recovered_ = 0;
};

TEST_F(MutexSchedulesWithADeath, go_on_and_tell) {
  Scenario scenario = scenario_with([this] { lock_and_ask(1); }, [this] { lock_and_ask(2); });
  scenario.end = [this] {
    EXPECT_EQ(entered_.size(), 2u);
    EXPECT_LE(recovered_, 1u);
    if (is_inside_) {
      EXPECT_EQ(recovered_, before_ < 2 ? 1u : 0u) << "nobody was told that it died inside";
    }
  };
  expect_in_every_schedule("mutex with a dead party", scenario);
}

TEST_F(MutexSchedulesWithADeath, let_trylocks_in_once) {
  const auto tries = [this] {
    for (int attempt = 0; attempt < 2; ++attempt) {
      scheduler().pass(shm::ask_after_ns);
      FairMutex own = mutex();
      const LockResult taken = own.try_lock(party(1));
      if (taken != LockResult::busy) return leave(1, taken);
    }
  };
  Scenario scenario = scenario_with(tries, [this] { lock_and_ask(2); });
  scenario.end = [this] {
    EXPECT_EQ(std::ranges::count(entered_, Worker{2}), 1);
    EXPECT_LE(recovered_, 1u);
  };
  expect_in_every_schedule("mutex with a dead party and trylock", scenario);
}

}  // namespace
}  // namespace comex::rules
