// Two groups of made-up processes that are joined in one process: a thread for each member, and talks that
// count.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "groups/joining.h"
#include "unit/groups/worlds.h"

namespace comex::groups::testing {

class Mailbox {
 public:
  void put(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    bytes_.push_back(std::move(bytes));
    changed_.notify_one();
  }
  Bytes take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !bytes_.empty(); });
    Bytes first = std::move(bytes_.front());
    bytes_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Bytes> bytes_;
};

// What one side's members need to join another's.
class TestSide {
 public:
  explicit TestSide(std::vector<WorldRegistry*> registries, std::uint32_t leads = 0,
                    std::vector<CardHook> cards = {})
      : members(std::move(registries)), leader(leads), hooks(std::move(cards)) {}

  std::vector<WorldRegistry*> members;
  std::uint32_t leader;
  std::vector<CardHook> hooks;
  JoinArguments arguments;
  std::deque<Mailbox> to_leader;
  std::deque<Mailbox> to_member;
  Mailbox from_other;
  std::atomic<int> swaps{0};
  std::atomic<int> gathers{0};
  std::atomic<int> broadcasts{0};
  std::uint64_t most_exchanged_bytes = 1 << 30;
  int swaps_until_end = 1000;  // then the other leader is gone
  int steps_until_end = 1000;  // each member's gathers and broadcasts; then its own group is gone
};

class TestTalk final : public LeaderChannel {
 public:
  TestTalk(TestSide& side, TestSide& other, std::uint32_t rank) : side_(side), other_(other), rank_(rank) {}

  bool is_leader() const override { return rank_ == side_.leader; }
  std::uint32_t rank() const override { return rank_; }
  Result<Bytes> exchange(const Bytes& mine) override {
    if (++side_.swaps > side_.swaps_until_end) return environment_error("the other side is gone");
    other_.from_other.put(mine);
    return side_.from_other.take();
  }
  std::uint64_t most_exchanged_bytes() const override { return side_.most_exchanged_bytes; }
  Result<Bytes> broadcast(const Bytes& leaders) override {
    if (++steps_ > side_.steps_until_end) return environment_error("the own group is gone");
    if (is_leader()) {
      ++side_.broadcasts;
      for (Mailbox& box : side_.to_member) box.put(leaders);
    }
    return side_.to_member[rank_].take();
  }
  Result<std::vector<Bytes>> gather(const Bytes& mine) override {
    if (++steps_ > side_.steps_until_end) return environment_error("the own group is gone");
    side_.to_leader[rank_].put(mine);
    if (!is_leader()) return std::vector<Bytes>();
    ++side_.gathers;
    std::vector<Bytes> all;
    for (Mailbox& box : side_.to_leader) all.push_back(box.take());
    return all;
  }

 private:
  TestSide& side_;
  TestSide& other_;
  std::uint32_t rank_;
  int steps_ = 0;
};

using JoinResults = std::vector<std::optional<Result<JoinResult>>>;

// Every member of both goes through the steps at once; results by side and rank.
inline std::array<JoinResults, 2> join(TestSide& one, TestSide& other) {
  std::array<TestSide*, 2> sides{&one, &other};
  std::array<JoinResults, 2> results;
  std::vector<std::thread> threads;
  for (std::size_t s = 0; s < 2; ++s) {
    TestSide& side = *sides[s];
    results[s].resize(side.members.size());
    side.hooks.resize(side.members.size());
    side.to_leader.resize(side.members.size());
    side.to_member.resize(side.members.size());
    side.arguments.context = 100 + s;
    for (const WorldRegistry* member : side.members) side.arguments.local.push_back(member->me());
  }
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::uint32_t rank = 0; rank < sides[s]->members.size(); ++rank) {
      threads.emplace_back([&sides, &results, s, rank] {
        TestSide& side = *sides[s];
        TestTalk talk(side, *sides[1 - s], rank);
        results[s][rank].emplace(join_sides(*side.members[rank], talk, side.arguments, side.hooks[rank]));
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace comex::groups::testing
