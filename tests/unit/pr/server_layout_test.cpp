// Strided and vector bodies, inline and in chunks, through staging.
#include <algorithm>
#include <random>

#include "server_rig.h"
#include "shm/locks/block_locks.h"

namespace comex::pr {
namespace {

using namespace rig;

struct Shape {
  Layout layout;
  Bytes descriptor;
  std::uint64_t offset;               // relative to rig.memory for strided
  std::vector<std::uint64_t> places;  // of each 8-byte word of the packed body, in the arena
};

Shape strided_shape(std::uint64_t base, std::uint64_t run, std::uint64_t rows, std::uint64_t stride) {
  Shape shape{Layout::strided, strided(run, rows, static_cast<std::int64_t>(stride)), base, {}};
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t at = 0; at < run; at += 8) shape.places.push_back(base + row * stride + at);
  }
  return shape;
}
Shape vector_shape(std::uint64_t base, std::uint32_t segment, std::uint64_t count) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < count; ++i) offsets.push_back(base + ((i * 7) % count) * (segment + 24));
  Shape shape{Layout::vector, scattered(segment, offsets), 0, {}};
  for (const std::uint64_t offset : offsets) {
    for (std::uint64_t at = 0; at < segment; at += 8) shape.places.push_back(offset + at);
  }
  return shape;
}

std::vector<double> numbers(std::size_t count) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<double>(i + 1);
  return out;
}

class ServerLayout : public ::testing::TestWithParam<int> {
 protected:
  Shape shape() const {
    switch (GetParam()) {
      case 0:
        return strided_shape(rig.memory, 24, 10, 72);  // inline
      case 1:
        return vector_shape(rig.memory, 40, 9);  // inline
      case 2:
        return strided_shape(rig.memory, 1000, 40, 1208);  // 10 chunks, cut inside rows
      case 3:
        return vector_shape(rig.memory, 1016, 61);  // 61 chunks' worth, cut inside segments
      case 4:
        return strided_shape(rig.memory, 8, 3000, 16);
      default:
        return strided_shape(rig.memory, 9000, 5, 9008);  // rows longer than a chunk
    }
  }
  RequestHeader request(Verb verb, const Shape& what) {
    RequestHeader header = hand.header(verb, what.offset, what.places.size() * 8);
    header.layout = what.layout;
    if (verb == Verb::acc) header.scalar = Scalar::float64;
    return header;
  }
  // Sends it inline when it fits, else header and chunks.
  void write(Verb verb, const Shape& what, std::span<const double> data) {
    RequestHeader header = request(verb, what);
    Bytes rest;
    if (verb == Verb::acc) rest = Hand::scale_of(2.0);
    append(rest, what.descriptor);
    if (sizeof header + rest.size() + data.size_bytes() <= protocol::message_bytes) {
      header.flags = protocol::body_inline;
      append(rest, std::as_bytes(data));
      hand.send(header, rest);
    } else {
      hand.send(header, rest);
      hand.send_chunks(header.slot, std::as_bytes(data));
    }
    ASSERT_NE(hand.reply_to(hand.fence(), 500), nullptr);
    ASSERT_TRUE(hand.wait_credit());
  }

  mutable Rig rig;
  Hand hand{rig, 1};
};

TEST_P(ServerLayout, is_put_where_it_belongs_and_nowhere_else) {
  const Shape what = shape();
  const std::vector<double> data = numbers(what.places.size());
  write(Verb::put, what, data);
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(rig.word<double>(what.places[i]), data[i]) << i;
  double sum = 0;
  for (std::uint64_t at = 0; at < 1 << 20; at += 8) sum += rig.word<double>(rig.memory + at);
  const double n = static_cast<double>(data.size());
  EXPECT_EQ(sum, n * (n + 1) / 2);
  EXPECT_TRUE(rig.server->quiet());
  EXPECT_TRUE(rig.fabric.drained() || hand.replies.size() > 0);
}

TEST_P(ServerLayout, is_accumulated_once) {
  const Shape what = shape();
  const std::vector<double> data = numbers(what.places.size());
  for (const std::uint64_t place : what.places) rig.word<double>(place) = 100;
  write(Verb::acc, what, data);
  for (std::size_t i = 0; i < data.size(); ++i) {
    ASSERT_EQ(rig.word<double>(what.places[i]), 100 + 2 * data[i]) << i;
  }
}

