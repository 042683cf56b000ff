#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "unit/transport/checks.h"

namespace comex::transport::test {
namespace {

// A message of this suite: a verb, its number, then bytes that depend on number and sender.
std::byte filler(TransportRank from, std::uint32_t number) {
  return static_cast<std::byte>(number * 31 + static_cast<std::uint32_t>(from) * 7 + 1);
}

std::size_t length_of(std::uint32_t number) {
  static constexpr std::size_t lengths[] = {8, 64, 4, 500, protocol::message_bytes, 5, 1000, 72};
  return lengths[number % std::size(lengths)];
}

void stage_numbered(Transport& wire, std::uint32_t number, std::size_t bytes) {
  std::byte* out = wire.stage();
  std::fill_n(out, bytes, filler(wire.rank(), number));
  const std::uint32_t begin = number << 8 | static_cast<std::uint32_t>(protocol::Verb::data);
  std::memcpy(out, &begin, sizeof begin);
}

void post_numbered(Transport& wire, TransportRank to, std::uint32_t number, std::size_t bytes) {
  stage_numbered(wire, number, bytes);
  wire.post(to, bytes);
}

std::uint32_t number_in(const Message& message) {
  std::uint32_t begin = UINT32_MAX;
  if (message.data.size() >= sizeof begin) std::memcpy(&begin, message.data.data(), sizeof begin);
  return begin >> 8;
}

bool is_intact(const Message& message, std::size_t bytes) {
  const std::byte expected = filler(message.from, number_in(message));
  return message.data.size() == bytes &&
         std::all_of(message.data.begin() + sizeof(std::uint32_t), message.data.end(),
                     [=](std::byte b) { return b == expected; });
}

class CountingObserver final : public MessageObserver {
 public:
  void sent(TransportRank to) override { ++sent_to[static_cast<std::size_t>(to)]; }
  void received(TransportRank from) override { ++received_from[static_cast<std::size_t>(from)]; }
  explicit CountingObserver(TransportRank size)
      : sent_to(static_cast<std::size_t>(size)), received_from(static_cast<std::size_t>(size)) {}
  std::vector<unsigned> sent_to;
  std::vector<unsigned> received_from;
};

// Receives `count` messages from every rank, checking that each sender's come in order.
RankTask take_numbered(Transport& wire, std::uint32_t count, bool check_bytes) {
  std::vector<std::uint32_t> next(static_cast<std::size_t>(wire.size()), 0);
  std::uint64_t missing = std::uint64_t{count} * next.size();
  std::uint64_t wrong = 0;
  Message message;
  while (missing > 0) {
    if (!wire.receive(message)) {
      co_await pause;
      continue;
    }
    --missing;
    std::uint32_t& expected = next[static_cast<std::size_t>(message.from)];
    wrong += number_in(message) != expected;
    if (check_bytes) wrong += !is_intact(message, length_of(expected));
    ++expected;
  }
  EXPECT_EQ(wrong, 0U) << "on rank " << wire.rank();
}

// Looks at each of `count` messages of one sender for so long that others could arrive over it.
RankTask take_looking_long(Transport& wire, std::uint32_t count) {
  Message message;
  for (std::uint32_t number = 0; number < count; ++number) {
    while (!wire.receive(message)) co_await pause;
    for (int i = 0; i < 20; ++i) {
      wire.progress();
      co_await pause;
    }
    EXPECT_EQ(number_in(message), number);
    EXPECT_TRUE(is_intact(message, length_of(number)));
  }
  while (wire.unsent() > 0) {
    wire.progress();
    co_await pause;
  }
}

}  // namespace

RankTask messages_in_order(Transport& wire) {
  constexpr std::uint32_t count = 500;
  for (std::uint32_t number = 0; number < count; ++number) {
    for (TransportRank to = 0; to < wire.size(); ++to) post_numbered(wire, to, number, length_of(number));
    if (number % 100 == 0) co_await pause;
  }
  RankTask take = take_numbered(wire, count, true);
  while (!take.finished()) {
    take.resume();
    co_await pause;
  }
  while (wire.unsent() > 0) {
    wire.progress();
    co_await pause;
  }
}

// Rows of all lengths, some longer than any bundle, between messages that travel alone.
RankTask messages_in_rows(Transport& wire) {
  constexpr std::uint32_t rows = 60;
  std::uint32_t count = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t first = count;
    count += row % 14 + 1;
    for (TransportRank to = 0; to < wire.size(); ++to) {
      for (std::uint32_t number = first; number < count; ++number) {
        stage_numbered(wire, number, length_of(number));
        if (number + 1 < count) {
          wire.post(to, length_of(number), true);
        } else {
          wire.post(to, length_of(number));
        }
      }
    }
    if (row % 8 == 0) co_await pause;
  }
  RankTask take = take_numbered(wire, count, true);
  while (!take.finished()) {
    take.resume();
    co_await pause;
  }
  while (wire.unsent() > 0) {
    wire.progress();
    co_await pause;
  }
}

