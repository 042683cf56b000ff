// What the loopback transport offers beyond a Transport: rendezvous, holds, counts, checks.
#include "support/loopback_transport.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace comex::transport {
namespace {

using Bytes = std::vector<std::byte>;

void post_text(Transport& wire, TransportRank to, const std::string& text) {
  std::memcpy(wire.stage(), text.data(), text.size());
  wire.post(to, text.size());
}

std::string receive_text(Transport& wire) {
  Message message;
  if (!wire.receive(message)) return "nothing";
  return {reinterpret_cast<const char*>(message.data.data()), message.data.size()};
}

TEST(Loopback, completes_an_eager_send_before_its_receive_and_keeps_a_copy) {
  LoopbackFabric fabric(2, 100);
  Bytes out(100, std::byte{1});
  Bytes in(100);
  const Ticket sent = fabric.endpoint(0).start_send(1, 4, out);
  EXPECT_TRUE(fabric.endpoint(0).done(sent));
  out.assign(100, std::byte{2});
  const Ticket received = fabric.endpoint(1).start_receive(0, 4, in);
  EXPECT_TRUE(fabric.endpoint(1).done(received));
  EXPECT_EQ(in, Bytes(100, std::byte{1}));
}

TEST(Loopback, completes_a_send_above_the_eager_limit_only_with_its_receive) {
  LoopbackFabric fabric(2, 100);
  const Bytes out(101, std::byte{1});
  Bytes in(101);
  const Ticket sent = fabric.endpoint(0).start_send(1, 4, out);
  fabric.endpoint(1).progress();
  EXPECT_FALSE(fabric.endpoint(0).done(sent));
  const Ticket received = fabric.endpoint(1).start_receive(0, 4, in);
  fabric.endpoint(1).progress();
  EXPECT_TRUE(fabric.endpoint(0).done(sent));
  EXPECT_TRUE(fabric.endpoint(1).done(received));
}

TEST(Loopback, moves_a_body_only_inside_calls_of_its_receiver) {
  LoopbackFabric fabric(2, 100);
  const Bytes out(200, std::byte{1});
  Bytes in(200);
  const Ticket received = fabric.endpoint(1).start_receive(0, 4, in);
  const Ticket sent = fabric.endpoint(0).start_send(1, 4, out);
  EXPECT_FALSE(fabric.endpoint(0).done(sent));
  EXPECT_EQ(in, Bytes(200));
  EXPECT_TRUE(fabric.endpoint(1).done(received));
  EXPECT_TRUE(fabric.endpoint(0).done(sent));
}

TEST(Loopback, holds_the_messages_of_one_pair_and_lets_others_pass) {
  LoopbackFabric fabric(3);
  fabric.hold_messages(0, 2);
  post_text(fabric.endpoint(0), 2, "held");
  post_text(fabric.endpoint(0), 2, "held too");
  post_text(fabric.endpoint(1), 2, "free");
  EXPECT_EQ(fabric.endpoint(0).unsent(), 2U);
  EXPECT_EQ(fabric.endpoint(1).unsent(), 0U);
  EXPECT_TRUE(fabric.endpoint(0).has_unsent_to(2, fabric.endpoint(0).posted()));
  EXPECT_FALSE(fabric.endpoint(0).has_unsent_to(1, fabric.endpoint(0).posted()));
  EXPECT_EQ(receive_text(fabric.endpoint(2)), "free");
  EXPECT_EQ(receive_text(fabric.endpoint(2)), "nothing");
  EXPECT_FALSE(fabric.drained());
  fabric.release_messages(0, 2);
  EXPECT_EQ(fabric.endpoint(0).unsent(), 0U);
  EXPECT_EQ(receive_text(fabric.endpoint(2)), "held");
  EXPECT_EQ(receive_text(fabric.endpoint(2)), "held too");
  EXPECT_TRUE(fabric.drained());
}

TEST(Loopback, holds_the_bodies_of_one_pair_in_order_and_not_its_messages) {
  LoopbackFabric fabric(2);
  Bytes in(1), in_too(1);
  const Ticket first = fabric.endpoint(1).start_receive(0, 4, in);
  const Ticket second = fabric.endpoint(1).start_receive(0, 4, in_too);
  fabric.hold_bodies(0, 1);
  EXPECT_TRUE(fabric.endpoint(0).done(fabric.endpoint(0).start_send(1, 4, Bytes(1, std::byte{1}))));
  EXPECT_TRUE(fabric.endpoint(0).done(fabric.endpoint(0).start_send(1, 4, Bytes(1, std::byte{2}))));
  post_text(fabric.endpoint(0), 1, "message");
  EXPECT_FALSE(fabric.endpoint(1).done(first));
  EXPECT_EQ(receive_text(fabric.endpoint(1)), "message");
  fabric.release_bodies(0, 1);
  EXPECT_TRUE(fabric.endpoint(1).done(first));
  EXPECT_TRUE(fabric.endpoint(1).done(second));
  EXPECT_EQ(in, Bytes(1, std::byte{1}));
  EXPECT_EQ(in_too, Bytes(1, std::byte{2}));
}

TEST(Loopback, counts_what_each_pair_has_sent) {
  LoopbackFabric fabric(2);
  post_text(fabric.endpoint(0), 1, "one");
  post_text(fabric.endpoint(0), 1, "two");
  const Bytes out(10);
  EXPECT_TRUE(fabric.endpoint(1).done(fabric.endpoint(1).start_send(0, 4, out)));
  EXPECT_EQ(fabric.messages(0, 1), 2U);
  EXPECT_EQ(fabric.messages(1, 0), 0U);
  EXPECT_EQ(fabric.bodies(1, 0), 1U);
  EXPECT_EQ(fabric.body_bytes(1, 0), 10U);
  EXPECT_EQ(fabric.bodies(0, 1), 0U);
}

TEST(Loopback, receives_in_order_of_arrival_over_all_senders) {
  LoopbackFabric fabric(3);
  post_text(fabric.endpoint(1), 0, "a");
  post_text(fabric.endpoint(2), 0, "b");
  post_text(fabric.endpoint(1), 0, "c");
  EXPECT_EQ(receive_text(fabric.endpoint(0)), "a");
  EXPECT_EQ(receive_text(fabric.endpoint(0)), "b");
  EXPECT_EQ(receive_text(fabric.endpoint(0)), "c");
}

TEST(LoopbackDeathTest, calls_a_body_longer_than_its_receive_a_bug) {
  LoopbackFabric fabric(2);
  Bytes in(3);
  const Ticket received = fabric.endpoint(1).start_receive(0, 4, in);
  fabric.endpoint(0).start_send(1, 4, Bytes(4));
  EXPECT_DEATH((void)fabric.endpoint(1).done(received), "body_is_longer_than_its_receive");
}

TEST(LoopbackDeathTest, calls_misuse_a_bug) {
  LoopbackFabric fabric(2);
  Transport& wire = fabric.endpoint(0);
  EXPECT_DEATH(wire.post(1, 8), "bug at");  // nothing staged
  wire.stage();
  EXPECT_DEATH(wire.post(1, protocol::message_bytes + 1), "bug at");
  EXPECT_DEATH(wire.post(2, 8), "bug at");
  const Bytes too_long(body_limit_bytes + 1);
  EXPECT_DEATH(wire.start_send(1, 4, too_long), "bug at");
  EXPECT_DEATH(wire.start_send(1, protocol::header_tag, {}), "bug at");
  const Ticket sent = wire.start_send(1, 4, {});
  EXPECT_TRUE(wire.done(sent));
  EXPECT_DEATH((void)wire.done(sent), "bug at");
  EXPECT_DEATH((void)wire.done(Ticket{}), "bug at");
}

}  // namespace
}  // namespace comex::transport
