// What is read of an arena, whatever lies there.
#include "watch/read_host.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <functional>
#include <vector>

namespace comex::watch {
namespace {

shm::Geometry some_geometry(std::uint32_t slots) {
  shm::Geometry geometry;
  geometry.slots = slots;
  geometry.slots_offset = 4096;
  geometry.boards_offset = 8192;
  geometry.board_bytes = 4096;
  return geometry;
}

class Arena {
 public:
  bool read(std::uint64_t offset, std::span<std::byte> into) {
    EXPECT_FALSE(into.empty()) << "nothing is read where there is nothing";
    ++reads_;
    if (offset > bytes.size() || into.size() > bytes.size() - offset) return false;
    std::memcpy(into.data(), bytes.data() + offset, into.size());
    if (behind_read) behind_read();
    return true;
  }
  void show(std::uint64_t slot, std::uint64_t peers, std::uint64_t worker = 2) {
    activity::Block block{};
    block.owner.version.set(activity::layout_version);
    block.owner.worker.set(worker);
    block.owner.slot.set(slot);
    block.owner.peers.set(peers);
    std::memcpy(bytes.data() + block_offset(some_geometry(1), slot), static_cast<const void*>(&block),
                sizeof block);
  }
  JobState look(std::uint32_t slots) {
    return read_host([this](std::uint64_t offset, std::span<std::byte> into) { return read(offset, into); },
                     some_geometry(slots), 1);
  }
  std::uint64_t reads() const { return reads_; }

  activity::Block& block(std::uint64_t slot) {
    return *reinterpret_cast<activity::Block*>(bytes.data() + block_offset(some_geometry(1), slot));
  }

  std::vector<std::byte> bytes = std::vector<std::byte>(65536);
  std::function<void()> behind_read;

 private:
  std::uint64_t reads_ = 0;
};

TEST(ReadHost, finds_ranks_without_rows_and_with_more_than_there_are) {
  Arena arena;
  arena.show(0, 0);
  arena.show(1, ~0UL);
  const JobState job_state = arena.look(3);
  ASSERT_EQ(job_state.ranks.size(), 2U);
  EXPECT_EQ(job_state.ranks[1].worker, 1);
}

TEST(ReadHost, tells_who_has_left_from_who_has_died) {
  activity::Block block{};
  EXPECT_FALSE(state_of(block, 1).has_left || state_of(block, 1).is_known_dead);
  block.owner.end.set(activity::Owner::has_left);
  EXPECT_TRUE(state_of(block, 1).has_left && !state_of(block, 1).is_known_dead);
  block.owner.end.set(activity::Owner::has_died);
  EXPECT_TRUE(!state_of(block, 1).has_left && state_of(block, 1).is_known_dead);
}

TEST(ReadHost, finds_the_heads_of_queues_whatever_stands_there) {
  activity::Block block{};
  block.owner.rank.set(5);
  activity::QueueHead& head = block.served.heads[3];
  head.from.set(2);
  head.target.set(1);
  head.what.set(static_cast<std::uint64_t>(protocol::Verb::acc) << 32 | 77);
  head.bytes.set(800);
  head.since_ns.set(3'000'000'000);
  std::vector<QueuedRequest> found;
  read_queues(block, 4'000'000'000, found);
  read_queues(block, 1'000'000'000, found);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].server, 5);
  EXPECT_EQ(found[0].from, 1);
  EXPECT_EQ(found[0].target, 0);
  EXPECT_EQ(found[0].verb, protocol::Verb::acc);
  EXPECT_EQ(found[0].obstacle, activity::Obstacle::mirror);
  EXPECT_EQ(found[0].bytes, 800U);
  EXPECT_EQ(found[0].seconds, 1.0);
  EXPECT_EQ(found[1].seconds, 0.0);
}

TEST(ReadHost, shows_attempts_as_a_wait_while_they_go_on) {
  activity::Block block{};
  block.attempts.call.name[0].set(0x74736574);  // "test"
  block.attempts.call.server.set(8);
  block.attempts.call.since_ns.set(1'000'000'000);
  block.attempts.last_ns.set(4'000'000'000);
  const RankState now = state_of(block, 4'500'000'000);
  EXPECT_EQ(now.wait.name(), "test");
  EXPECT_TRUE(now.wait.is_repeated);
  EXPECT_EQ(now.wait.server, 7);
  EXPECT_EQ(now.wait.seconds, 3.5);
  EXPECT_TRUE(state_of(block, 6'000'000'000).wait.is_none()) << "the last one is two seconds old";
}

TEST(ReadHost, shows_no_wait_that_changes_while_it_is_read) {
  Arena arena;
  arena.show(0, 0);
  activity::Block& block = arena.block(0);
  for (activity::CurrentWait* wait : {&block.current[0], &block.current[1], &block.attempts.call}) {
    wait->name[0].set(0x6b636f6c);  // "lock"
    wait->since_ns.set(1);
  }
  EXPECT_EQ(arena.look(1).threads.size(), 2U);
  arena.behind_read = [&] {
    block.current[0].name[0].set(0x746567);  // "get"
    block.attempts.call.since_ns.set(0);
  };
  const JobState job_state = arena.look(1);
  EXPECT_EQ(job_state.ranks.at(0).wait.name(), "lock");
  EXPECT_TRUE(job_state.threads.empty());
}

TEST(ReadHost, takes_a_later_process_of_the_same_number_for_none) {
  activity::Block block{};
  block.owner.pid.set(static_cast<std::uint64_t>(getpid()));
  EXPECT_EQ(state_of(block, 1).state, 'R') << "whenever it began";
  block.owner.started.set(process_start(getpid()));
  EXPECT_NE(block.owner.started.get(), 0U);
  EXPECT_EQ(state_of(block, 1).state, 'R');
  block.owner.started.add(1);
  EXPECT_EQ(state_of(block, 1).state, 'R') << "clocks of namespaces may differ by a part of a tick";
  block.owner.started.add(1);
  EXPECT_EQ(state_of(block, 1).state, 'X');
  block.owner.started.add(static_cast<std::uint64_t>(-4));
  EXPECT_EQ(state_of(block, 1).state, 'X') << "whatever it is off by";
}

TEST(ReadHost, takes_any_number_for_a_worker) {
  Arena arena;
  arena.show(0, 0, 1UL << 31);
  EXPECT_EQ(arena.look(1).ranks.at(0).worker, INT32_MAX);
}

TEST(ReadHost, looks_at_no_more_slots_than_an_arena_can_have) {
  Arena arena;
  EXPECT_TRUE(arena.look(UINT32_MAX).ranks.empty());
  EXPECT_EQ(arena.reads(), shm::most_slots);
}

}  // namespace
}  // namespace comex::watch
