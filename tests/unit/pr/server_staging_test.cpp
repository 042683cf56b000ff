// Bodies that the server has to stage, in pieces: the room for them is bounded, and nobody waits for
// another's.
#include "server_rig.h"

namespace comex::pr {
namespace {

using namespace rig;

constexpr TransportRank many = 40;
constexpr std::uint32_t pooled = 3;  // pieces beyond one each
constexpr std::uint32_t large_chunk = 32 * 1024;

struct Reserve {
  std::uint64_t bytes;
  std::uint32_t piece;
  bool is_one_each;  // else it is beside the message
};

ServerOptions options_with(const Reserve& reserve) {
  ServerOptions options = small_options();
  options.chunk_bytes = large_chunk;
  options.pool_bytes = 4 * many * protocol::message_bytes;
  options.staging_bytes = pooled * reserve.piece;
  options.staging_reserve = reserve.bytes;
  return options;
}

class ServerPieces : public ::testing::TestWithParam<Reserve> {
 protected:
  ServerPieces() : rig(many, options_with(GetParam())) {
    for (TransportRank rank = 1; rank <= many; ++rank) {
      hands.push_back(std::make_unique<Hand>(rig, rank));
      hands.back()->chunk = GetParam().piece;
    }
  }
  // A column of `rows` words, 16 bytes apart.
  RequestHeader scattered(Hand& hand, Verb verb, Bytes& rest, std::uint64_t rows) {
    RequestHeader header = hand.header(verb, rig.memory, 8 * rows);
    header.layout = Layout::strided;
    append(rest, bytes_of(protocol::StridedLayout{1, 0}));
    for (const std::uint64_t word : {std::uint64_t{8}, rows, std::uint64_t{16}}) append(rest, bytes_of(word));
    return header;
  }

