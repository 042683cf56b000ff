// Full batches that are kept for company: what leaves when, in whatever order it arrives, whoever sends it.
#include <random>

#include "conformance/whole_rig.h"

namespace comex::whole {
namespace {

constexpr std::size_t words = 1024;

// An origin with many credits, which sends nothing by itself but what it has to.
class WholeBundles : public testing::Test {
 protected:
  WholeBundles() : rig({.pool_bytes = 64 * protocol::message_bytes, .bundles = true}) {
    nb::Completion done;
    for (int i = 0; i < 80; ++i) {
      std::int64_t zero = 0;
      rig.origin().start(contiguous(Action::put, &zero, rig.region, 8), rig.far, done);
      rig.finish(done);
    }
    rig.fence();
    rig.sends_batches = false;
    begun_ = rig.fabric.messages(1, 0);
  }
  void append() {
    std::int64_t value = static_cast<std::int64_t>(++appended_);
    ASSERT_TRUE(rig.origin().append(contiguous(Action::put, &value, rig.region + 8 * (appended_ % words), 8),
                                    rig.far));
  }
  // Items until so many batches are full, and one of the next.
  void fill(std::size_t batches) {
    constexpr std::size_t items =
        1 +
        (protocol::message_bytes - sizeof(protocol::RequestHeader) - sizeof(protocol::BatchItem) - 8) / 16;
    for (std::size_t i = 0; i < batches * items + 1; ++i) append();
  }
  std::uint64_t sent() const { return rig.fabric.messages(1, 0) - begun_; }
  void expect_all_there() {
    for (std::size_t i = appended_; i != 0 && i + words > appended_; --i) {
      ASSERT_EQ(word_at(rig, i % words), static_cast<std::int64_t>(i));
    }
  }

