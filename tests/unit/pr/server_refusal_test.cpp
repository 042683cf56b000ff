// Requests that are not carried out: drained, reported at once, answered.
#include <random>

#include "server_rig.h"

namespace comex::pr {
namespace {

using namespace rig;

class ServerRefusal : public ::testing::Test {
 protected:
  // The one report and the one refused reply to `slot`.
  void expect_refused(std::uint32_t slot, Refusal refusal, Verb verb) {
    const Reply* reply = hand.reply_to(slot, 100);
    ASSERT_NE(reply, nullptr);
    EXPECT_EQ(reply->header.verb, Verb::refused);
    EXPECT_EQ(reply->header.refusal, refusal);
    EXPECT_EQ(reply->header.refused_verb, verb);
    EXPECT_EQ(reply->header.target, target);
    ASSERT_EQ(rig.refused.size(), 1U);
    EXPECT_EQ(rig.refused[0].from, 1);
    EXPECT_EQ(rig.refused[0].fault.refusal, refusal);
    EXPECT_EQ(rig.refused[0].header.verb, verb);
    EXPECT_EQ(rig.server->counters().refused, 1U);
    EXPECT_TRUE(rig.server->quiet());
    EXPECT_TRUE(hand.wait_credit()) << "the credit came back";
  }
  std::uint64_t end() const { return rig.memory + (1 << 20); }