  Rig rig;
  std::vector<std::unique_ptr<Hand>> hands;
};

TEST_P(ServerPieces, of_origins_that_do_not_go_on_hold_up_nobody_and_stay_within_the_room_for_them) {
  const std::size_t words = 3 * GetParam().piece / 8 + 100;
  const std::vector<double> ones(words, 1.0);
  // All but the last begin something large, of which they send nothing or take nothing, twice if they may.
  for (std::size_t i = 0; i + 1 < hands.size(); ++i) {
    Hand& hand = *hands[i];
    for (int turn = 0; turn < 2 && hand.wait_credit(20); ++turn) {
      if (i % 2 == 0) {
        hand.big_acc(rig.memory, 8 * words);
      } else {
        Bytes rest;
        const RequestHeader get = scattered(hand, Verb::get, rest, words);
        hand.send(get, rest);
      }
      rig.run(4);
    }
  }
  Hand& other = *hands.back();
  ASSERT_NE(other.reply_to(other.get(rig.memory, 8), 50), nullptr) << "small ones";
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(other.wait_credit());
    other.send_chunks(other.big_acc(rig.memory, 8 * words), std::as_bytes(std::span(ones)));
    ASSERT_NE(other.reply_to(other.fence(), 500), nullptr) << "large ones too";
  }
  EXPECT_EQ(rig.word<double>(rig.memory + 8 * (words - 1)), 3.0);
  Bytes rest;
  ASSERT_TRUE(other.wait_credit());
  const RequestHeader get = scattered(other, Verb::get, rest, words);
  other.send(get, rest);
  std::vector<double> got(words);
  EXPECT_TRUE(other.receive_body(get.slot, std::as_writable_bytes(std::span(got))));
  EXPECT_EQ(got[1], 3.0);
  EXPECT_LE(rig.server->staging_peak(), pooled + (GetParam().is_one_each ? many : 0u));
  EXPECT_GE(rig.server->staging_peak(), pooled) << "the pool is taken";
  EXPECT_FALSE(rig.server->quiet());
}

TEST_P(ServerPieces, of_those_who_go_on_in_the_end_are_all_worked_on) {
  const std::size_t words = 5 * GetParam().piece / 8 + 2;
  const std::vector<double> ones(words, 1.0);
  std::vector<std::uint32_t> slots;
  for (auto& hand : hands) slots.push_back(hand->big_acc(rig.memory, 8 * words));
  rig.run(10);
  for (std::size_t i = hands.size(); i-- > 0;)
    hands[i]->send_chunks(slots[i], std::as_bytes(std::span(ones)));
  for (auto& hand : hands) ASSERT_NE(hand->reply_to(hand->fence(), 5000), nullptr);
  for (std::size_t i = 0; i < words; ++i) ASSERT_EQ(rig.word<double>(rig.memory + 8 * i), many) << i;
  EXPECT_TRUE(rig.server->quiet());
}

// Their memory may be others' by then, and the pool is for those who go on.
TEST_P(ServerPieces, of_origins_that_are_given_up_are_taken_no_more_and_leave_their_room_to_others) {
  const std::size_t words = 3 * GetParam().piece / 8;
  const std::vector<double> ones(words, 1.0);
  const Bytes data = pattern(3 * large_chunk, 1);
  const std::uint64_t scattered_at = rig.memory + data.size();
  Hand& puts = *hands[0];
  puts.chunk = large_chunk;
  const std::uint32_t put = puts.big_put(rig.memory, data.size());
  puts.send_chunks(put, data, 0, 1);
  puts.fence();
  std::vector<std::uint32_t> accs;
  for (std::size_t i = 1; i + 1 < hands.size(); ++i) {
    accs.push_back(hands[i]->big_acc(scattered_at, 8 * words));
    hands[i]->send_chunks(accs.back(), std::as_bytes(std::span(ones)), 0, 1);
  }
  rig.run(50);
  for (std::size_t i = 0; i + 1 < hands.size(); ++i) rig.server->give_up(static_cast<TransportRank>(i + 1));
  const Bytes zeros(data.size() + 8 * words);
  std::memcpy(rig.arena.at(rig.memory), zeros.data(), zeros.size());
  puts.send_chunks(put, data, 1);
  for (std::size_t i = 1; i + 1 < hands.size(); ++i)
    hands[i]->send_chunks(accs[i - 1], std::as_bytes(std::span(ones)), 1);
  rig.run(50);
  EXPECT_EQ(rig.read(rig.memory, zeros.size()), zeros);
  EXPECT_TRUE(rig.server->quiet());
  EXPECT_EQ(rig.server->counters().queued, 0u);
  Hand& other = *hands.back();
  ASSERT_TRUE(other.wait_credit());
  other.send_chunks(other.big_acc(scattered_at, 8 * words), std::as_bytes(std::span(ones)));
  ASSERT_NE(other.reply_to(other.fence(), 500), nullptr);
  EXPECT_EQ(rig.word<double>(scattered_at + 8 * (words - 1)), 1.0);
}

TEST_P(ServerPieces, are_not_needed_by_refused_bodies_which_are_dropped_side_by_side) {
  const Bytes data = pattern(2 * large_chunk, 1);
  const std::uint64_t outside = rig.memory + (1 << 20);
  for (auto& hand : hands) hand->chunk = large_chunk;
  hands[0]->big_put(outside, data.size());  // nothing of it ever comes
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 1; i < hands.size(); ++i) slots.push_back(hands[i]->big_put(outside, data.size()));
  rig.run(20);
  for (std::size_t i = 1; i < hands.size(); ++i) hands[i]->send_chunks(slots[i - 1], data);
  for (std::size_t i = 1; i < hands.size(); ++i) {
    const Reply* reply = hands[i]->reply_to(slots[i - 1], 500);
    ASSERT_NE(reply, nullptr) << i;
    EXPECT_EQ(reply->header.verb, Verb::refused);
  }
  EXPECT_EQ(rig.server->staging_peak(), 0u);
}

