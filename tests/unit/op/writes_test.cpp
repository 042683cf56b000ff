#include "op/remote/writes.h"

#include <gtest/gtest.h>

#include <vector>

namespace comex::op::remote {
namespace {

const Gpid a{1, 10}, b{1, 11};

std::vector<Channel> channels_to(TransportRank servers) {
  std::vector<Channel> channels(static_cast<std::size_t>(servers));
  for (TransportRank server = 0; server < servers; ++server)
    channels[static_cast<std::size_t>(server)].rank = server;
  return channels;
}

void write(Writes& writes, Channel& channel) {
  writes.queue(channel);
  ++channel.issued;
  Writes::unqueue(channel);
}

void answer(Writes& writes, Channel& channel, std::uint64_t applied, bool is_unmirrored = false) {
  protocol::ReplyHeader reply;
  reply.applied = applied;
  reply.is_unmirrored = is_unmirrored ? 1 : 0;
  writes.note_reply(channel, reply);
}

std::vector<TransportRank> dirty(Writes& writes) {
  std::vector<TransportRank> seen;
  writes.for_each_dirty([&](const Channel& channel) { seen.push_back(channel.rank); });
  return seen;
}

TEST(Writes, a_write_makes_dirty_from_its_call_until_it_is_applied) {
  Writes writes;
  Channel channel;
  EXPECT_FALSE(writes.any());
  writes.queue(channel);
  EXPECT_TRUE(writes.any());
  EXPECT_TRUE(channel.is_dirty()) << "it waits to be sent";
  ++channel.issued;
  Writes::unqueue(channel);
  write(writes, channel);
  answer(writes, channel, 1);
  EXPECT_TRUE(channel.is_dirty());
  answer(writes, channel, 2);
  answer(writes, channel, 1);
  EXPECT_FALSE(channel.is_dirty()) << "an older reply does not undo a newer one";
}

TEST(Writes, walks_the_dirty_servers_only) {
  Writes writes;
  std::vector<Channel> channels = channels_to(100);
  for (Channel& channel : channels) write(writes, channel);
  for (Channel& channel : channels)
    if (channel.rank % 10 != 3) answer(writes, channel, 1);
  for (int round = 0; round < 2; ++round) {
    const std::vector<TransportRank> seen = dirty(writes);
    EXPECT_EQ(seen.size(), 10u);
    for (const TransportRank server : seen) EXPECT_EQ(server % 10, 3);
  }
  write(writes, channels[4]);
  EXPECT_EQ(dirty(writes).size(), 11u) << "a server that became dirty again";
  for (Channel& channel : channels) answer(writes, channel, channel.issued);
  EXPECT_EQ(dirty(writes).size(), 0u);
  EXPECT_FALSE(writes.any());
}

TEST(Writes, a_server_with_an_unanswered_atomic_or_an_old_mirror_is_dirty) {
  Writes writes;
  std::vector<Channel> channels = channels_to(2);
  writes.begin_atomic(channels[0]);
  answer(writes, channels[1], 0, true);
  EXPECT_EQ(dirty(writes), (std::vector<TransportRank>{0, 1}));
  --channels[0].atomics;
  answer(writes, channels[1], 0);
  EXPECT_TRUE(dirty(writes).empty());
}

TEST(Writes, a_refused_write_is_told_once) {
  Writes writes;
  writes.add_failure(a);
  writes.add_failure(b);
  writes.add_failure(b);
  EXPECT_EQ(writes.take_failures(5, b), 2u);
  EXPECT_EQ(writes.take_failures(5, b), 0u);
  EXPECT_EQ(writes.take_failures(), 1u);
  EXPECT_FALSE(writes.has_failures());
}

TEST(Writes, a_lost_server_is_clean_and_fails_fences_if_something_may_be_lost) {
  Writes writes;
  std::vector<Channel> channels = channels_to(4);
  write(writes, channels[0]);
  write(writes, channels[1]);
  answer(writes, channels[1], 1);
  answer(writes, channels[2], 0, true);
  writes.queue(channels[3]);
  for (Channel& channel : channels) writes.give_up(channel);
  EXPECT_TRUE(dirty(writes).empty());
  EXPECT_EQ(writes.take_failures(0, a), 1u);
  EXPECT_EQ(writes.take_failures(0, b), 1u) << "it is not known to which target they were";
  EXPECT_EQ(writes.take_failures(1, a), 0u) << "all were applied";
  EXPECT_EQ(writes.take_failures(2, a), 1u) << "mirrors lacked something";
  EXPECT_EQ(writes.take_failures(), 3u) << "a fence of one target does not speak for others of its server";
  EXPECT_FALSE(writes.has_failures());
}

TEST(Writes, finalize_tells_the_losses_that_no_fence_has_told) {
  Writes writes;
  std::vector<Channel> channels = channels_to(2);
  for (Channel& channel : channels) {
    write(writes, channel);
    writes.give_up(channel);
  }
  EXPECT_EQ(writes.take_failures(0, a), 1u);
  writes.forget_told_losses();
  EXPECT_EQ(writes.take_failures(), 1u);
}

}  // namespace
}  // namespace comex::op::remote