// Those of a bundle too stay where they are while others arrive.
RankTask row_stays_valid(Transport& wire) {
  constexpr std::uint32_t count = 40;
  const TransportRank to = (wire.rank() + 1) % wire.size();
  for (std::uint32_t number = 0; number < count; ++number) {
    stage_numbered(wire, number, length_of(number));
    if (number % 10 != 9) {
      wire.post(to, length_of(number), true);
    } else {
      wire.post(to, length_of(number));
    }
  }
  RankTask take = take_looking_long(wire, count);
  while (!take.finished()) {
    take.resume();
    co_await pause;
  }
}

// Rank 0 only takes at the end of its own part, so that far more is on its way than is posted.
RankTask flood(Transport& wire) {
  const std::uint32_t count = 100'000 / static_cast<std::uint32_t>(wire.size());
  for (std::uint32_t number = 0; number < count; ++number) {
    post_numbered(wire, 0, number, number % 50 == 0 ? protocol::message_bytes : 72);
    if (number % 256 == 0) co_await pause;
  }
  if (wire.rank() == 0) {
    RankTask take = take_numbered(wire, count, false);
    while (!take.finished()) {
      take.resume();
      co_await pause;
    }
    Message message;
    EXPECT_FALSE(wire.receive(message));
  }
  while (wire.unsent() > 0) {
    wire.progress();
    co_await pause;
  }
}

// More messages than any ring has slots arrive while the first is looked at.
RankTask message_stays_valid(Transport& wire) {
  constexpr std::uint32_t count = 40;
  const TransportRank to = (wire.rank() + 1) % wire.size();
  for (std::uint32_t number = 0; number < count; ++number) post_numbered(wire, to, number, length_of(number));
  RankTask take = take_looking_long(wire, count);
  while (!take.finished()) {
    take.resume();
    co_await pause;
  }
}

RankTask bell_counts(Transport& wire) {
  CountingObserver observer(wire.size());
  wire.set_observer(&observer);
  for (std::uint32_t number = 0; number < 3; ++number) {
    for (TransportRank to = 0; to < wire.size(); ++to) post_numbered(wire, to, number, 8);
  }
  RankTask take = take_numbered(wire, 3, false);
  while (!take.finished()) {
    take.resume();
    co_await pause;
  }
  wire.set_observer(nullptr);
  for (const unsigned sent : observer.sent_to) EXPECT_EQ(sent, 3U);
  for (const unsigned received : observer.received_from) EXPECT_EQ(received, 3U);
}

// However many travel together, both ends count the same: a receiver that sleeps until they do would miss
// some.
RankTask bell_counts_of_rows(Transport& wire) {
  CountingObserver observer(wire.size());
  wire.set_observer(&observer);
  for (TransportRank to = 0; to < wire.size(); ++to) {
    for (std::uint32_t number = 0; number < 12; ++number) {
      stage_numbered(wire, number, 500);
      if (number != 11) {
        wire.post(to, 500, true);
      } else {
        wire.post(to, 500);
      }
    }
  }
  RankTask take = take_numbered(wire, 12, false);
  while (!take.finished()) {
    take.resume();
    co_await pause;
  }
  wire.set_observer(nullptr);
  EXPECT_GT(observer.sent_to[0], 0U);
  // All send the same rows, so what each has sent to one it has received from one.
  EXPECT_EQ(observer.sent_to, observer.received_from);
}

RankTask to_itself(Transport& wire) {
  std::vector<std::byte> out(100'000, std::byte{42});
  std::vector<std::byte> in(out.size());
  post_numbered(wire, wire.rank(), 7, 100);
  const Ticket sent = wire.start_send(wire.rank(), 5, out);
  const Ticket received = wire.start_receive(wire.rank(), 5, in);
  Message message;
  while (!wire.receive(message)) co_await pause;
  EXPECT_EQ(message.from, wire.rank());
  EXPECT_EQ(number_in(message), 7U);
  EXPECT_TRUE(is_intact(message, 100));
  while (!wire.done(received)) co_await pause;
  while (!wire.done(sent)) co_await pause;
  EXPECT_EQ(in, out);
}

}  // namespace comex::transport::test
