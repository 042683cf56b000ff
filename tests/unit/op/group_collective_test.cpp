// Collectives among workers by control messages, each member on a thread of its own.
#include "op/group_collective.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "op/control_messages.h"
#include "op/engine.h"
#include "shm/posix_os.h"
#include "support/loopback_transport.h"

namespace comex::op {
namespace {

shm::WaitPolicy short_waits() {
  shm::WaitPolicy policy;
  policy.spin_ns = 1000;
  policy.nap_max_ns = 100'000;
  return policy;
}

// `members` threads, each with an engine of its own; member i is rank members - i.
void run_members(std::uint32_t members, const std::function<void(GroupCollective&, std::uint32_t)>& body) {
  transport::LoopbackFabric fabric(static_cast<TransportRank>(members) + 1);
  const auto rank_of = [members](std::uint32_t member) {
    return static_cast<TransportRank>(members - member);
  };
  std::vector<std::thread> threads;
  for (std::uint32_t me = 0; me < members; ++me) {
    threads.emplace_back([&, me] {
      const std::unique_ptr<shm::Os> os = shm::make_posix_os();
      transport::Transport& mine = fabric.endpoint(rank_of(me));
      ControlMessages control(mine);
      Engine engine(mine, {nullptr, nullptr, &control}, *os, {.wait = short_waits()});
      GroupCollective group(engine, control, {members, me, rank_of, 11, 100});
      body(group, me);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(fabric.drained());
}

class GroupCollectives : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(GroupCollectives, nobody_leaves_a_barrier_before_all_have_come) {
  const std::uint32_t members = GetParam();
  std::atomic<std::uint32_t> came{0};
  std::atomic<int> early{0};
  run_members(members, [&](GroupCollective& group, std::uint32_t) {
    for (std::uint32_t round = 1; round <= 20; ++round) {
      came.fetch_add(1);
      group.barrier();
      if (came.load() < round * members) ++early;
      group.barrier();
    }
  });
  EXPECT_EQ(early.load(), 0);
}

TEST_P(GroupCollectives, everybody_gathers_every_block_in_member_order) {
  const std::uint32_t members = GetParam();
  std::atomic<int> wrong{0};
  run_members(members, [&](GroupCollective& group, std::uint32_t me) {
    for (const std::size_t block :
         {std::size_t{1}, std::size_t{24}, std::size_t{5001}, std::size_t{70'000}}) {
      const std::vector<std::byte> mine(block, static_cast<std::byte>(me + 1));
      std::vector<std::byte> all(block * members);
      group.all_gather(mine, all);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (std::to_integer<std::size_t>(all[i]) != i / block + 1) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(GroupCollectives, broadcast_and_reduction_work_from_every_root) {
  const std::uint32_t members = GetParam();
  std::atomic<int> wrong{0};
  run_members(members, [&](GroupCollective& group, std::uint32_t me) {
    for (std::uint32_t root = 0; root < members; ++root) {
      std::vector<std::byte> data(4500, static_cast<std::byte>(me == root ? 200 + root : 0));
      group.broadcast(data, root);
      if (data != std::vector<std::byte>(4500, static_cast<std::byte>(200 + root))) ++wrong;

      std::uint64_t sum = me + 1;
      group.reduce(std::as_writable_bytes(std::span(&sum, 1)), root,
                   [](std::span<std::byte> into, std::span<const std::byte> from) {
                     std::uint64_t left = 0, right = 0;
                     std::memcpy(&left, into.data(), 8);
                     std::memcpy(&right, from.data(), 8);
                     left += right;
                     std::memcpy(into.data(), &left, 8);
                   });
      if (me == root && sum != members * (members + 1) / 2) ++wrong;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(GroupCollectives, agree_only_when_all_do_and_find_the_largest) {
  const std::uint32_t members = GetParam();
  std::atomic<int> wrong{0};
  run_members(members, [&](GroupCollective& group, std::uint32_t me) {
    if (!group.all_agree(true)) ++wrong;
    for (std::uint32_t against = 0; against < members; ++against)
      if (group.all_agree(me != against)) ++wrong;
    if (group.all_max(10 + (me * 7) % members) != 10 + members - 1) ++wrong;
  });
  EXPECT_EQ(wrong.load(), 0);
}
// Who does not know of a death yet is in a later step of the call that this member has left.
TEST(GroupCollective, of_a_group_with_a_dead_member_takes_a_message_of_another_call) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  ControlMessages other(fabric.endpoint(0));
  other.send(1, 11, 101, 0, std::vector<std::byte>(16));
  ControlMessages control(fabric.endpoint(1));
  Engine engine(fabric.endpoint(1), {nullptr, nullptr, &control}, *os, {.wait = short_waits()});
  int looks = 0;
  Membership membership{.size = 2,
                        .me = 1,
                        .rank_of = [](std::uint32_t member) { return static_cast<TransportRank>(member); },
                        .context = 11,
                        .first_sequence = 100};
  membership.has_dead = [&looks] { return ++looks > 2; };
  GroupCollective group(engine, control, std::move(membership));
  std::vector<std::byte> all(16);
  group.all_gather(std::vector<std::byte>(8), all);
  EXPECT_FALSE(group.is_whole());
}

INSTANTIATE_TEST_SUITE_P(Members, GroupCollectives, ::testing::Values(1, 2, 3, 5, 8));

}  // namespace
}  // namespace comex::op
