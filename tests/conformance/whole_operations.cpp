// Whole operations, origin and server together: what each of them does and in which order.
#include <numeric>

#include "conformance/whole_rig.h"

namespace comex::whole {
namespace {

std::vector<std::byte> region_part(const Rig& rig, std::size_t at, std::size_t bytes) {
  return {rig.region + at, rig.region + at + bytes};
}

class WholePutGet : public ::testing::TestWithParam<std::size_t> {};

TEST_P(WholePutGet, brings_back_what_it_took_there) {
  Rig rig;
  std::vector<std::byte> source = pattern(GetParam(), 1);
  nb::Completion put;
  rig.origin().start(contiguous(Action::put, source.data(), rig.region + 40, source.size()), rig.far, put);
  rig.finish(put);
  std::vector<std::byte> back(source.size());
  nb::Completion get;
  rig.origin().start(contiguous(Action::get, back.data(), rig.region + 40, back.size()), rig.far, get);
  rig.finish(get);
  EXPECT_EQ(back, source);
  EXPECT_EQ(region_part(rig, 40, source.size()), source);
  rig.fence();
  rig.expect_quiet();
}
INSTANTIATE_TEST_SUITE_P(Sizes, WholePutGet,
                         ::testing::Values(1, 8, 3919, 3920, 3921, 3944, 3945, 4096, 4097, 40000, 300001));

TEST(WholeOperations, a_put_of_nothing_is_complete_at_once) {
  Rig rig;
  nb::Completion put;
  rig.origin().start(contiguous(Action::put, nullptr, rig.region, 0), rig.far, put);
  EXPECT_TRUE(put.done());
  EXPECT_FALSE(rig.origin().dirty(rig.far.server));
}

TEST(WholeOperations, accumulates_small_and_large_with_a_scale) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{480}, std::size_t{5000}}) {
    Rig rig;
    std::vector<double> source(count);
    std::iota(source.begin(), source.end(), 1.0);
    nb::Completion done;
    Operation acc = contiguous(Action::acc, source.data(), rig.region, count * 8);
    acc.scalar = Scalar::float64;
    acc.scale = scale_of(3.0);
    rig.origin().start(acc, rig.far, done);
    rig.origin().start(acc, rig.far, done);
    rig.finish(done);
    rig.fence();
    const auto* sum = reinterpret_cast<const double*>(rig.region);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sum[i], 6.0 * static_cast<double>(i + 1)) << i;
  }
}

TEST(WholeOperations, read_modify_write_returns_the_old_value) {
  Rig rig;
  auto* word = reinterpret_cast<std::int64_t*>(rig.region);
  *word = 40;
  std::int64_t near[2] = {0, 99};
  AtomicOperation atomic = add_to(near, rig.region, 2);
  const auto carry_out = [&] {
    nb::Completion done;
    rig.origin().start_atomic(atomic, rig.far, done);
    rig.finish(done);
  };
  carry_out();
  EXPECT_EQ(near[0], 40);
  EXPECT_EQ(*word, 42);

  atomic.atomic = protocol::Atomic::compare_swap;
  atomic.operand = 42;
  atomic.desired = static_cast<std::uint64_t>(-7);
  carry_out();
  EXPECT_EQ(near[0], 42);
  EXPECT_EQ(*word, -7);
  EXPECT_EQ(near[1], 99);

  atomic.near = nullptr;
  atomic.atomic = protocol::Atomic::swap;
  carry_out();
  EXPECT_EQ(*word, 42);
  EXPECT_EQ(near[0], 42) << "nobody wanted the old value";

  auto* narrow = reinterpret_cast<std::int32_t*>(rig.region + 16);
  narrow[0] = -5;
  narrow[1] = 99;
  std::int32_t near32[2] = {12, 77};
  atomic.scalar = Scalar::int32;
  atomic.operand = 12;
  atomic.near = reinterpret_cast<std::byte*>(near32);
  atomic.far = rig.region + 16;
  carry_out();
  EXPECT_EQ(near32[0], -5);
  EXPECT_EQ(near32[1], 77);
  EXPECT_EQ(narrow[0], 12);
  EXPECT_EQ(narrow[1], 99);
}

TEST(WholeOperations, a_signal_is_stored_after_the_data_before_it) {
  Rig rig;
  std::vector<std::byte> source = pattern(100000, 4);
  const auto* flag = reinterpret_cast<const std::uint64_t*>(rig.region + 200000);
  nb::Completion done;
  rig.origin().start(contiguous(Action::put, source.data(), rig.region, source.size()), rig.far, done);
  rig.origin().start_put_signal({}, rig.region + 200000, 17, rig.far, done);
  ASSERT_TRUE(rig.until([&] { return *flag == 17; }));
  EXPECT_EQ(region_part(rig, 0, source.size()), source);
  rig.finish(done);
  EXPECT_TRUE(rig.origin().dirty(rig.far.server) || rig.server->quiet());
  rig.fence();
}