TEST_P(ServerPieces, that_are_too_large_are_refused_and_dropped) {
  Hand& hand = *hands[0];
  hand.chunk = 2 * GetParam().piece;
  const Bytes data = pattern(2 * hand.chunk, 1);
  const std::uint32_t slot = hand.big_acc(rig.memory, data.size());
  hand.send_chunks(slot, data);
  const Reply* reply = hand.reply_to(slot, 50);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.refusal, Refusal::malformed);
  EXPECT_EQ(rig.server->staging_peak(), 0u);
  EXPECT_TRUE(rig.fabric.drained());

  ASSERT_TRUE(hand.wait_credit());
  hand.chunk = large_chunk;
  const std::uint32_t put = hand.big_put(rig.memory, data.size());
  hand.send_chunks(put, data);
  ASSERT_NE(hand.reply_to(hand.fence(), 50), nullptr) << "what lands in place comes in chunks";
  EXPECT_EQ(rig.read(rig.memory, data.size()), data);
}

INSTANTIATE_TEST_SUITE_P(Reserves, ServerPieces,
                         ::testing::Values(Reserve{(many + 1) * 8192, 8192, true},
                                           Reserve{0, smallest_piece, false}),
                         [](const auto& reserve) {
                           return reserve.param.is_one_each ? "one_for_each" : "beside_the_message";
                         });

TEST(ServerPiece, beside_a_message_that_leaves_no_room_for_it_is_refused) {
  ServerOptions options = small_options();
  options.staging_reserve = 0;
  Rig rig(1, options);
  Hand hand(rig, 1);
  hand.chunk = smallest_piece;
  constexpr std::uint32_t segment = 64;
  const auto put = [&](std::uint32_t count) {
    Bytes rest;
    append(rest, bytes_of(protocol::ScatterLayout{count, segment}));
    for (std::uint64_t i = 0; i < count; ++i) append(rest, bytes_of(rig.memory + 2 * segment * i));
    RequestHeader header = hand.header(Verb::put, 0, std::uint64_t{count} * segment);
    header.layout = Layout::vector;
    hand.send(header, rest);
    return header.slot;
  };
  constexpr std::uint32_t most =
      (short_message - smallest_piece - sizeof(RequestHeader) - sizeof(protocol::ScatterLayout)) /
      sizeof(std::uint64_t);
  const Bytes data = pattern((most + 1) * segment, 3);
  hand.send_chunks(put(most), std::span(data).first(most * segment));
  ASSERT_NE(hand.reply_to(hand.fence(), 50), nullptr);
  EXPECT_TRUE(rig.refused.empty());
  const Bytes last(data.begin() + (most - 1) * segment, data.begin() + most * segment);
  EXPECT_EQ(rig.read(rig.memory + 2 * segment * (most - 1), segment), last);

  ASSERT_TRUE(hand.wait_credit());
  const std::uint32_t slot = put(most + 1);
  hand.send_chunks(slot, data);
  const Reply* reply = hand.reply_to(slot, 50);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.refusal, Refusal::malformed);
}

// Whoever sent it has other limits: there is no telling what it means.
TEST(ServerPiece, of_the_least_size_comes_with_no_message_that_is_longer_than_theirs) {
  ServerOptions options = small_options();
  options.staging_reserve = 0;
  Rig rig(1, options);
  Hand hand(rig, 1);
  constexpr std::uint64_t most = short_message - sizeof(RequestHeader);
  const Bytes data = pattern(most + 8, 3);
  hand.put(rig.memory, std::span(data).first(most));
  ASSERT_NE(hand.reply_to(hand.fence(), 5), nullptr);
  EXPECT_EQ(rig.read(rig.memory, most), Bytes(data.begin(), data.begin() + most));
  hand.put(rig.memory, data);
  rig.pass();
  ASSERT_EQ(rig.refused.size(), 1u);
  EXPECT_EQ(rig.refused[0].fault.refusal, Refusal::malformed);
  EXPECT_EQ(rig.read(rig.memory + most, 8), Bytes(8));
}

}  // namespace
}  // namespace comex::pr