  Rig rig;
  Hand hand{rig, 1};
  std::uint64_t size = 6 * small_chunk;
};

TEST_F(ServerRefusal, of_an_inline_put_past_the_end_counts_as_applied) {
  const std::uint32_t slot = hand.put(end() - 4, pattern(8, 1));
  expect_refused(slot, Refusal::past_end, Verb::put);
  EXPECT_EQ(hand.reply_to(slot)->header.value, 1U);
  EXPECT_EQ(hand.reply_to(slot)->header.applied, 1U);
  EXPECT_EQ(rig.word<std::uint32_t>(end() - 4), 0U);
  EXPECT_EQ(rig.refused[0].fault.offset, end() - 4);
  EXPECT_EQ(rig.refused[0].fault.bytes, 8U);
}

TEST_F(ServerRefusal, of_a_large_put_drains_its_body) {
  const Bytes data = pattern(size, 1);
  const std::uint32_t slot = hand.big_put(end() - size + 1, size);
  rig.run(20);
  EXPECT_TRUE(rig.refused.empty()) << "drained first";
  hand.send_chunks(slot, data);
  expect_refused(slot, Refusal::past_end, Verb::put);
  EXPECT_EQ(rig.word<std::uint32_t>(end() - small_chunk), 0U);
  EXPECT_EQ(hand.reply_to(slot)->header.applied, 1U) << "it counts, in its own reply already";
  EXPECT_TRUE(rig.fabric.drained());
}

TEST_F(ServerRefusal, of_a_large_accumulate_drains_its_body) {
  const std::vector<double> ones(size / 8, 1.0);
  const std::uint32_t slot = hand.big_acc(end() - 8, size);
  hand.send_chunks(slot, std::as_bytes(std::span(ones)));
  expect_refused(slot, Refusal::past_end, Verb::acc);
  EXPECT_EQ(rig.word<double>(end() - 8), 0.0);
}

TEST_F(ServerRefusal, of_a_large_get_sends_an_empty_chunk_for_each_receive) {
  Bytes into(4 * small_chunk);
  const std::uint32_t slot = hand.get(end() - 8, size);
  std::vector<transport::Ticket> receives;
  for (std::size_t k = 0; k < 4; ++k) {
    const auto room = std::span(into).subspan(k * small_chunk, small_chunk);
    receives.push_back(hand.transport().start_receive(0, protocol::get_tag(slot), room));
  }
  expect_refused(slot, Refusal::past_end, Verb::get);
  for (const transport::Ticket receive : receives) {
    std::size_t bytes = 77;
    EXPECT_TRUE(hand.transport().done(receive, &bytes));
    EXPECT_EQ(bytes, 0U);
  }
  EXPECT_EQ(rig.fabric.bodies(0, 1), 4U);
}

TEST_F(ServerRefusal, of_a_get_of_two_chunks_sends_two_empty_ones) {
  hand.get(end() - 8, 2 * small_chunk);
  rig.run(20);
  EXPECT_EQ(rig.fabric.bodies(0, 1), 2U);
  EXPECT_EQ(rig.fabric.body_bytes(0, 1), 0U);
}

TEST_F(ServerRefusal, of_a_small_get_sends_no_chunk) {
  expect_refused(hand.get(end() - 4, 8), Refusal::past_end, Verb::get);
  EXPECT_EQ(rig.fabric.bodies(0, 1), 0U);
}

TEST_F(ServerRefusal, tells_freed_memory_from_memory_that_never_was) {
  const std::uint64_t other = rig.allocate(target, 4096);
  ASSERT_TRUE(static_cast<bool>(rig.arena.extents().retire(other)));
  expect_refused(hand.get(other, 8), Refusal::freed, Verb::get);
}

TEST_F(ServerRefusal, of_wild_offsets) {
  expect_refused(hand.get(0xffff'ffff'ffff'0000, 8), Refusal::no_extent, Verb::get);
}

// Just below the arena in the address space of whoever asked: no fault of the message.
TEST_F(ServerRefusal, of_a_get_that_ends_beyond_all_addresses) {
  expect_refused(hand.get(~0UL - 7, 64), Refusal::no_extent, Verb::get);
}

TEST_F(ServerRefusal, of_a_word_at_the_end_of_all_addresses) {
  expect_refused(hand.rmw(~0UL - 7, Atomic::fetch_add, 1), Refusal::no_extent, Verb::rmw);
}

TEST_F(ServerRefusal, of_a_segment_that_ends_beyond_all_addresses) {
  Bytes rest;
  append(rest, bytes_of(protocol::ScatterLayout{2, 8}));
  append(rest, bytes_of(rig.memory));
  append(rest, bytes_of(~0UL - 3));
  append(rest, pattern(16, 1));
  RequestHeader request = hand.header(Verb::put, rig.memory, 16);
  request.layout = Layout::vector;
  request.flags = protocol::body_inline;
  hand.send(request, rest);
  expect_refused(request.slot, Refusal::no_extent, Verb::put);
  EXPECT_EQ(rig.word<std::uint64_t>(rig.memory), 0U) << "nothing of it was written";
}

TEST_F(ServerRefusal, of_somebody_elses_memory) {
  expect_refused(hand.get(rig.allocate(target + 1, 4096), 8), Refusal::wrong_owner, Verb::get);
}

TEST_F(ServerRefusal, of_a_misaligned_rmw) {
  expect_refused(hand.rmw(rig.memory + 4, Atomic::fetch_add, 1), Refusal::misaligned, Verb::rmw);
  EXPECT_EQ(rig.word<std::uint64_t>(rig.memory), 0U);
}

TEST_F(ServerRefusal, of_an_aligned_rmw_of_four_bytes_does_not_happen) {
  EXPECT_NE(hand.reply_to(hand.rmw(rig.memory + 4, Atomic::fetch_add, 1, 4), 5), nullptr);
  EXPECT_TRUE(rig.refused.empty());
}

TEST_F(ServerRefusal, of_another_world) {
  RequestHeader request = hand.header(Verb::get, rig.memory, 8);
  request.world = world + 1;
  hand.send(request);
  expect_refused(request.slot, Refusal::unknown_world, Verb::get);
}

TEST_F(ServerRefusal, checks_the_whole_span_of_a_strided_put) {
  Bytes rest;
  append(rest, bytes_of(protocol::StridedLayout{1, 0}));
  for (const std::uint64_t n : {8UL, 2UL, (1UL << 20) - 7}) append(rest, bytes_of(n));
  append(rest, pattern(16, 1));
  RequestHeader request = hand.header(Verb::put, rig.memory, 16);
  request.layout = Layout::strided;
  request.flags = protocol::body_inline;
  hand.send(request, rest);
  expect_refused(request.slot, Refusal::past_end, Verb::put);
  EXPECT_EQ(rig.word<std::uint64_t>(rig.memory), 0U) << "nothing of it was written";
}

TEST_F(ServerRefusal, checks_every_segment_of_a_vector_put) {
  Bytes rest;
  append(rest, bytes_of(protocol::ScatterLayout{2, 8}));
  append(rest, bytes_of(rig.memory));
  append(rest, bytes_of(end()));
  append(rest, pattern(16, 1));
  RequestHeader request = hand.header(Verb::put, 0, 16);
  request.layout = Layout::vector;
  request.flags = protocol::body_inline;
  hand.send(request, rest);
  const Reply* reply = hand.reply_to(request.slot, 5);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.verb, Verb::refused);
  EXPECT_EQ(rig.refused.at(0).fault.offset, end());
  EXPECT_EQ(rig.word<std::uint64_t>(rig.memory), 0U);
}

TEST_F(ServerRefusal, lets_the_requests_behind_it_go_on) {
  hand.put(end() - 4, pattern(8, 1));
  ASSERT_TRUE(hand.wait_credit());
  const Bytes data = pattern(8, 4);
  hand.put(rig.memory, data);
  const Reply* reply = hand.reply_to(hand.fence(), 10);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.applied, 2U);
  EXPECT_EQ(rig.read(rig.memory, 8), data);
}

// Malformed requests, each by one wrong field.
struct Flaw {
  const char* what;
  void (*spoil)(RequestHeader& header, Bytes& rest);
};
void set_u64(Bytes& rest, std::size_t index, std::uint64_t value) {
  std::memcpy(rest.data() + index * 8, &value, 8);
}

void cut(Bytes& rest, std::ptrdiff_t bytes) {
  rest.erase(rest.begin() + bytes, rest.end());
}

class Malformed : public ::testing::TestWithParam<Flaw> {};

TEST_P(Malformed, is_refused) {
  Rig rig;
  Hand hand(rig, 1);
  RequestHeader request = hand.header(Verb::acc, rig.memory, 32);
  request.layout = Layout::strided;
  request.scalar = Scalar::float64;
  request.flags = protocol::body_inline;
  Bytes rest = Hand::scale_of(1.0);
  append(rest, bytes_of(protocol::StridedLayout{1, 0}));
  for (const std::uint64_t n : {16UL, 2UL, 64UL}) append(rest, bytes_of(n));
  append(rest, pattern(32, 0));
  GetParam().spoil(request, rest);
  hand.send(request, rest);
  const Reply* reply = hand.reply_to(request.slot, 20);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.verb, Verb::refused);
  EXPECT_EQ(reply->header.refusal, Refusal::malformed);
  EXPECT_EQ(rig.refused.size(), 1U);
}

// rest in words: 0-1 scale, 2 levels, 3 run, 4 count, 5 stride, 6-9 data
INSTANTIATE_TEST_SUITE_P(
    Requests, Malformed,
    ::testing::Values(
        Flaw{"nine levels", [](RequestHeader&, Bytes& rest) { set_u64(rest, 2, 9); }},
        Flaw{"levels without counts", [](RequestHeader&, Bytes& rest) { set_u64(rest, 2, 8); }},
        Flaw{"counts that overflow", [](RequestHeader&, Bytes& rest) { set_u64(rest, 4, 1UL << 62); }},
        Flaw{"a stride that overflows", [](RequestHeader&, Bytes& rest) { set_u64(rest, 5, INT64_MAX); }},
        Flaw{"a negative stride", [](RequestHeader&, Bytes& rest) { set_u64(rest, 5, ~0UL); }},
        Flaw{"fewer bytes than the counts say", [](RequestHeader& h, Bytes&) { h.bytes = 24; }},
        Flaw{"runs that cut an element", [](RequestHeader&, Bytes& rest) { set_u64(rest, 3, 4); set_u64(rest, 4, 8); }},
        Flaw{"data missing", [](RequestHeader&, Bytes& rest) { rest.pop_back(); }},
        Flaw{"data too long", [](RequestHeader&, Bytes& rest) { rest.push_back(std::byte{}); }},
        Flaw{"no scale", [](RequestHeader&, Bytes& rest) { cut(rest, 8); }},
        Flaw{"no element type", [](RequestHeader& h, Bytes&) { h.scalar = Scalar::none; }},
        Flaw{"an unknown element type", [](RequestHeader& h, Bytes&) { h.scalar = static_cast<Scalar>(7); }},
        Flaw{"an unknown layout", [](RequestHeader& h, Bytes&) { h.layout = static_cast<Layout>(3); }},
        Flaw{"an unknown atomic", [](RequestHeader& h, Bytes& rest) {
               rest.clear(); h.verb = Verb::rmw; h.bytes = 8; h.scalar = Scalar::int64;
               h.atomic = static_cast<Atomic>(static_cast<int>(protocol::last_atomic) + 1); }},
        Flaw{"rmw of two bytes", [](RequestHeader& h, Bytes& rest) {
               rest.clear(); h.verb = Verb::rmw; h.bytes = 2; h.scalar = Scalar::int64; }},
        Flaw{"compare and swap for nothing", [](RequestHeader& h, Bytes& rest) {
               rest.clear(); h.verb = Verb::rmw; h.bytes = 8; h.scalar = Scalar::int64;
               h.atomic = Atomic::compare_swap; }},
        Flaw{"chunks of no size", [](RequestHeader& h, Bytes& rest) {
               h.flags = 0; h.chunk_bytes = 0; cut(rest, 48); }},
        Flaw{"chunks larger than agreed", [](RequestHeader& h, Bytes& rest) {
               h.flags = 0; h.chunk_bytes = 2 * small_chunk; cut(rest, 48); }},
        Flaw{"a slot that has no tag", [](RequestHeader& h, Bytes& rest) {
               h.flags = 0; h.slot = protocol::slot_count; cut(rest, 48); }}),
    [](const auto& param) {
      std::string name = param.param.what;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

TEST(Malformed, with_a_body_is_drained_all_the_same) {
  Rig rig;
  Hand hand(rig, 1);
  RequestHeader request = hand.header(Verb::put, rig.memory, 3 * small_chunk);
  request.chunk_bytes = small_chunk - 8;  // would cut elements of 16 bytes
  hand.send(request);
  const Bytes data = pattern(3 * small_chunk, 1);
  std::vector<transport::Ticket> sends;
  for (std::size_t at = 0; at < data.size(); at += request.chunk_bytes) {
    const auto part =
        std::span(data).subspan(at, std::min<std::size_t>(request.chunk_bytes, data.size() - at));
    sends.push_back(hand.transport().start_send(0, protocol::put_tag(request.slot), part));
  }
  const Reply* reply = hand.reply_to(request.slot, 20);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.refusal, Refusal::malformed);
  EXPECT_TRUE(rig.fabric.drained());
}

// The gets' answers, kept beside the puts that are to come, would not fit one copy of a message.
TEST(Malformed, batch_whose_answers_may_have_no_room_is_refused) {
  for (const std::uint64_t puts : {std::uint64_t{17}, std::uint64_t{18}}) {
    constexpr std::uint64_t gets = 14;
    Rig rig;
    Hand hand(rig, 1);
    Bytes items;
    for (std::uint64_t i = 0; i < gets; ++i) {
      append(items, bytes_of(protocol::BatchItem{Verb::get, 0, 256, target, rig.memory}));
    }
    for (std::uint64_t i = 0; i < puts; ++i) {
      append(items, bytes_of(protocol::BatchItem{Verb::put, 0, 8, target, rig.memory}));
      append(items, bytes_of(i));
    }
    RequestHeader batch = hand.header(Verb::batch, 0, items.size());
    batch.target = 1;  // where answers go
    batch.set_items(gets + puts);
    hand.send(batch, items);
    const Reply* reply = hand.reply_to(batch.slot, 3);
    ASSERT_NE(reply, nullptr);
    EXPECT_EQ(reply->header.verb, puts == 17 ? Verb::data_batch : Verb::refused) << puts;
    EXPECT_EQ(rig.word<std::uint64_t>(rig.memory), puts == 17 ? 16u : 0u);
  }
}

TEST(Malformed, short_message_is_reported_and_dropped) {
  Rig rig;
  transport::Transport& wire = rig.fabric.endpoint(1);
  wire.stage()[0] = std::byte{1};
  wire.post(0, 20);
  rig.run(2);
  ASSERT_EQ(rig.refused.size(), 1U);
  EXPECT_TRUE(rig.server->quiet());
}

TEST(Malformed, verb_is_refused) {
  Rig rig;
  Hand hand(rig, 1);
  RequestHeader request = hand.header(static_cast<Verb>(40));
  request.sequence = 1;
  hand.raw(request);
  const Reply* reply = hand.reply_to(request.slot, 3);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.refusal, Refusal::malformed);
}

// Random bytes where layouts and sizes stand: refused or carried out, never a crash.
TEST(Malformed, noise_never_crashes_the_server) {
  std::mt19937_64 random(20240717);
  Rig rig;
  Hand hand(rig, 1);
  const Verb verbs[] = {Verb::put, Verb::get, Verb::acc, Verb::rmw, Verb::store, Verb::try_lock};
  unsigned answered = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    ASSERT_TRUE(hand.wait_credit());
    RequestHeader request = hand.header(verbs[random() % 6], rig.memory + random() % 64, random() % 200);
    request.layout = static_cast<Layout>(random() % 4);
    request.scalar = static_cast<Scalar>(random() % 8);
    request.atomic = static_cast<Atomic>(random() % (static_cast<unsigned>(protocol::last_atomic) + 2));
    request.operand = random() % 4;
    request.flags = protocol::body_inline;
    if (random() % 4 == 0) request.offset = random();
    if (random() % 16 == 0) request.bytes = random() % protocol::reply_data_bytes;
    Bytes rest(random() % 300);
    for (std::byte& byte : rest) byte = static_cast<std::byte>(random() % 3 == 0 ? random() : 0);
    if (rest.size() > 24) rest[random() % 24] = static_cast<std::byte>(random() % 12);
    hand.send(request, rest);
    rig.pass();
    hand.poll();
    answered += static_cast<unsigned>(hand.replies.size());
    hand.replies.clear();
  }
  EXPECT_NE(hand.reply_to(hand.fence(), 10), nullptr);
  EXPECT_GT(answered, 1000U);
  EXPECT_TRUE(rig.server->quiet());
}