  Rig rig;
  std::size_t appended_ = 0;
  std::uint64_t begun_ = 0;
};

TEST_F(WholeBundles, full_batches_wait_for_company_and_leave_with_it) {
  fill(3);
  EXPECT_EQ(sent(), 0u);
  rig.origin().send_batches();
  EXPECT_EQ(sent(), 4u);
  EXPECT_FALSE(rig.origin().holds_batches());
  rig.fence();
  expect_all_there();
  rig.expect_quiet();
}

TEST_F(WholeBundles, as_many_as_a_bundle_takes_leave_by_themselves) {
  fill(5);
  EXPECT_EQ(sent(), 5u);
  rig.fence();
  expect_all_there();
}

TEST_F(WholeBundles, a_full_batch_does_not_become_old) {
  fill(1);
  rig.os.sleep_ns(keep_ns);
  fill(1);
  EXPECT_EQ(sent(), 2u) << "both of them, when the second was full";
  rig.fence();
  expect_all_there();
}

TEST_F(WholeBundles, whatever_follows_finds_what_was_kept_before_it) {
  fill(2);
  std::int64_t found = 0;
  nb::Completion done;
  std::byte* const last = rig.region + 8 * (appended_ % words);
  rig.origin().start(contiguous(Action::get, &found, last, 8), rig.far, done);
  EXPECT_EQ(sent(), 4u);
  rig.finish(done);
  EXPECT_EQ(found, static_cast<std::int64_t>(appended_));
}

TEST_F(WholeBundles, a_fence_rides_on_the_last_of_them) {
  fill(2);
  const std::uint64_t fences = rig.server->counters().riding_fences;
  rig.fence();
  EXPECT_EQ(rig.server->counters().riding_fences, fences + 1);
  EXPECT_EQ(sent(), 3u);
  expect_all_there();
}

TEST_F(WholeBundles, what_a_computing_origin_has_kept_is_pushed_with_the_rest) {
  fill(3);
  EXPECT_EQ(rig.push(), 4u);
  EXPECT_EQ(sent(), 0u);
  EXPECT_EQ(rig.push(), 0u) << "once is enough";
  rig.fence();
  expect_all_there();
  rig.expect_quiet();
}

TEST_F(WholeBundles, the_pusher_leaves_who_goes_on_more_time) {
  append();
  ASSERT_EQ(rig.push(), 1u);  // it seems to leave its batches alone
  fill(1);
  rig.os.sleep_ns(push_delay_ns / 2);
  EXPECT_EQ(rig.pusher->advance(), 0u) << "later than three tenths, earlier than four fifths";
  rig.os.sleep_ns(push_delay_ns / 2);
  EXPECT_EQ(rig.pusher->advance(), 2u);
  rig.fence();
  expect_all_there();
}

// The buffers are taken in turn, and the pusher goes through them from the first: whichever the oldest batch
// is in, some come in another order than they were opened, behind one that is still on its way.
TEST_F(WholeBundles, pushed_in_any_order_they_take_effect_in_theirs) {
  for (std::uint32_t first = 0; first < outbox_buffers_for_bundles; ++first) {
    append();
    rig.fabric.hold_messages(1, 0);
    rig.origin().send_batches();
    fill(3);
    ASSERT_EQ(rig.push(), 4u);
    rig.serve();
    rig.fabric.release_messages(1, 0);
    rig.fence();
    expect_all_there();
    rig.expect_quiet();
  }
}

TEST_F(WholeBundles, answers_that_were_kept_come_to_who_awaits_them) {
  nb::Completion done;
  std::vector<std::int64_t> old(700, -1);
  for (std::int64_t& each : old) {
    ASSERT_TRUE(rig.origin().append_atomic(add_to(&each, rig.region, 1), rig.far, done));
  }
  EXPECT_EQ(sent(), 0u);
  EXPECT_GT(rig.push(), 1u);
  rig.finish(done);
  for (std::size_t i = 0; i < old.size(); ++i) ASSERT_EQ(old[i], static_cast<std::int64_t>(i));
  rig.expect_quiet();
}

// Long rows of everything, with messages held back both ways, against a model.
TEST(WholeBundlesAtRandom, agree_with_a_model) {
  for (const std::uint64_t pool :
       {std::uint64_t{0}, 4 * protocol::message_bytes, 64 * protocol::message_bytes}) {
    Rig rig({.pool_bytes = pool, .bundles = true});
    rig.sends_batches = false;
    constexpr std::size_t places = 16;
    constexpr std::size_t rows = 400;
    std::mt19937_64 random(2024);
    std::vector<std::int64_t> model(places);
    std::vector<std::int64_t> old(rows), expected(rows);
    nb::Completion done;
    const auto release = [&] {
      rig.fabric.release_messages(1, 0);
      rig.fabric.release_messages(rig.pusher_rank, 0);
    };
    const auto wait_for_room = [&] {
      while (!rig.origin().has_room(rig.far)) {
        rig.origin().send_batches();
        release();
        rig.turn();
      }
    };
    for (std::size_t row = 0; row < rows; ++row) {
      const bool adds = random() % 2 == 0;
      for (std::size_t left = random() % 700; left != 0; --left) {
        wait_for_room();
        const std::size_t at = random() % places;
        std::int64_t value = static_cast<std::int64_t>(random() % 1000);
        std::byte* const far = rig.region + 8 * at;
        const Operation operation = adds ? acc_of(&value, far) : contiguous(Action::put, &value, far, 8);
        if (!rig.origin().append(operation, rig.far)) {
          nb::Completion written;
          rig.origin().start(operation, rig.far, written);
          while (!written.done()) {
            release();
            rig.turn();
          }
        }
        model[at] = adds ? model[at] + value : value;
        if (random() % 64 == 0) rig.os.sleep_ns(random() % push_delay_ns);
        if (random() % 100 == 0) rig.pusher->advance();
        if (random() % 200 == 0) rig.fabric.hold_messages(random() % 2 == 0 ? 1 : rig.pusher_rank, 0);
        if (random() % 300 == 0) release();
        if (random() % 50 == 0) rig.turn();
      }
      wait_for_room();
      const std::size_t at = random() % places;
      expected[row] = model[at]++;
      if (!rig.origin().append_atomic(add_to(&old[row], rig.region + 8 * at, 1), rig.far, done))
        rig.origin().start_atomic(add_to(&old[row], rig.region + 8 * at, 1), rig.far, done);
      if (random() % 4 == 0) rig.origin().send_batches();
      if (random() % 8 == 0) rig.origin().start_fence(0, done);
    }
    release();
    rig.origin().send_batches();
    rig.finish(done);
    EXPECT_EQ(old, expected);
    rig.fence();
    for (std::size_t i = 0; i < places; ++i) EXPECT_EQ(word_at(rig, i), model[i]) << i;
    rig.expect_quiet();
  }
}

}  // namespace
}  // namespace comex::whole