TEST_P(ServerLayout, is_got_in_packed_order) {
  const Shape what = shape();
  const std::vector<double> data = numbers(what.places.size());
  for (std::size_t i = 0; i < data.size(); ++i) rig.word<double>(what.places[i]) = data[i];
  const RequestHeader header = request(Verb::get, what);
  hand.send(header, what.descriptor);
  std::vector<double> got(data.size());
  if (header.bytes > protocol::reply_data_bytes) {
    ASSERT_TRUE(hand.receive_body(header.slot, std::as_writable_bytes(std::span(got))));
  } else {
    const Reply* reply = hand.reply_to(header.slot, 5);
    ASSERT_NE(reply, nullptr);
    ASSERT_EQ(reply->data.size(), header.bytes);
    std::memcpy(got.data(), reply->data.data(), reply->data.size());
  }
  EXPECT_EQ(got, data);
  rig.run(5);
  EXPECT_TRUE(rig.server->quiet());
  EXPECT_LE(rig.server->staging_peak(), 4U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ServerLayout, ::testing::Range(0, 6));

TEST(ServerStaging, of_an_origin_that_takes_nothing_delays_nobody_else) {
  Rig rig(3);
  Hand greedy(rig, 1);
  Hand other(rig, 2);
  Hand third(rig, 3);
  const Shape wide = strided_shape(rig.memory, 2048, 60, 4096);
  const auto ask = [&](Hand& hand) {
    RequestHeader header = hand.header(Verb::get, wide.offset, wide.places.size() * 8);
    header.layout = Layout::strided;
    hand.send(header, wide.descriptor);
    return header.slot;
  };
  for (unsigned i = 0; i < 20; ++i) {
    while (greedy.may_send()) ask(greedy);
    rig.run(20);
  }
  EXPECT_GE(rig.server->staging_peak(), 8U) << "the pool is taken";
  std::vector<double> got(wide.places.size());
  EXPECT_TRUE(other.receive_body(ask(other), std::as_writable_bytes(std::span(got))));
  EXPECT_TRUE(third.receive_body(ask(third), std::as_writable_bytes(std::span(got))));
  EXPECT_LE(rig.server->staging_peak(), 8U + 3U);
  EXPECT_FALSE(rig.server->quiet());
}

TEST(ServerTurns, a_pass_moves_one_chunk_so_that_a_small_get_waits_for_one_at_most) {
  Rig rig(4);
  const std::uint64_t size = 30 * small_chunk;
  const Bytes data = pattern(size, 1);
  std::vector<std::unique_ptr<Hand>> hands;
  std::vector<Bytes> into(4, Bytes(size));
  for (TransportRank rank = 1; rank <= 3; ++rank) {
    hands.push_back(std::make_unique<Hand>(rig, rank));
    Hand& hand = *hands.back();
    hand.send_chunks(hand.big_put(rig.memory + static_cast<std::uint64_t>(rank) * size, size), data);
  }
  Hand small(rig, 4);
  std::uint64_t before = rig.server->counters().chunks;
  for (unsigned i = 0; i < 60; ++i) {
    const std::uint32_t get = small.get(rig.memory, 8);
    rig.pass();
    const std::uint64_t now = rig.server->counters().chunks;
    EXPECT_LE(now - before, 1U);
    before = now;
    ASSERT_NE(small.reply_to(get), nullptr) << "in the very pass it came";
    ASSERT_TRUE(small.may_send());
  }
  EXPECT_GE(before, 50U) << "meanwhile the large ones moved";
}

TEST(ServerTurns, go_round_the_origins) {
  Rig rig(3);
  const std::uint64_t size = 20 * small_chunk;
  const Bytes data = pattern(size, 1);
  std::vector<std::unique_ptr<Hand>> hands;
  for (TransportRank rank = 1; rank <= 3; ++rank) {
    hands.push_back(std::make_unique<Hand>(rig, rank));
    Hand& hand = *hands.back();
    hand.send_chunks(hand.big_put(rig.memory + static_cast<std::uint64_t>(rank) * size, size), data);
  }
  while (rig.server->counters().chunks < 30) rig.pass();
  for (std::uint64_t rank = 1; rank <= 3; ++rank) {
    EXPECT_EQ(rig.read(rig.memory + rank * size + 9 * small_chunk, 8),
              Bytes(data.begin() + 9 * small_chunk, data.begin() + 9 * small_chunk + 8))
        << rank;
  }
}

// One worker of the host stopped while it held a stripe.
class ServerStripes : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<shm::Arena> mine = shm::Arena::attach(rig.os, rig.arena.ticket(), 1);
    ASSERT_TRUE(static_cast<bool>(mine));
    worker = std::make_unique<shm::Arena>(std::move(mine).value());
    ASSERT_TRUE(static_cast<bool>(worker->map_anywhere()));
    ASSERT_TRUE(shm::BlockLocks(worker->stripes()).try_lock(block()));
  }
  void unlock() { shm::BlockLocks(worker->stripes()).unlock(block()); }
  std::uint64_t block() const { return base / shm::stripe_block_bytes + 1; }

  Rig rig{2};
  std::uint64_t base = shm::round_up(rig.memory, shm::stripe_block_bytes);
  std::unique_ptr<shm::Arena> worker;
  Hand hand{rig, 1};
  Hand other{rig, 2};
};

