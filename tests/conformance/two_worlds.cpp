// Whole operations between two worlds: the memory of the right one, its locks and fences, and the end of it
// all.
#include "conformance/two_worlds_rig.h"

#include <atomic>
#include <numeric>
#include <thread>

namespace comex::two_worlds {
namespace {

class TwoWorldsPutGet : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TwoWorldsPutGet, bring_back_what_they_took_to_either_world) {
  Rig rig;
  for (std::size_t origin = 0; origin < 2; ++origin) {
    for (std::size_t world = 0; world < 2; ++world) {
      std::vector<std::byte> source = pattern(GetParam(), static_cast<unsigned>(2 * origin + world));
      std::vector<std::byte> back(source.size());
      op::Remote& remote = *rig.origins[origin];
      std::byte* const there = rig.regions[world] + 40;
      rig.finish([&](nb::Completion& done) {
        remote.start(contiguous(Action::put, source.data(), there, source.size()), rig.far(world), done);
        remote.start(contiguous(Action::get, back.data(), there, back.size()), rig.far(world), done);
      });
      EXPECT_EQ(back, source);
      EXPECT_EQ(std::memcmp(there, source.data(), source.size()), 0);
    }
  }
  EXPECT_TRUE(rig.refused.empty());
}
INSTANTIATE_TEST_SUITE_P(Sizes, TwoWorldsPutGet, ::testing::Values(1, 8, 3921, 4097, 40001));

TEST(TwoWorlds, accumulate_together_with_the_owner_of_the_memory) {
  Rig rig;
  const op::Direct own(rig.arenas[1]);
  groups::WorkerPlace place;
  place.base = reinterpret_cast<std::uint64_t>(rig.arenas[1].base());
  constexpr std::size_t count = 4000;
  constexpr int rounds = 20;
  std::vector<double> ones(count, 1.0);
  Operation acc = contiguous(Action::acc, ones.data(), rig.regions[1], count * sizeof(double));
  acc.scalar = Scalar::float64;
  const double one = 1.0;
  std::memcpy(acc.scale.bytes, &one, sizeof one);
  std::thread owner([&] {
    for (int round = 0; round < rounds; ++round) {
      bool recovered = false;
      EXPECT_TRUE(static_cast<bool>(own.run(acc, place, recovered)));
      EXPECT_FALSE(recovered);
    }
  });
  for (int round = 0; round < rounds; ++round) {
    rig.finish([&](nb::Completion& done) {
      for (auto& origin : rig.origins) origin->start(acc, rig.far(1), done);
    });
  }
  rig.fence(0);
  rig.fence(1);
  owner.join();
  std::vector<double> sums(count);
  std::memcpy(sums.data(), rig.regions[1], count * sizeof(double));
  EXPECT_EQ(sums, std::vector<double>(count, 3.0 * rounds));
}

TEST(TwoWorlds, read_modify_write_words_of_both) {
  Rig rig;
  for (std::size_t world = 0; world < 2; ++world) {
    for (std::size_t turn = 0; turn < 3; ++turn) {
      std::int64_t old = -1;
      AtomicOperation add;
      add.atomic = protocol::Atomic::fetch_add;
      add.near = reinterpret_cast<std::byte*>(&old);
      add.far = rig.regions[world];
      add.operand = 5 + world;
      rig.finish(
          [&](nb::Completion& done) { rig.origins[turn % 2]->start_atomic(add, rig.far(world), done); });
      EXPECT_EQ(old, static_cast<std::int64_t>(turn * (5 + world)));
    }
  }
}

TEST(TwoWorlds, a_signal_comes_after_the_data_and_rings_in_its_own_world) {
  Rig rig;
  std::vector<std::byte> source = pattern(30000, 5);
  const std::uint32_t rung = rig.arenas[1].doorbell(1).seen();
  const std::uint32_t elsewhere = rig.arenas[0].doorbell(0).seen();
  nb::Completion done;
  rig.origins[0]->start(contiguous(Action::put, source.data(), rig.regions[1] + 64, source.size()),
                        rig.far(1), done);
  rig.origins[0]->start_put_signal({}, rig.regions[1], 77, rig.far(1), done);
  std::atomic_ref<std::uint64_t> word(*reinterpret_cast<std::uint64_t*>(rig.regions[1]));
  ASSERT_TRUE(rig.until([&] { return word.load() == 77; }));
  EXPECT_EQ(std::memcmp(rig.regions[1] + 64, source.data(), source.size()), 0);
  EXPECT_NE(rig.arenas[1].doorbell(1).seen(), rung);
  EXPECT_EQ(rig.arenas[0].doorbell(0).seen(), elsewhere);
  ASSERT_TRUE(rig.until([&] { return done.done(); }));
}

TEST(TwoWorlds, a_refusal_is_told_of_the_world_it_was_meant_for) {
  Rig rig;
  op::Remote& remote = *rig.origins[0];
  remote.set_errors_return(true);
  std::vector<std::byte> source = pattern(16, 1);
  rig.finish([&](nb::Completion& done) {
    remote.start(contiguous(Action::put, source.data(), rig.regions[1] - 4096, 16), rig.far(1), done);
    remote.start(contiguous(Action::put, source.data(), rig.regions[0], 16), rig.far(0), done);
  });
  rig.fence(0);
  ASSERT_EQ(rig.refused.size(), 1u);
  EXPECT_EQ(rig.refused[0].header.world, ids[1]);
  EXPECT_EQ(remote.take_failures(rig.far(0)), 0u);
  EXPECT_EQ(remote.take_failures(rig.far(1)), 1u);
}

TEST(TwoWorlds, a_world_that_nobody_serves_is_refused_and_its_body_drained) {
  Rig rig;
  op::Remote& remote = *rig.origins[1];
  remote.set_errors_return(true);
  op::RemoteTarget stranger = rig.far(1);
  stranger.world = 1000;
  std::vector<std::byte> source = pattern(20000, 1);
  nb::Completion done;
  remote.start(contiguous(Action::put, source.data(), rig.regions[1], source.size()), stranger, done);
  ASSERT_TRUE(rig.until([&] { return done.done() && !rig.refused.empty(); }));
  EXPECT_EQ(rig.refused[0].fault.refusal, protocol::Refusal::unknown_world);
  std::vector<std::byte> untouched(source.size());
  EXPECT_EQ(std::memcmp(rig.regions[1], untouched.data(), untouched.size()), 0);
  rig.finish([&](nb::Completion& next) {
    remote.start(contiguous(Action::put, source.data(), rig.regions[1], source.size()), rig.far(1), next);
  });
  rig.fence(1);
  EXPECT_EQ(std::memcmp(rig.regions[1], source.data(), source.size()), 0);
}

TEST(TwoWorlds, all_that_is_under_way_fails_when_the_servers_are_lost) {
  Rig rig;
  rig.fabric.hold_messages(0, 1);
  op::Remote& remote = *rig.origins[0];
  std::vector<std::byte> source = pattern(100000, 3);
  std::vector<std::byte> back(100000);
  nb::Completion put;
  nb::Completion get;
  nb::Completion fence;
  nb::Completion word;
  remote.start(contiguous(Action::put, source.data(), rig.regions[1], source.size()), rig.far(1), put);
  remote.start(contiguous(Action::get, back.data(), rig.regions[0], back.size()), rig.far(0), get);
  remote.start_fence(0, fence);
  std::int64_t old = 0;
  AtomicOperation add;
  add.near = reinterpret_cast<std::byte*>(&old);
  add.far = rig.regions[0];
  remote.start_atomic(add, rig.far(0), word);
  for (int i = 0; i < 20; ++i) rig.turn();
  ASSERT_FALSE(get.done() || fence.done() || word.done());
  EXPECT_GE(remote.abandon(), 3u);
  for (nb::Completion* each : {&get, &fence, &word}) {
    EXPECT_TRUE(each->done());
    EXPECT_EQ(each->take_failure(), nb::OperationError::reported);
  }
  EXPECT_TRUE(put.done());
  EXPECT_TRUE(remote.has_capacity());
  EXPECT_TRUE(remote.quiet());
  nb::Completion late;
  remote.start(contiguous(Action::put, source.data(), rig.regions[1], 8), rig.far(1), late);
  EXPECT_TRUE(late.done());
  EXPECT_EQ(late.take_failure(), nb::OperationError::reported);
  rig.fabric.release_messages(0, 1);
}

// Each of two processes pumps a wire of its own world and the one between them.
TEST(TwoWorlds, collectives_travel_over_a_wire_that_came_later_and_go_with_it) {
  shm::MemoryOs os;
  transport::LoopbackFabric own_wires[2] = {transport::LoopbackFabric(1), transport::LoopbackFabric(1)};
  transport::LoopbackFabric between(2);
  std::atomic<int> sum{0};
  const auto process = [&](TransportRank me) {
    op::ControlMessages own_control(own_wires[me].endpoint(0));
    op::ControlMessages control(between.endpoint(me));
    op::Engine engine(own_wires[me].endpoint(0), {nullptr, nullptr, &own_control}, os, {});
    for (int round = 0; round < 20; ++round) {
      {
        const op::Engine::Lock lock = engine.enter();
        engine.attach(between.endpoint(me), {nullptr, nullptr, &control});
      }
      op::Membership membership;
      membership.size = 2;
      membership.me = static_cast<std::uint32_t>(me);
      membership.rank_of = [](std::uint32_t member) { return static_cast<TransportRank>(member); };
      membership.first_sequence = static_cast<std::uint64_t>(round) * 100;
      op::GroupCollective both(engine, control, membership);
      const int mine = round + me;
      int all[2] = {-1, -1};
      both.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
      EXPECT_EQ(all[0], round);
      EXPECT_EQ(all[1], round + 1);
      both.barrier();
      EXPECT_TRUE(both.is_whole());
      sum += all[0] + all[1];
      const op::Engine::Lock lock = engine.enter();
      engine.detach(between.endpoint(me));
    }
  };
  std::thread other(process, 1);
  process(0);
  other.join();
  EXPECT_EQ(sum.load(), 2 * (2 * 190 + 20));
}

TEST(TwoWorlds, collectives_end_when_the_others_are_lost) {
  shm::MemoryOs os;
  transport::LoopbackFabric fabric(2);
  op::ControlMessages control(fabric.endpoint(0));
  op::Engine engine(fabric.endpoint(0), {nullptr, nullptr, &control}, os, {});
  op::Membership membership;
  membership.size = 2;
  membership.rank_of = [](std::uint32_t member) { return static_cast<TransportRank>(member); };
  op::GroupCollective both(engine, control, membership);
  std::thread lost([&] {
    const op::Engine::Lock lock = engine.enter();
    control.abandon();
  });
  both.barrier();
  lost.join();
  EXPECT_FALSE(both.is_whole());
}

}  // namespace
}  // namespace comex::two_worlds
