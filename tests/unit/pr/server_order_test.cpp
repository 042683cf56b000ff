// The order rules as a table, and then in flight.
#include "pr/order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server_rig.h"

namespace comex::pr {
namespace {

using namespace rig;

Footprint print(Verb verb, std::uint64_t low, std::uint64_t high, bool is_inline = false,
                Scalar scalar = Scalar::none) {
  return {verb, is_inline, scalar, false, 1, low, high, Combine::sum, low};
}

struct Row {
  const char* what;
  Footprint earlier;
  Footprint later;
  bool may_start;
};

TEST(Order, follows_the_table) {
  const Footprint put = print(Verb::put, 0, 100);
  const Footprint get = print(Verb::get, 0, 100);
  const Footprint acc = print(Verb::acc, 0, 100, false, Scalar::float64);
  Footprint most = acc;
  most.combine = Combine::most;
  Footprint most_integer = most;
  most_integer.scalar = Scalar::int64;
  Footprint bits = most_integer;
  bits.combine = Combine::bit_or;
  Footprint replacement = acc;
  replacement.combine = Combine::replace;
  Footprint product = acc;
  product.combine = Combine::product;
  const Footprint fence = print(Verb::fence, 0, 0);
  const Footprint release = print(Verb::release, 0, 0);
  const Row rows[] = {
      {"put after overlapping put", put, print(Verb::put, 99, 200), false},
      {"put after touching put", put, print(Verb::put, 100, 200), true},
      {"put after overlapping get", get, print(Verb::put, 50, 60), false},
      {"put after distant get", get, print(Verb::put, 100, 101), true},
      {"put after overlapping acc", acc, print(Verb::put, 0, 1), false},
      {"get after overlapping put", put, print(Verb::get, 0, 8), false},
      {"get after distant put", put, print(Verb::get, 100, 108), true},
      {"get after overlapping acc", acc, print(Verb::get, 0, 8), false},
      {"get after the same get", get, get, true},
      {"acc after acc of its type", acc, acc, true},
      {"acc after acc of another type", acc, print(Verb::acc, 0, 8, false, Scalar::int64), false},
      {"acc after distant acc of another type", acc, print(Verb::acc, 100, 108, false, Scalar::int64), true},
      {"acc after acc of another operation", most, acc, false},
      {"acc after acc that overlaps in part of a number", acc,
       print(Verb::acc, 4, 12, false, Scalar::float64), false},
      {"acc after distant acc at half a number", acc, print(Verb::acc, 100, 108, false, Scalar::float64),
       true},
      {"acc after acc of half a complex number", print(Verb::acc, 0, 64, false, Scalar::complex_double),
       print(Verb::acc, 8, 24, false, Scalar::complex_double), true},
      {"acc after acc of a quarter of one", print(Verb::acc, 0, 64, false, Scalar::complex_double),
       print(Verb::acc, 4, 20, false, Scalar::complex_double), false},
      {"acc after acc of its own operation", bits, bits, true},
      {"maximum after maximum of integers", most_integer, most_integer, true},
      {"maximum after maximum of reals", most, most, false},
      {"replacement after replacement", replacement, replacement, false},
      {"product after product", product, product, false},
      {"acc after overlapping put", put, acc, false},
      {"acc after overlapping get", get, acc, false},
      {"inline acc after distant put", put, print(Verb::acc, 100, 108, true, Scalar::int64), true},
      {"inline put after distant put", put, print(Verb::put, 500, 508, true), false},
      {"inline put after distant acc", acc, print(Verb::put, 500, 508, true), false},
      {"inline put after distant get", get, print(Verb::put, 500, 508, true), true},
      {"inline put after overlapping get", get, print(Verb::put, 0, 8, true), false},
      {"store after distant put", put, print(Verb::store, 500, 508), false},
      {"store after distant get", get, print(Verb::store, 500, 508), true},
      {"store after overlapping get", get, print(Verb::store, 0, 8), false},
      {"rmw after distant acc", acc, print(Verb::rmw, 500, 508), false},
      {"rmw after distant get", get, print(Verb::rmw, 500, 508), true},
      {"rmw after overlapping get", get, print(Verb::rmw, 0, 8), false},
      {"rmw after a store that waits", print(Verb::store, 500, 508), print(Verb::rmw, 0, 8), false},
      {"store after an rmw that waits", print(Verb::rmw, 500, 508), print(Verb::store, 0, 8), false},
      {"large put after a distant store that waits", print(Verb::store, 500, 508), put, true},
      {"release after put", put, release, false},
      {"release after get", get, release, true},
      {"put after a release that waits", release, put, true},
      {"fence after a release that waits", release, fence, false},
      {"fence after put", put, fence, false},
      {"fence after store", print(Verb::store, 0, 8), fence, false},
      {"fence after get", get, fence, true},
      {"put after a fence that waits", fence, put, true},
      {"store after a fence that waits", fence, print(Verb::store, 0, 8), true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(may_start_beside(row.earlier, row.later), row.may_start) << row.what;
  }
}

TEST(Order, knows_no_order_between_targets_but_that_of_a_fence) {
  Footprint elsewhere = print(Verb::put, 0, 100);
  elsewhere.target = 2;
  EXPECT_TRUE(may_start_beside(elsewhere, print(Verb::put, 0, 100)));
  EXPECT_TRUE(may_start_beside(elsewhere, print(Verb::store, 0, 8)));
  EXPECT_TRUE(may_start_beside(elsewhere, print(Verb::release, 0, 0)));
  EXPECT_FALSE(may_start_beside(elsewhere, print(Verb::fence, 0, 0)));
}

// An origin with credits to spare.
class ServerOrder : public ::testing::Test {
 protected:
  void SetUp() override {
    for (unsigned i = 0; i < 8; ++i) {
      while (hand.may_send()) hand.put(rig.memory + (900 << 10), pattern(8, 0));
      rig.run(2);
    }
    ASSERT_NE(hand.reply_to(hand.fence(), 10), nullptr);
    hand.poll();
    ASSERT_GE(hand.limit - hand.sent, 8U);
    start = hand.number;
  }
  static constexpr std::uint64_t size = 6 * small_chunk;

  Rig rig;
  Hand hand{rig, 1};
  std::uint64_t start = 0;
};

TEST_F(ServerOrder, a_get_sees_the_put_before_it) {
  const Bytes data = pattern(size, 5);
  const std::uint32_t put = hand.big_put(rig.memory, size);
  const std::uint32_t get = hand.get(rig.memory + size - 8, 8);
  EXPECT_EQ(hand.reply_to(get, 20), nullptr);
  hand.send_chunks(put, data);
  const Reply* reply = hand.reply_to(get, 20);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->data, Bytes(data.end() - 8, data.end()));
}

TEST_F(ServerOrder, a_get_elsewhere_overtakes_a_put_whose_body_is_late) {
  hand.big_put(rig.memory, size);
  EXPECT_NE(hand.reply_to(hand.get(rig.memory + size, 8), 2), nullptr);
}

TEST_F(ServerOrder, a_later_put_does_not_change_what_an_earlier_get_returns) {
  const Bytes before = rig.read(rig.memory, size);
  const std::uint32_t get = hand.get(rig.memory, size);
  rig.run(5);
  const Bytes data = pattern(8, 9);
  hand.put(rig.memory + size - 8, data);
  rig.run(20);
  EXPECT_EQ(rig.read(rig.memory, size), before);
  Bytes got(size);
  ASSERT_TRUE(hand.receive_body(get, got));
  EXPECT_EQ(got, before);
  rig.run(5);
  EXPECT_EQ(rig.read(rig.memory + size - 8, 8), data);
}

TEST_F(ServerOrder, the_later_of_two_overlapping_puts_wins) {
  const Bytes first = pattern(size, 1);
  const Bytes second = pattern(size, 2);
  const std::uint32_t one = hand.big_put(rig.memory, size);
  const std::uint32_t two = hand.big_put(rig.memory + small_chunk, size);
  hand.send_chunks(two, second);
  rig.run(20);
  EXPECT_NE(rig.read(rig.memory + small_chunk, 8), Bytes(second.begin(), second.begin() + 8));
  hand.send_chunks(one, first);
  rig.run(40);
  EXPECT_EQ(rig.read(rig.memory + small_chunk, size), second);
  EXPECT_EQ(rig.read(rig.memory, small_chunk), Bytes(first.begin(), first.begin() + small_chunk));
}

TEST_F(ServerOrder, puts_that_do_not_overlap_run_side_by_side) {
  const Bytes data = pattern(size, 2);
  hand.big_put(rig.memory, size);
  const std::uint32_t two = hand.big_put(rig.memory + size, size);
  hand.send_chunks(two, data);
  rig.run(20);
  EXPECT_EQ(rig.read(rig.memory + size, size), data);
  hand.poll();
  EXPECT_EQ(hand.applied, start) << "the first is not applied, so the second is not told of";
}

TEST_F(ServerOrder, a_store_comes_after_all_writes_to_its_target) {
  const Bytes data = pattern(size, 2);
  const std::uint32_t put = hand.big_put(rig.memory, size);
  hand.store(rig.memory + 100000 * 8, 1);
  rig.run(20);
  EXPECT_EQ(rig.word<std::uint64_t>(rig.memory + 100000 * 8), 0U);
  hand.send_chunks(put, data);
  rig.run(20);
  EXPECT_EQ(rig.word<std::uint64_t>(rig.memory + 100000 * 8), 1U);
}

TEST_F(ServerOrder, a_store_to_another_target_does_not_wait) {
  const std::uint64_t other = rig.allocate(8, 4096);
  hand.big_put(rig.memory, size);
  RequestHeader request = hand.header(Verb::store, other, 8);
  request.target = 8;
  request.set_value(5);
  hand.send(request);
  rig.run(2);
  EXPECT_EQ(rig.word<std::uint64_t>(other), 5U);
}

TEST_F(ServerOrder, a_fence_waits_for_writes_to_every_target_and_for_no_get) {
  const Bytes data = pattern(size, 2);
  const std::uint32_t get = hand.get(rig.memory + 2 * size, size);
  const std::uint32_t put = hand.big_put(rig.memory, size);
  const std::uint32_t fence = hand.fence();
  EXPECT_EQ(hand.reply_to(fence, 20), nullptr);
  hand.send_chunks(put, data);
  const Reply* reply = hand.reply_to(fence, 20);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.applied, start + 1);
  Bytes got(size);
  EXPECT_TRUE(hand.receive_body(get, got));
}

TEST_F(ServerOrder, what_overtook_a_waiting_fence_is_not_waited_for) {
  const Bytes data = pattern(size, 2);
  const std::uint32_t put = hand.big_put(rig.memory, size);
  const std::uint32_t fence = hand.fence();
  hand.big_put(rig.memory + size, size);
  hand.send_chunks(put, data);
  const Reply* reply = hand.reply_to(fence, 20);
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->header.applied, start + 1);
}

