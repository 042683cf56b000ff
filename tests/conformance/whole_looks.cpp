// When the pusher looks, and how old a batch is when it is sent: of a worker that leaves its batches alone,
// and of one that sends them itself.
#include "conformance/whole_rig.h"

namespace comex::whole {
namespace {

// Two origins with several credits each, whose batches nobody sends but the pusher and who says so.
class WholeLooks : public testing::Test {
 protected:
  WholeLooks() {
    for (std::size_t index = 0; index < 2; ++index) {
      nb::Completion done;
      for (int i = 0; i < 20; ++i) {
        rig.origin(index).start(contiguous(Action::put, &value, place(index), 8), rig.far, done);
        rig.finish(done);
      }
      rig.fence(index);
    }
    rig.sends_batches = false;
  }
  std::byte* place(std::size_t index) { return rig.region + 8 * index; }
  void append(std::size_t index = 0) {
    ++value;
    ASSERT_TRUE(append_write(rig.origin(index), contiguous(Action::put, &value, place(index), 8), rig.far));
  }
  void compute(std::uint64_t ns) { rig.os.sleep_ns(ns); }
  unsigned look() { return rig.pusher->advance(); }
  unsigned look_when_due() {
    if (rig.pusher->due_in() != shm::forever_ns) compute(rig.pusher->due_in());
    return look();
  }
  // How long the one batch waited that goes when it is due.
  std::uint64_t push_one() {
    const std::uint64_t before = rig.pusher->counters().waited_ns;
    EXPECT_EQ(look_when_due(), 1u);
    return rig.pusher->counters().waited_ns - before;
  }
  std::uint64_t longest_ns() const { return rig.pusher->counters().longest_ns; }
  bool is_announced(std::size_t index) {
    return shm::Outbox(rig.outbox_places[index]->bytes, outbox_buffers).is_announced();
  }
  // The pusher knows the origin as one that sends its batches itself.
  void send_one(std::size_t index = 0) {
    append(index);
    rig.origin(index).batches().close_all();
    EXPECT_EQ(look(), 0u);
  }

