// Each verb on its own, small and large.
#include "pr/server.h"

#include "server_rig.h"

namespace comex::pr {
namespace {

using namespace rig;

TEST(Server, puts_inline_bytes_and_says_so_to_a_fence) {
  Rig rig;
  Hand hand(rig, 1);
  const Bytes data = pattern(100, 1);
  hand.put(rig.memory + 40, data);
  const std::uint32_t fence = hand.fence();
  const Reply* reply = hand.reply_to(fence, 10);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.verb, Verb::done);
  EXPECT_EQ(reply->header.applied, 1U);
  EXPECT_EQ(rig.read(rig.memory + 40, 100), data);
  EXPECT_EQ(rig.word<std::uint8_t>(rig.memory + 39), 0);
  EXPECT_EQ(rig.word<std::uint8_t>(rig.memory + 140), 0);
}

TEST(Server, gets_small_data_in_the_reply) {
  Rig rig;
  Hand hand(rig, 1);
  const Bytes data = pattern(3944, 2);
  std::memcpy(rig.arena.at(rig.memory), data.data(), data.size());
  const Reply* reply = hand.reply_to(hand.get(rig.memory, data.size()), 2);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.verb, Verb::data);
  EXPECT_EQ(reply->data, data);
  EXPECT_EQ(rig.fabric.bodies(0, 1), 0U);
}

TEST(Server, gets_a_byte_more_than_a_reply_holds_in_chunks) {
  Rig rig;
  Hand hand(rig, 1);
  const Bytes data = pattern(3945, 2);
  std::memcpy(rig.arena.at(rig.memory), data.data(), data.size());
  Bytes got(data.size());
  ASSERT_TRUE(hand.receive_body(hand.get(rig.memory, data.size()), got));
  EXPECT_EQ(got, data);
}

TEST(Server, receives_a_large_put_straight_into_the_arena) {
  Rig rig;
  Hand hand(rig, 1);
  const Bytes data = pattern(10 * small_chunk + 77, 3);
  hand.send_chunks(hand.big_put(rig.memory + 8, data.size()), data);
  const Reply* reply = hand.reply_to(hand.fence(), 100);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.applied, 1U);
  EXPECT_EQ(rig.read(rig.memory + 8, data.size()), data);
  EXPECT_EQ(rig.server->staging_peak(), 0U);
  EXPECT_TRUE(rig.server->quiet());
}

TEST(Server, sends_a_large_get_straight_from_the_arena) {
  Rig rig;
  Hand hand(rig, 1);
  const Bytes data = pattern(9 * small_chunk + 5, 4);
  std::memcpy(rig.arena.at(rig.memory), data.data(), data.size());
  Bytes got(data.size());
  ASSERT_TRUE(hand.receive_body(hand.get(rig.memory, data.size()), got));
  EXPECT_EQ(got, data);
  rig.run(5);
  EXPECT_EQ(rig.server->staging_peak(), 0U);
  EXPECT_TRUE(rig.server->quiet());
}

TEST(Server, keeps_at_most_four_chunks_of_an_operation_in_flight) {
  Rig rig;
  Hand hand(rig, 1);
  hand.get(rig.memory, 20 * small_chunk);
  rig.run(50);
  EXPECT_EQ(rig.fabric.bodies(0, 1), 4U);
}

TEST(Server, accumulates_small_and_large) {
  Rig rig;
  Hand hand(rig, 1);
  const std::vector<double> ones(3000, 1.0);
  hand.acc(rig.memory, std::span(ones).first(100), 2.0);
  ASSERT_TRUE(hand.wait_credit());
  hand.send_chunks(hand.big_acc(rig.memory, 24000, 0.5), std::as_bytes(std::span(ones)));
  ASSERT_NE(hand.reply_to(hand.fence(), 100), nullptr);
  EXPECT_EQ(rig.word<double>(rig.memory), 2.5);
  EXPECT_EQ(rig.word<double>(rig.memory + 99 * 8), 2.5);
  EXPECT_EQ(rig.word<double>(rig.memory + 100 * 8), 0.5);
  EXPECT_EQ(rig.word<double>(rig.memory + 2999 * 8), 0.5);
  EXPECT_EQ(rig.word<double>(rig.memory + 3000 * 8), 0.0);
}