TEST_F(ServerRefusal, of_many_messages_of_one_call_is_told_once) {
  const Bytes data = pattern(8, 1);
  const auto put = [&](std::uint32_t call) {
    EXPECT_TRUE(hand.wait_credit());
    RequestHeader request = hand.header(Verb::put, end(), data.size());
    request.flags = protocol::body_inline;
    request.call = call;
    hand.send(request, data);
    const Reply* reply = hand.reply_to(request.slot, 10);
    ASSERT_NE(reply, nullptr) << "each is answered";
    EXPECT_EQ(reply->header.verb, Verb::refused);
  };
  for (int i = 0; i < 3; ++i) put(7);
  EXPECT_EQ(rig.refused.size(), 1U);
  put(8);
  EXPECT_EQ(rig.refused.size(), 2U);
  put(0);
  put(0);
  EXPECT_EQ(rig.refused.size(), 4U) << "without a number each is a call";
  EXPECT_EQ(rig.server->counters().refused, 6U);
}

TEST_F(ServerRefusal, of_a_batch_for_another_world) {
  Bytes items;
  append(items, bytes_of(protocol::BatchItem{Verb::get, 0, 8, target, rig.memory}));
  RequestHeader batch = hand.header(Verb::batch, 0, items.size());
  batch.target = 1;  // where answers go
  batch.world = world + 1;
  batch.set_items(1);
  hand.send(batch, items);
  ASSERT_NE(hand.reply_to(batch.slot, 3), nullptr);
  ASSERT_EQ(rig.refused.size(), 1U);
  EXPECT_EQ(rig.refused[0].fault.refusal, Refusal::unknown_world);
}

}  // namespace
}  // namespace comex::pr
