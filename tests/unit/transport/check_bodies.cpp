#include <gtest/gtest.h>

#include <vector>

#include "unit/transport/checks.h"

namespace comex::transport::test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes pattern(std::size_t bytes, TransportRank from, TransportRank to, unsigned salt = 0) {
  Bytes made(bytes);
  auto state = static_cast<std::uint32_t>(from) * 977 + static_cast<std::uint32_t>(to) * 131 + salt * 17 + 1;
  for (std::byte& b : made) {
    state = state * 1664525 + 1013904223;
    b = static_cast<std::byte>(state >> 24);
  }
  return made;
}

TransportRank next_rank(const Transport& wire) {
  return (wire.rank() + 1) % wire.size();
}
TransportRank previous_rank(const Transport& wire) {
  return (wire.rank() + wire.size() - 1) % wire.size();
}

struct Exchange {
  Bytes out, in;
  Ticket sent, received;
};

}  // namespace

// Small ones go eagerly, the largest by rendezvous; every pair uses the same tag in both directions.
RankTask bodies_both_ways(Transport& wire) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{3000}, std::size_t{70'001}, body_limit_bytes}) {
    std::vector<Exchange> peers(static_cast<std::size_t>(wire.size()));
    for (TransportRank peer = 0; peer < wire.size(); ++peer) {
      Exchange& with = peers[static_cast<std::size_t>(peer)];
      with.out = pattern(bytes, wire.rank(), peer);
      with.in.resize(bytes);
      with.sent = wire.start_send(peer, 11, with.out);
      with.received = wire.start_receive(peer, 11, with.in);
    }
    for (TransportRank peer = 0; peer < wire.size(); ++peer) {
      Exchange& with = peers[static_cast<std::size_t>(peer)];
      std::size_t received_bytes = 0;
      while (!wire.done(with.received, &received_bytes)) co_await pause;
      while (!wire.done(with.sent)) co_await pause;
      EXPECT_EQ(received_bytes, bytes);
      EXPECT_TRUE(with.in == pattern(bytes, peer, wire.rank())) << bytes << " bytes from rank " << peer;
    }
  }
}