TEST_F(ServerOrder, accumulates_of_one_type_overlap_in_flight) {
  const std::vector<double> ones(size / 8, 1.0);
  const std::uint32_t first = hand.big_acc(rig.memory, size);
  const std::uint32_t second = hand.big_acc(rig.memory, size);
  hand.send_chunks(second, std::as_bytes(std::span(ones)));
  rig.run(30);
  EXPECT_EQ(rig.word<double>(rig.memory), 1.0);
  hand.send_chunks(first, std::as_bytes(std::span(ones)));
  rig.run(30);
  for (std::uint64_t i = 0; i < size / 8; ++i) ASSERT_EQ(rig.word<double>(rig.memory + i * 8), 2.0) << i;
}

// A large accumulate without its body, then a small one of its type within. That the small one does not lie
// at whole numbers shows in its offset, in its strides, or in the offset of one segment.
TEST_F(ServerOrder, accumulates_to_parts_of_one_number_keep_their_order) {
  struct Case {
    Layout layout;
    std::uint64_t begin;
    std::uint64_t step;  // to its second row
    bool may_overtake;
  };
  const Case cases[] = {
      {Layout::contiguous, 8, 8, true}, {Layout::contiguous, 12, 8, false}, {Layout::strided, 8, 64, true},
      {Layout::strided, 8, 68, false},  {Layout::vector, 8, 64, true},      {Layout::vector, 8, 68, false},
  };
  const std::vector<double> ones(size / 8, 1.0);
  std::uint64_t place = rig.memory;
  for (const Case& each : cases) {
    const std::uint32_t large = hand.big_acc(place, size);
    const std::uint64_t first = place + each.begin;
    Bytes rest = Hand::scale_of(1.0);
    if (each.layout == Layout::strided) append(rest, strided(8, 2, static_cast<std::int64_t>(each.step)));
    if (each.layout == Layout::vector) append(rest, scattered(8, {first, first + each.step}));
    append(rest, std::as_bytes(std::span(ones).first(2)));
    RequestHeader small = hand.header(Verb::acc, first, 16);
    small.layout = each.layout;
    small.scalar = Scalar::float64;
    small.flags = protocol::body_inline;
    hand.send(small, rest);
    rig.run(20);
    const Bytes seen = rig.read(first, 8);
    const bool has_overtaken = std::ranges::any_of(seen, [](std::byte one) { return one != std::byte{}; });
    EXPECT_EQ(has_overtaken, each.may_overtake) << first - place << " " << each.step;
    hand.send_chunks(large, std::as_bytes(std::span(ones)));
    ASSERT_NE(hand.reply_to(hand.fence(), 60), nullptr);
    place += 2 * size;
  }
  EXPECT_TRUE(rig.refused.empty());
}