TEST(Server, answers_rmw_with_the_old_value) {
  Rig rig;
  Hand hand(rig, 1);
  rig.word<std::int64_t>(rig.memory) = 40;
  const auto ask = [&](Atomic atomic, std::uint64_t operand, std::uint64_t bytes = 8) {
    EXPECT_TRUE(hand.wait_credit());
    const Reply* reply = hand.reply_to(hand.rmw(rig.memory, atomic, operand, bytes), 5);
    return reply == nullptr ? ~0ULL : reply->header.value;
  };
  EXPECT_EQ(ask(Atomic::fetch_add, 2), 40U);
  EXPECT_EQ(ask(Atomic::swap, 0xf0), 42U);
  EXPECT_EQ(ask(Atomic::fetch_and, 0x3c), 0xf0U);
  EXPECT_EQ(ask(Atomic::fetch_or, 0x01), 0x30U);
  EXPECT_EQ(ask(Atomic::fetch_xor, 0xff), 0x31U);
  EXPECT_EQ(ask(Atomic::fetch_add, static_cast<std::uint32_t>(-0xcf), 4), 0xceU);
  EXPECT_EQ(rig.word<std::int64_t>(rig.memory), 0xffffffff);
  EXPECT_EQ(ask(Atomic::swap, 5, 4), 0xffffffffU);
}