TEST_F(ServerStripes, held_by_a_stopped_worker_stop_one_accumulate_and_nothing_else) {
  const std::uint64_t size = 2 * shm::stripe_block_bytes;
  const std::vector<double> ones(size / 8, 1.0);
  hand.send_chunks(hand.big_acc(base, size), std::as_bytes(std::span(ones)));
  rig.run(50);
  EXPECT_EQ(rig.word<double>(base + shm::stripe_block_bytes - 8), 1.0) << "up to the held block";
  EXPECT_EQ(rig.word<double>(base + shm::stripe_block_bytes), 0.0);
  EXPECT_EQ(rig.pass(), 0U) << "nothing moves, so the owner may nap";
  EXPECT_FALSE(rig.server->quiet());

  ASSERT_NE(other.reply_to(other.get(base + shm::stripe_block_bytes, 8), 3), nullptr);
  const std::vector<double> far_ones(size / 8, 3.0);
  other.send_chunks(other.big_acc(base + 4 * size, size), std::as_bytes(std::span(far_ones)));
  ASSERT_NE(other.reply_to(other.fence(), 50), nullptr);

  unlock();
  ASSERT_NE(hand.reply_to(hand.fence(), 50), nullptr);
  for (std::uint64_t i = 0; i < size / 8; ++i) ASSERT_EQ(rig.word<double>(base + i * 8), 1.0) << i;
}

TEST_F(ServerStripes, are_among_the_reasons_why_the_first_request_of_an_origin_is_not_done) {
  EXPECT_FALSE(rig.server->oldest_request(0));
  const std::vector<double> ones(20, 1.0);
  hand.acc(base + shm::stripe_block_bytes, ones);
  const std::uint32_t put = other.big_put(base + 8 * shm::stripe_block_bytes, 3 * small_chunk);
  ASSERT_TRUE(other.wait_credit());
  other.get(base + 8 * shm::stripe_block_bytes, 8);
  rig.run(20);
  std::vector<Server::OldestRequest> found;
  while (const auto oldest = rig.server->oldest_request(found.size())) found.push_back(*oldest);
  ASSERT_EQ(found.size(), 2U);
  std::ranges::sort(found, {}, &Server::OldestRequest::from);
  EXPECT_EQ(found[0].from, 1);
  EXPECT_EQ(found[0].header->verb, Verb::acc);
  EXPECT_EQ(found[0].obstacle, activity::Obstacle::lock);
  EXPECT_EQ(found[1].from, 2);
  EXPECT_EQ(found[1].header->slot, put);
  EXPECT_EQ(found[1].obstacle, activity::Obstacle::body);

  unlock();
  const Bytes body(3 * small_chunk);
  other.send_chunks(put, body);
  rig.run(20);
  EXPECT_FALSE(rig.server->oldest_request(0)) << "all are done";
  ASSERT_TRUE(other.wait_credit());
  other.get(base, 100 * small_chunk);  // more than may be under way at once, and nobody receives it
  rig.run(20);
  ASSERT_TRUE(rig.server->oldest_request(0));
  EXPECT_EQ(rig.server->oldest_request(0)->obstacle, activity::Obstacle::taker);
}

TEST_F(ServerStripes, make_a_small_accumulate_go_on_where_it_stopped) {
  const std::vector<double> ones(20, 1.0);
  const std::uint64_t begin = base + shm::stripe_block_bytes - 80;  // 10 before, 10 in the held block
  hand.acc(begin, ones);
  rig.run(20);
  EXPECT_EQ(rig.word<double>(begin), 1.0);
  EXPECT_EQ(rig.word<double>(begin + 80), 0.0);
  hand.poll();
  EXPECT_EQ(hand.applied, 0U);
  unlock();
  ASSERT_NE(hand.reply_to(hand.fence(), 20), nullptr);
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(rig.word<double>(begin + i * 8), 1.0) << i;
}

TEST_F(ServerStripes, of_a_dead_worker_are_taken_over_and_that_is_said) {
  const std::vector<double> ones(20, 1.0);
  hand.acc(base + shm::stripe_block_bytes, ones);
  rig.run(10);
  rig.os.kill_slot(1);
  ASSERT_NE(hand.reply_to(hand.fence(), 2000), nullptr);
  EXPECT_EQ(rig.word<double>(base + shm::stripe_block_bytes), 1.0);
  EXPECT_EQ(rig.recovered, 1U);
}

}  // namespace
}  // namespace comex::pr