// Far away, behind the end of everything; by message, in chunks, and behind a batch that is still open.
TEST(WholeOperations, a_signal_of_refused_data_is_never_raised) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{100000}}) {
    for (const bool has_progress_rank : {true, false}) {
      Rig rig;
      rig.origin().set_errors_return(true);
      rig.far.has_progress_rank = has_progress_rank;
      const std::vector<std::byte> source = pattern(bytes, 4);
      std::byte* const flag = rig.region + 8;
      const Operation wrong =
          contiguous(Action::put, const_cast<std::byte*>(source.data()), rig.region + (1 << 24), bytes);
      rig.origin().batches().append_put(source.data(), rig.region, 8, rig.far);
      nb::Completion done;
      rig.origin().start_put_signal(wrong, flag, 17, rig.far, done);
      rig.finish(done);
      rig.fence();
      EXPECT_EQ(std::to_integer<int>(*flag), 0);
      EXPECT_EQ(rig.refused, 1u);
      const std::uint64_t told = (done.failed() ? 1 : 0) + rig.origin().take_failures(rig.far);
      EXPECT_EQ(told, 1u) << "by the call or by a fence";

      nb::Completion again;
      rig.origin().start_put_signal(
          contiguous(Action::put, const_cast<std::byte*>(source.data()), rig.region + 64, bytes), flag, 18,
          rig.far, again);
      rig.finish(again);
      rig.fence();
      EXPECT_EQ(std::to_integer<int>(*flag), 18);
      EXPECT_EQ(region_part(rig, 64, bytes), source);
      rig.expect_quiet();
    }
  }
}

TEST(WholeOperations, a_signal_of_no_data_is_raised_whatever_was_refused_before) {
  Rig rig;
  rig.origin().set_errors_return(true);
  std::int64_t value = 1;
  nb::Completion done;
  rig.origin().start(contiguous(Action::put, &value, rig.region + (1 << 24), 8), rig.far, done);
  rig.origin().start_put_signal(contiguous(Action::put, &value, rig.region, 0), rig.region + 8, 17, rig.far,
                                done);
  rig.finish(done);
  rig.fence();
  EXPECT_EQ(std::to_integer<int>(rig.region[8]), 17);
}

TEST(WholeOperations, a_get_sees_the_puts_before_it_and_not_those_behind) {
  Rig rig;
  std::vector<std::byte> first = pattern(50000, 1), second = pattern(50000, 2), back(50000);
  nb::Completion done;
  rig.origin().start(contiguous(Action::put, first.data(), rig.region, first.size()), rig.far, done);
  rig.origin().start(contiguous(Action::get, back.data(), rig.region, back.size()), rig.far, done);
  rig.origin().start(contiguous(Action::put, second.data(), rig.region, second.size()), rig.far, done);
  rig.finish(done);
  rig.fence();
  EXPECT_EQ(back, first);
  EXPECT_EQ(region_part(rig, 0, second.size()), second);
}

TEST(WholeOperations, a_clean_fence_sends_nothing) {
  Rig rig;
  std::int64_t value = 5;
  nb::Completion done;
  rig.origin().start(contiguous(Action::put, &value, rig.region, 8), rig.far, done);
  EXPECT_TRUE(rig.origin().dirty(rig.far.server));
  rig.fence();
  const std::uint64_t sent = rig.fabric.messages(1, 0);
  rig.fence();
  rig.origin().start_fence_all(done);
  EXPECT_TRUE(done.done());
  EXPECT_EQ(rig.fabric.messages(1, 0), sent);
}

TEST(WholeOperations, fences_behind_the_same_writes_share_one_message) {
  Rig rig;
  std::vector<std::byte> source = pattern(60000, 4);
  nb::Completion put, one, two;
  rig.origin().start(contiguous(Action::put, source.data(), rig.region, source.size()), rig.far, put);
  const std::uint64_t sent = rig.fabric.messages(1, 0);
  rig.origin().start_fence(0, one);
  rig.origin().start_fence(0, two);
  rig.finish(one);
  rig.finish(two);
  EXPECT_EQ(rig.fabric.messages(1, 0), sent + 1);
  EXPECT_EQ(region_part(rig, 0, source.size()), source);
}

// A server that serves only now and then must not keep its origin, which may be what it waits for.
TEST(WholeOperations, a_small_put_without_a_credit_of_an_inattentive_server_is_copied_and_returns) {
  Rig rig({.pool_bytes = 0});
  rig.far.has_progress_rank = false;
  nb::Completion done;
  for (std::int64_t i = 0; i < 10; ++i) {
    std::int64_t value = i;
    rig.origin().start(contiguous(Action::put, &value, rig.region + 8 * i, 8), rig.far, done);
    EXPECT_TRUE(done.done()) << i;
    value = -1;
  }
  EXPECT_TRUE(rig.origin().dirty(rig.far.server));
  rig.fence();
  const auto* words = reinterpret_cast<const std::int64_t*>(rig.region);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(words[i], i);
}