  Rig rig{{.origins = 2}};
  std::int64_t value = 5;
};

TEST_F(WholeLooks, a_first_look_sends_what_has_been_open_for_long) {
  append();
  compute(push_delay_ns);
  EXPECT_EQ(look(), 1u);
}

TEST_F(WholeLooks, what_is_left_alone_leaves_in_less_than_half_of_the_delay) {
  for (int i = 0; i < 3; ++i) {
    append();
    EXPECT_EQ(look(), 0u);
    EXPECT_EQ(look_when_due(), 1u);
  }
  EXPECT_GT(longest_ns(), push_delay_ns / 4);
  EXPECT_LT(longest_ns(), push_delay_ns / 2);
}

TEST_F(WholeLooks, a_batch_that_is_open_says_when_to_look_next) {
  append();
  compute(push_delay_ns / 5);
  EXPECT_EQ(look(), 0u);
  EXPECT_LT(rig.pusher->due_in(), push_delay_ns / 5) << "and not a whole age";
  EXPECT_LT(push_one(), push_delay_ns / 2);
}

TEST_F(WholeLooks, who_sends_batches_itself_is_left_more_time) {
  send_one();
  compute(push_delay_ns / 2);
  append();
  EXPECT_EQ(look_when_due(), 0u) << "after three tenths";
  append();  // joins it
  EXPECT_GT(push_one(), push_delay_ns * 7 / 10);
  EXPECT_LT(longest_ns(), push_delay_ns);
}

TEST_F(WholeLooks, who_has_left_one_alone_is_left_no_more_time) {
  send_one();
  append();
  EXPECT_EQ(look_when_due() + look_when_due(), 1u);
  append();
  EXPECT_EQ(look(), 0u);
  EXPECT_LT(push_one(), push_delay_ns / 2);
}

TEST_F(WholeLooks, what_it_sent_while_nobody_looked_counts) {
  for (int i = 0; i < 3; ++i) {
    append();
    rig.origin().batches().close_all();
  }
  append();
  EXPECT_EQ(look(), 0u);
  EXPECT_GT(push_one(), push_delay_ns * 7 / 10);
}

TEST_F(WholeLooks, who_sends_one_and_leaves_one_leaves_them_alone) {
  append();
  rig.origin().batches().close_all();
  append();
  compute(push_delay_ns);
  EXPECT_EQ(look(), 1u);
  append();
  EXPECT_LT(push_one(), push_delay_ns / 2);
}

TEST_F(WholeLooks, who_is_forgotten_keeps_its_time) {
  send_one();
  while (rig.pusher->due_in() != shm::forever_ns) EXPECT_EQ(look_when_due(), 0u);
  EXPECT_FALSE(is_announced(0));
  append();
  EXPECT_EQ(look(), 0u);
  EXPECT_GT(push_one(), push_delay_ns * 7 / 10);
}

TEST_F(WholeLooks, each_worker_has_its_own_time) {
  send_one(0);
  append(0);
  append(1);
  EXPECT_EQ(look(), 0u);
  EXPECT_LT(push_one(), push_delay_ns / 2);
  rig.serve();
  EXPECT_EQ(word_at(rig, 1), value);
  EXPECT_LT(word_at(rig, 0), value - 1) << "open still";
  EXPECT_EQ(look_when_due(), 0u) << "at the other again";
  EXPECT_GT(push_one(), push_delay_ns * 7 / 10);
  rig.serve();
  EXPECT_EQ(word_at(rig, 0), value - 1);
}

TEST_F(WholeLooks, who_leaves_nothing_is_not_forgotten_sooner_for_what_others_leave) {
  send_one(0);
  for (int i = 0; i < 4; ++i) {
    append(1);
    EXPECT_EQ(look(), 0u);
    compute(push_delay_ns * 3 / 10);
    EXPECT_EQ(look(), 1u);
  }
  EXPECT_TRUE(is_announced(0)) << "looked at twice, by its own time";
}

TEST_F(WholeLooks, what_is_due_soon_goes_with_what_is_due) {
  append(0);
  compute(push_delay_ns / 50);
  append(1);
  EXPECT_EQ(look(), 0u);
  EXPECT_EQ(look_when_due(), 2u);
}

TEST_F(WholeLooks, what_is_opened_during_a_look_is_young_and_what_another_clock_opened_is_old) {
  append();
  std::atomic<std::uint64_t>& begun_ns = shm::Outbox(rig.outbox_places[0]->bytes, outbox_buffers)[0].begun_ns;
  const std::uint64_t now = begun_ns;
  begun_ns = now + push_delay_ns / 10;
  EXPECT_EQ(look(), 0u);
  begun_ns = now + 1000 * push_delay_ns;
  EXPECT_EQ(look_when_due(), 1u);
}

TEST_F(WholeLooks, who_sends_batches_itself_is_looked_at_within_the_delay_and_seldom) {
  send_one();
  EXPECT_LT(rig.pusher->due_in(), push_delay_ns);
  EXPECT_GT(rig.pusher->due_in(), push_delay_ns / 2);
}

TEST(OutboxWords, count_what_has_been_opened_and_closed) {
  using shm::OutboxWord;
  const OutboxWord first = OutboxWord().opened(40);
  EXPECT_EQ(OutboxWord().closings(), 0u);
  EXPECT_EQ(first.closings(), 0u);
  EXPECT_EQ(first.in(OutboxWord::State::free).closings(), 1u);
  EXPECT_EQ(first.in(OutboxWord::State::free).opened(40).with_item(8, true).closings(), 1u);
  const OutboxWord last(~std::uint64_t{0} << 32);
  EXPECT_EQ(last.closings(), ~std::uint32_t{0});
  EXPECT_EQ(last.opened(40).in(OutboxWord::State::free).closings(), 0u) << "and from zero again";
}

}  // namespace
}  // namespace comex::whole