// Eager and rendezvous bodies alternate, half of the receives come late.
RankTask bodies_in_posting_order(Transport& wire) {
  constexpr unsigned count = 20;
  const auto length = [](unsigned i) { return i % 2 == 0 ? std::size_t{100} : std::size_t{50'000}; };
  std::vector<Exchange> bodies(count);
  for (unsigned i = 0; i < count; ++i) {
    bodies[i].out = pattern(length(i), wire.rank(), next_rank(wire), i);
    bodies[i].in.resize(length(i));
    if (i < count / 2) bodies[i].received = wire.start_receive(previous_rank(wire), 3, bodies[i].in);
    bodies[i].sent = wire.start_send(next_rank(wire), 3, bodies[i].out);
  }
  co_await pause;
  wire.progress();
  for (unsigned i = count / 2; i < count; ++i) {
    bodies[i].received = wire.start_receive(previous_rank(wire), 3, bodies[i].in);
  }
  for (unsigned i = 0; i < count; ++i) {
    while (!wire.done(bodies[i].received)) co_await pause;
    EXPECT_TRUE(bodies[i].in == pattern(length(i), previous_rank(wire), wire.rank(), i)) << "body " << i;
  }
  for (Exchange& body : bodies) {
    while (!wire.done(body.sent)) co_await pause;
  }
}

// Sent in rising order of tags, received in falling order.
RankTask tags_apart(Transport& wire) {
  constexpr unsigned count = 50;
  std::vector<Exchange> bodies(count);
  for (unsigned i = 0; i < count; ++i) {
    bodies[i].out = pattern(9000, wire.rank(), next_rank(wire), i);
    bodies[i].sent = wire.start_send(next_rank(wire), protocol::put_tag(i), bodies[i].out);
  }
  for (unsigned i = count; i-- > 0;) {
    bodies[i].in.resize(9000);
    bodies[i].received = wire.start_receive(previous_rank(wire), protocol::put_tag(i), bodies[i].in);
    while (!wire.done(bodies[i].received)) co_await pause;
    EXPECT_TRUE(bodies[i].in == pattern(9000, previous_rank(wire), wire.rank(), i)) << "tag of slot " << i;
  }
  for (Exchange& body : bodies) {
    while (!wire.done(body.sent)) co_await pause;
  }
}

// Short ones may travel with the message that they are posted behind, longer ones not. Some receives are
// posted as the message is looked at, the others when all messages have come.
RankTask bodies_behind_messages(Transport& wire) {
  constexpr unsigned count = 40;
  constexpr std::size_t message_bytes = 80;
  constexpr std::size_t most = protocol::bundle_bytes - message_bytes - 24;
  constexpr std::size_t lengths[] = {1, 4096, most, most + 1, 9001, 70'000, 0};
  const auto length = [&](unsigned i) { return lengths[i % std::size(lengths)]; };
  std::vector<Exchange> bodies(count);
  for (unsigned i = 0; i < count; ++i) {
    bodies[i].out = pattern(length(i), wire.rank(), next_rank(wire), i);
    bodies[i].in.resize(length(i));
    std::fill_n(wire.stage(), message_bytes, static_cast<std::byte>(protocol::Verb::data));
    wire.stage()[1] = static_cast<std::byte>(i);
    wire.post(next_rank(wire), message_bytes, true);
    bodies[i].sent = wire.start_send(next_rank(wire), protocol::put_tag(i), bodies[i].out);
    if (i % 5 == 0) co_await pause;
  }
  const auto receive = [&](unsigned i) {
    bodies[i].received = wire.start_receive(previous_rank(wire), protocol::put_tag(i), bodies[i].in);
  };
  Message message;
  for (unsigned i = 0; i < count; ++i) {
    while (!wire.receive(message)) co_await pause;
    EXPECT_EQ(message.data.size(), message_bytes);
    EXPECT_EQ(static_cast<unsigned>(message.data[1]), i);
    if (i % 3 != 0) receive(i);
  }
  for (unsigned i = 0; i < count; i += 3) receive(i);
  for (unsigned i = 0; i < count; ++i) {
    std::size_t received_bytes = 99;
    while (!wire.done(bodies[i].received, &received_bytes)) co_await pause;
    EXPECT_EQ(received_bytes, length(i));
    EXPECT_TRUE(bodies[i].in == pattern(length(i), previous_rank(wire), wire.rank(), i)) << "body " << i;
  }
  for (Exchange& body : bodies) {
    while (!wire.done(body.sent)) co_await pause;
  }
}

RankTask empty_bodies(Transport& wire) {
  Bytes buffer(16, std::byte{9});
  const Ticket sent = wire.start_send(next_rank(wire), 8, {});
  const Ticket sent_too = wire.start_send(next_rank(wire), 8, {});
  const Ticket exact = wire.start_receive(previous_rank(wire), 8, {});
  const Ticket long_enough = wire.start_receive(previous_rank(wire), 8, buffer);
  std::size_t received_bytes = 99;
  while (!wire.done(exact, &received_bytes)) co_await pause;
  EXPECT_EQ(received_bytes, 0U);
  received_bytes = 99;
  while (!wire.done(long_enough, &received_bytes)) co_await pause;
  EXPECT_EQ(received_bytes, 0U);
  EXPECT_EQ(buffer, Bytes(16, std::byte{9}));
  while (!wire.done(sent)) co_await pause;
  while (!wire.done(sent_too)) co_await pause;
}

RankTask short_bodies(Transport& wire) {
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{200'000}}) {
    const Bytes out = pattern(bytes, wire.rank(), next_rank(wire));
    Bytes in(bytes + 777, std::byte{9});
    const Ticket received = wire.start_receive(previous_rank(wire), 21, in);
    const Ticket sent = wire.start_send(next_rank(wire), 21, out);
    std::size_t received_bytes = 0;
    while (!wire.done(received, &received_bytes)) co_await pause;
    while (!wire.done(sent)) co_await pause;
    EXPECT_EQ(received_bytes, bytes);
    Bytes expected = pattern(bytes, previous_rank(wire), wire.rank());
    expected.resize(in.size(), std::byte{9});
    EXPECT_TRUE(in == expected);
  }
}

// To itself, so that it is certain that no receive is there yet; in its place between two that are not
// matched.
RankTask matched_bodies(Transport& wire) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{16}, std::size_t{2048}, std::size_t{50'000}}) {
    Exchange bodies[3];
    for (unsigned i = 0; i < 3; ++i) {
      bodies[i].out = pattern(bytes, wire.rank(), wire.rank(), i);
      bodies[i].in.resize(bytes);
      bodies[i].sent = i == 1 ? wire.start_synchronous_send(wire.rank(), 31, bodies[i].out)
                              : wire.start_send(wire.rank(), 31, bodies[i].out);
    }
    for (int look = 0; look < 10; ++look) {
      EXPECT_FALSE(wire.done(bodies[1].sent));
      wire.progress();
      co_await pause;
    }
    for (Exchange& body : bodies) body.received = wire.start_receive(wire.rank(), 31, body.in);
    for (unsigned i = 0; i < 3; ++i) {
      while (!wire.done(bodies[i].received)) co_await pause;
      while (!wire.done(bodies[i].sent)) co_await pause;
      EXPECT_TRUE(bodies[i].in == pattern(bytes, wire.rank(), wire.rank(), i));
    }
  }
}

RankTask many_tickets(Transport& wire) {
  constexpr unsigned count = 2000;
  std::uint32_t largest_index[2] = {};
  for (unsigned round = 0; round < 2; ++round) {
    std::vector<Exchange> bodies(count);
    for (unsigned i = 0; i < count; ++i) {
      bodies[i].out = pattern(64, wire.rank(), next_rank(wire), i + round);
      bodies[i].in.resize(64);
      bodies[i].received = wire.start_receive(previous_rank(wire), protocol::get_tag(i), bodies[i].in);
      bodies[i].sent = wire.start_send(next_rank(wire), protocol::get_tag(i), bodies[i].out);
      largest_index[round] = std::max({largest_index[round], bodies[i].sent.index, bodies[i].received.index});
    }
    for (unsigned i = count; i-- > 0;) {
      while (!wire.done(bodies[i].received)) co_await pause;
      while (!wire.done(bodies[i].sent)) co_await pause;
      EXPECT_TRUE(bodies[i].in == pattern(64, previous_rank(wire), wire.rank(), i + round)) << "body " << i;
    }
  }
  EXPECT_EQ(largest_index[0], largest_index[1]);
}

}  // namespace comex::transport::test