TEST(Server, changes_words_of_every_type) {
  Rig rig;
  Hand hand(rig, 1);
  const auto ask = [&](Atomic atomic, auto before, auto operand) {
    rig.word<decltype(before)>(rig.memory) = before;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &operand, sizeof operand);
    EXPECT_TRUE(hand.wait_credit());
    const Reply* reply = hand.reply_to(hand.rmw(rig.memory, atomic, bits, sizeof operand), 5);
    EXPECT_TRUE(reply != nullptr && std::memcmp(&reply->header.value, &before, sizeof before) == 0);
    return rig.word<decltype(before)>(rig.memory);
  };
  EXPECT_EQ(ask(Atomic::fetch_add_real, 1.5, -4.0), -2.5);
  EXPECT_EQ(ask(Atomic::fetch_add_real, 1.5F, -4.0F), -2.5F);
  EXPECT_EQ(ask(Atomic::fetch_most_real, -2.0F, 1.0F), 1.0F);
  EXPECT_EQ(ask(Atomic::fetch_least, std::int32_t{3}, std::int32_t{-7}), -7);
  EXPECT_EQ(ask(Atomic::fetch_least_unsigned, std::uint32_t{3}, ~std::uint32_t{0}), 3U);
  EXPECT_EQ(ask(Atomic::fetch_most_unsigned, std::uint64_t{3}, ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(ask(Atomic::fetch, std::uint64_t{3}, std::uint64_t{9}), 3U);
}

TEST(Server, refuses_an_accumulate_whose_operation_is_not_for_its_type) {
  Rig rig;
  Hand hand(rig, 1);
  const auto is_refused = [&](Scalar scalar, std::uint64_t operation) {
    const std::size_t before = rig.refused.size();
    EXPECT_TRUE(hand.wait_credit());
    RequestHeader request = hand.header(Verb::acc, rig.memory, 16);
    request.scalar = scalar;
    request.flags = protocol::body_inline;
    request.operand = operation;
    hand.send(request, Bytes(sizeof(Scale) + 16));
    EXPECT_TRUE(hand.wait_credit());
    EXPECT_NE(hand.reply_to(hand.fence(), 100), nullptr);
    return rig.refused.size() != before;
  };
  EXPECT_FALSE(is_refused(Scalar::float64, static_cast<std::uint64_t>(Combine::most)));
  EXPECT_FALSE(is_refused(Scalar::int32, static_cast<std::uint64_t>(Combine::bit_xor)));
  EXPECT_TRUE(is_refused(Scalar::float64, static_cast<std::uint64_t>(Combine::bit_xor)));
  EXPECT_TRUE(is_refused(Scalar::complex_double, static_cast<std::uint64_t>(Combine::least)));
  EXPECT_TRUE(is_refused(Scalar::int64, combine_kinds));
}

TEST(Server, compares_and_swaps_only_what_was_expected) {
  Rig rig;
  Hand hand(rig, 1);
  rig.word<std::int64_t>(rig.memory) = 7;
  for (const std::uint64_t expected : {6U, 7U}) {
    ASSERT_TRUE(hand.wait_credit());
    RequestHeader request = hand.header(Verb::rmw, rig.memory, 8);
    request.scalar = Scalar::int64;
    request.atomic = Atomic::compare_swap;
    request.set_argument(expected);
    const std::uint64_t desired = 99;
    hand.send(request, bytes_of(desired));
    const Reply* reply = hand.reply_to(request.slot, 5);
    ASSERT_NE(reply, nullptr);
    EXPECT_EQ(reply->header.value, 7U);
    EXPECT_EQ(rig.word<std::int64_t>(rig.memory), expected == 7 ? 99 : 7);
  }
}

TEST(Server, stores_a_word_and_rings_the_target) {
  Rig rig;
  Hand hand(rig, 1);
  const std::uint32_t seen = rig.arena.doorbell(1).seen();
  hand.store(rig.memory + 16, 1234);
  rig.run(2);
  EXPECT_EQ(rig.word<std::uint64_t>(rig.memory + 16), 1234U);
  EXPECT_NE(rig.arena.doorbell(1).seen(), seen);
}

TEST(Server, counts_who_left_and_forgets_them) {
  Rig rig(2);
  Hand a(rig, 1);
  Hand b(rig, 2);
  a.put(rig.memory, pattern(8, 1));
  a.simple(Verb::leave);
  rig.run(2);
  EXPECT_EQ(rig.server->departed(), 1U);
  b.simple(Verb::leave);
  rig.run(2);
  EXPECT_EQ(rig.server->departed(), 2U);
  EXPECT_TRUE(rig.server->quiet());
}

TEST(Server, knows_how_each_has_left) {
  Rig rig(2);
  Hand a(rig, 1);
  Hand b(rig, 2);
  a.simple(Verb::leave);
  rig.run(2);
  EXPECT_EQ(rig.server->departed(1), protocol::Leaving::together);
  EXPECT_EQ(rig.server->departed(2), std::nullopt);
  b.simple(Verb::leave, 0, static_cast<std::uint64_t>(protocol::Leaving::alone));
  rig.run(2);
  EXPECT_EQ(rig.server->departed(1), protocol::Leaving::together);
  EXPECT_EQ(rig.server->departed(2), protocol::Leaving::alone);
  EXPECT_EQ(rig.server->departed(), 2U);
}

TEST(Server, keeps_the_queue_of_one_who_left_until_it_is_empty) {
  Rig rig;
  Hand hand(rig, 1);
  const Bytes data = pattern(6 * small_chunk, 1);
  const std::uint32_t slot = hand.big_put(rig.memory, data.size());
  hand.simple(Verb::leave);
  rig.run(5);
  EXPECT_EQ(rig.server->departed(), 0U);
  hand.send_chunks(slot, data);
  rig.run(20);
  EXPECT_EQ(rig.server->departed(), 1U);
  EXPECT_EQ(rig.read(rig.memory, data.size()), data);
}

}  // namespace
}  // namespace comex::pr
