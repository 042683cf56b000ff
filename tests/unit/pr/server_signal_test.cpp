// The store of a put and signal: it depends on the put that is the write before it, and on nothing else.
#include "server_rig.h"

namespace comex::pr {
namespace {

using namespace rig;

constexpr std::uint8_t with_signal = protocol::with_signal;

class ServerSignal : public ::testing::Test {
 protected:
  void expect_applied(std::uint64_t writes) {
    ASSERT_TRUE(hand.wait_credit());
    const Reply* reply = hand.reply_to(hand.fence(), 100);
    ASSERT_NE(reply, nullptr);
    EXPECT_EQ(reply->header.applied, writes);
    EXPECT_TRUE(rig.server->quiet());
  }
  void put(std::uint64_t offset) {
    ASSERT_TRUE(hand.wait_credit());
    hand.send(request(offset, 8, protocol::body_inline), joined(pattern(8, 1)));
  }
  RequestHeader request(std::uint64_t offset, std::uint64_t bytes, std::uint8_t flags) {
    RequestHeader made = hand.header(Verb::put, offset, bytes);
    made.flags = flags | with_signal;
    return made;
  }
  // Where the word is, then the data.
  Bytes joined(const Bytes& data = {}) const {
    Bytes rest(sizeof word);
    std::memcpy(rest.data(), &word, sizeof word);
    append(rest, data);
    return rest;
  }
  void store(std::uint64_t value, std::uint8_t flags = with_signal) {
    ASSERT_TRUE(hand.wait_credit());
    hand.store(word, value, flags);
  }
  unsigned answers() const {
    return static_cast<unsigned>(std::ranges::count_if(
        hand.replies, [](const Reply& reply) { return reply.header.verb == Verb::refused; }));
  }
  std::uint64_t end() const { return rig.memory + (1 << 20); }

  Rig rig;
  Hand hand{rig, 1};
  std::uint64_t size = 6 * small_chunk;
  std::uint64_t word = rig.memory + 8;
};

TEST_F(ServerSignal, follows_its_data) {
  put(rig.memory + 64);
  store(5);
  expect_applied(2);
  EXPECT_EQ(rig.read(rig.memory + 64, 8), pattern(8, 1));
  EXPECT_EQ(rig.word<std::uint64_t>(word), 5U);
}

TEST_F(ServerSignal, that_adds_counts) {
  for (int turn = 0; turn < 3; ++turn) {
    put(rig.memory + 64);
    store(5, with_signal | protocol::adds);
  }
  expect_applied(6);
  EXPECT_EQ(rig.word<std::uint64_t>(word), 15U);
}

TEST_F(ServerSignal, of_a_refused_put_is_void_and_told_once) {
  put(end());
  store(5);
  expect_applied(2);
  EXPECT_EQ(rig.word<std::uint64_t>(word), 0U);
  EXPECT_EQ(rig.refused.size(), 1U);
  EXPECT_EQ(answers(), 1U);
}

TEST_F(ServerSignal, of_a_refused_put_is_told_once_though_its_own_word_is_wrong_too) {
  put(end());
  word = end();
  store(5);
  expect_applied(2);
  EXPECT_EQ(rig.refused.size(), 1U);
}

TEST_F(ServerSignal, that_is_wrong_keeps_its_data_from_being_written) {
  const Bytes before = rig.read(rig.memory + 64, 8);
  for (const std::uint64_t wrong : {end(), end() - 4, rig.memory + 4, ~std::uint64_t{7}}) {
    word = wrong;
    put(rig.memory + 64);
    store(5);
  }
  expect_applied(8);
  EXPECT_EQ(rig.read(rig.memory + 64, 8), before);
  ASSERT_EQ(rig.refused.size(), 4U);
  EXPECT_EQ(answers(), 4U);
  EXPECT_EQ(rig.refused[0].fault.offset, end());
  EXPECT_EQ(rig.refused[0].fault.bytes, 8U);
  EXPECT_EQ(rig.refused[2].fault.refusal, Refusal::misaligned);
}

TEST_F(ServerSignal, that_is_wrong_drains_the_body_of_its_data) {
  ASSERT_TRUE(hand.wait_credit());
  const Bytes before = rig.read(rig.memory + 64, size);
  word = end();
  const RequestHeader body = request(rig.memory + 64, size, 0);
  hand.send(body, joined());
  store(5);
  const Bytes data = pattern(size, 1);  // as long as it is under way
  hand.send_chunks(body.slot, data);
  expect_applied(2);
  EXPECT_EQ(rig.read(rig.memory + 64, size), before);
  EXPECT_EQ(rig.refused.size(), 1U);
  EXPECT_EQ(answers(), 1U);
}

TEST_F(ServerSignal, whose_place_is_cut_off_is_malformed) {
  ASSERT_TRUE(hand.wait_credit());
  hand.send(request(rig.memory + 64, 8, protocol::body_inline), Bytes(8));
  store(5);
  expect_applied(2);
  ASSERT_EQ(rig.refused.size(), 1U);
  EXPECT_EQ(rig.refused[0].fault.refusal, Refusal::malformed);
}

TEST_F(ServerSignal, waits_for_the_verdict_on_a_body) {
  ASSERT_TRUE(hand.wait_credit());
  const Bytes data = pattern(size, 1);
  const RequestHeader body = request(end() - size + 1, size, 0);
  hand.send(body, joined());
  store(5);
  // Refused between the verdict and the signal's turn, and at once: it is for another target.
  ASSERT_TRUE(hand.wait_credit());
  RequestHeader other = request(rig.memory, 8, protocol::body_inline);
  other.target = target + 1;
  hand.send(other, joined(pattern(8, 2)));
  rig.run(20);
  hand.send_chunks(body.slot, data);
  expect_applied(3);
  EXPECT_EQ(rig.word<std::uint64_t>(word), 0U);
  EXPECT_EQ(rig.refused.size(), 2U);
}

TEST_F(ServerSignal, of_a_later_put_is_raised) {
  put(end());
  store(5);
  put(rig.memory + 64);
  store(6);
  expect_applied(4);
  EXPECT_EQ(rig.word<std::uint64_t>(word), 6U);
  EXPECT_EQ(rig.refused.size(), 1U);
}

TEST_F(ServerSignal, of_nothing_does_not_care_what_was_refused_before) {
  ASSERT_TRUE(hand.wait_credit());
  hand.put(end(), pattern(8, 1));
  store(5, 0);
  expect_applied(2);
  EXPECT_EQ(rig.word<std::uint64_t>(word), 5U);
}

}  // namespace
}  // namespace comex::pr