TEST(WholeOperations, bodies_go_on_when_slots_run_short) {
  Rig rig({.slots = 4});
  std::vector<std::byte> source = pattern(5000, 9);
  nb::Completion done;
  for (std::size_t i = 0; i < 50; ++i) {
    rig.origin().start(contiguous(Action::put, source.data(), rig.region + 5000 * i, source.size()), rig.far,
                       done);
  }
  rig.finish(done);
  rig.fence();
  for (std::size_t i = 0; i < 50; ++i) ASSERT_EQ(region_part(rig, 5000 * i, source.size()), source);
  rig.expect_quiet();
}

TEST(WholeOperations, many_origins_share_few_credits_and_all_finish) {
  Rig rig({.origins = 5, .pool_bytes = 3 * protocol::message_bytes});
  std::vector<std::int64_t> ones(1000, 1);
  nb::Completion done;
  Operation acc = contiguous(Action::acc, ones.data(), rig.region, 8000);
  acc.scalar = Scalar::int64;
  acc.scale = scale_of(std::int64_t{1});
  Operation small = contiguous(Action::acc, ones.data(), rig.region, 80);
  small.scalar = Scalar::int64;
  small.scale = acc.scale;
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < 5; ++i) {
      rig.origin(i).start(round % 2 == 0 ? acc : small, rig.far, done);
      if (round % 5 == static_cast<int>(i)) rig.turn();
    }
  }
  rig.finish(done);
  for (std::size_t i = 0; i < 5; ++i) rig.fence(i);
  const auto* words = reinterpret_cast<const std::int64_t*>(rig.region);
  EXPECT_EQ(words[0], 100);
  EXPECT_EQ(words[999], 50);
}

class WholeRefusals : public ::testing::TestWithParam<std::size_t> {};

TEST_P(WholeRefusals, a_refused_get_leaves_its_destination_alone_and_fails_its_wait) {
  Rig rig;
  rig.origin().set_errors_return(true);
  std::vector<std::byte> back = pattern(GetParam(), 3);
  const std::vector<std::byte> before = back;
  nb::Completion get;
  rig.origin().start(contiguous(Action::get, back.data(), rig.region + region_bytes - 1, back.size()),
                     rig.far, get);
  rig.finish(get);
  EXPECT_TRUE(get.failed());
  EXPECT_EQ(back, before);
  EXPECT_EQ(rig.refused, 1u);
  rig.expect_quiet();
}

TEST_P(WholeRefusals, a_refused_put_is_told_once_by_its_wait_or_the_next_fence) {
  Rig rig;
  rig.origin().set_errors_return(true);
  std::vector<std::byte> source = pattern(GetParam(), 3);
  nb::Completion put;
  rig.origin().start(contiguous(Action::put, source.data(), rig.region + region_bytes - 1, source.size()),
                     rig.far, put);
  rig.finish(put);
  rig.fence();
  const std::uint64_t told = (put.failed() ? 1u : 0u) + rig.origin().take_failures(rig.far);
  EXPECT_EQ(told, 1u);
  EXPECT_EQ(rig.origin().take_failures(), 0u);
  EXPECT_EQ(std::to_integer<int>(rig.region[region_bytes - 1]), 0);
  rig.expect_quiet();
}
INSTANTIATE_TEST_SUITE_P(Sizes, WholeRefusals, ::testing::Values(8, 3920, 4500, 100000));

TEST(WholeRefusals, a_misaligned_word_fails_its_wait_and_keeps_the_result) {
  Rig rig;
  rig.origin().set_errors_return(true);
  std::int64_t near = 3;
  AtomicOperation atomic;
  atomic.atomic = protocol::Atomic::fetch_add;
  atomic.near = reinterpret_cast<std::byte*>(&near);
  atomic.far = rig.region + 4;
  nb::Completion done;
  rig.origin().start_atomic(atomic, rig.far, done);
  rig.finish(done);
  EXPECT_TRUE(done.failed());
  EXPECT_EQ(near, 3);
}

TEST(WholeOperations, a_server_is_left_after_all_is_done) {
  Rig rig;
  std::int64_t value = 5;
  nb::Completion done;
  rig.origin().start(contiguous(Action::put, &value, rig.region, 8), rig.far, done);
  rig.fence();
  rig.origin().leave(0);
  EXPECT_TRUE(rig.until([&] { return rig.server->departed() == 1; }));
  rig.expect_quiet();
}

}  // namespace
}  // namespace comex::whole