TEST_F(ServerOrder, an_rmw_waits_for_a_late_accumulate) {
  const std::vector<double> ones(size / 8, 1.0);
  const std::uint32_t acc = hand.big_acc(rig.memory, size);
  const std::uint32_t rmw = hand.rmw(rig.memory + size, Atomic::fetch_add, 1);
  EXPECT_EQ(hand.reply_to(rmw, 20), nullptr);
  hand.send_chunks(acc, std::as_bytes(std::span(ones)));
  EXPECT_NE(hand.reply_to(rmw, 30), nullptr);
}

TEST_F(ServerOrder, small_requests_that_waited_run_in_their_order) {
  const Bytes data = pattern(size, 2);
  const std::uint32_t put = hand.big_put(rig.memory, size);
  const std::uint64_t word = rig.memory + size;
  hand.store(word, 10);
  const std::uint32_t add = hand.rmw(word, Atomic::fetch_add, 5);
  hand.put(word, bytes_of(std::uint64_t{100}));
  const std::uint32_t get = hand.get(word, 8);
  const std::uint32_t again = hand.rmw(word, Atomic::fetch_add, 1);
  rig.run(10);
  EXPECT_EQ(rig.word<std::uint64_t>(word), 0U);
  hand.send_chunks(put, data);
  ASSERT_NE(hand.reply_to(again, 30), nullptr);
  EXPECT_EQ(hand.reply_to(add)->header.value, 10U);
  EXPECT_EQ(hand.reply_to(again)->header.value, 100U);
  ASSERT_NE(hand.reply_to(get), nullptr);
  EXPECT_EQ(hand.reply_to(get)->data[0], std::byte{100});
}

TEST_F(ServerOrder, applied_is_the_lowest_gap) {
  const Bytes data = pattern(size, 2);
  const std::uint32_t first = hand.big_put(rig.memory, size);
  const std::uint32_t second = hand.big_put(rig.memory + size, size);
  hand.send_chunks(second, data);
  rig.run(20);
  const Reply* probe = hand.reply_to(hand.get(rig.memory + 4 * size, 8), 5);
  ASSERT_NE(probe, nullptr);
  EXPECT_EQ(probe->header.applied, start);
  hand.send_chunks(first, data);
  rig.run(20);
  probe = hand.reply_to(hand.get(rig.memory + 4 * size, 8), 5);
  ASSERT_NE(probe, nullptr);
  EXPECT_EQ(probe->header.applied, start + 2);
}

}  // namespace
}  // namespace comex::pr
