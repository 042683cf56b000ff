// Traffic with many servers: what is kept of those with nothing under way, and that all goes on from there.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "op/remote/remote.h"
#include "support/loopback_transport.h"

namespace comex::op {
namespace {

using protocol::Verb;

constexpr TransportRank servers = 3 * static_cast<TransportRank>(Remote::kept_channels);

// An origin among servers that apply what they are asked to, at once, and answer fences.
class RemoteRest : public testing::Test {
 protected:
  RemoteRest() : fabric(servers + 1), remote(fabric.endpoint(servers), {}) {}

  static RemoteTarget far(TransportRank server) {
    return {.world = 9, .server = server, .target = static_cast<Worker>(server)};
  }
  static Operation put(const void* near, std::uint64_t bytes) {
    Operation made;
    made.near = static_cast<std::byte*>(const_cast<void*>(near));
    made.far = reinterpret_cast<std::byte*>(4096);
    made.patch = contiguous_patch(bytes);
    return made;
  }
  static Operation get(void* near, std::uint64_t bytes) {
    Operation made = put(near, bytes);
    made.action = Action::get;
    return made;
  }
  // Takes what has come, in order without a gap.
  std::vector<protocol::RequestHeader> look(TransportRank server) {
    std::vector<protocol::RequestHeader> seen;
    transport::Message message;
    while (fabric.endpoint(server).receive(message)) {
      std::memcpy(&seen.emplace_back(), message.data.data(), sizeof(protocol::RequestHeader));
      if (seen.back().verb == Verb::return_credits) continue;  // has no place in the order
      EXPECT_EQ(seen.back().sequence, ++sequences[server]) << "server " << server;
    }
    return seen;
  }
  void say(TransportRank server, protocol::ReplyHeader reply, std::span<const std::byte> data = {}) {
    transport::Transport& there = fabric.endpoint(server);
    std::memcpy(there.stage(), &reply, sizeof reply);
    if (!data.empty()) std::memcpy(there.stage() + sizeof reply, data.data(), data.size());
    there.post(servers, sizeof reply + data.size());
    there.progress();
    transport::Message message;
    while (fabric.endpoint(servers).receive(message)) remote.on_message(message);
    remote.advance();
  }
  protocol::ReplyHeader reply(Verb verb, std::uint64_t limit, std::uint64_t applied = 0) const {
    protocol::ReplyHeader made;
    made.verb = verb;
    made.limit = limit;
    made.applied = applied;
    return made;
  }
  void write(TransportRank server) { remote.start(put(&value, 8), far(server), done); }
  // One write, applied; the server lends `credits` from here on.
  void write_and_apply(TransportRank server, std::uint64_t number, std::uint64_t credits) {
    write(server);
    const auto seen = look(server);
    ASSERT_EQ(seen.size(), 1u) << "server " << server;
    EXPECT_EQ(seen[0].number, number) << "server " << server;
    say(server, reply(Verb::credit, number + credits, number));
  }

  transport::LoopbackFabric fabric;
  Remote remote;
  nb::Completion done;
  std::uint64_t value = 1;
  std::map<TransportRank, std::uint16_t> sequences;
};

TEST_F(RemoteRest, lets_links_rest_and_goes_on_with_their_numbers_and_credits) {
  for (std::uint64_t round = 1; round <= 3; ++round) {
    for (TransportRank server = 0; server < servers; ++server) {
      write_and_apply(server, round, 1 + static_cast<std::uint64_t>(server % 3));
      ASSERT_LE(remote.channels(), Remote::kept_channels);
      ASSERT_FALSE(remote.dirty(server));
    }
  }
  // Only as many leave as there were credits.
  for (TransportRank server = 0; server < servers; ++server) {
    for (int i = 0; i < 4; ++i) write(server);
    ASSERT_EQ(look(server).size(), 1u + static_cast<unsigned>(server % 3)) << "server " << server;
  }
}

TEST_F(RemoteRest, never_rests_where_something_is_outstanding) {
  std::vector<std::uint64_t> results(servers);
  std::vector<std::uint32_t> slots(servers);
  for (TransportRank server = 0; server < servers; ++server) {
    const auto at = static_cast<std::size_t>(server);
    switch (server % 3) {
      case 0:  // unapplied
        write(server);
        break;
      case 1:  // unanswered
        remote.start(get(&results[at], 8), far(server), done);
        break;
      default:  // in the queue: there is one credit only
        write(server);
        write(server);
    }
    const auto seen = look(server);
    ASSERT_EQ(seen.size(), 1u);
    slots[at] = seen[0].slot;
  }
  remote.tidy();
  EXPECT_EQ(remote.channels(), static_cast<std::size_t>(servers));
  for (TransportRank server = 0; server < servers; ++server) {
    EXPECT_EQ(remote.dirty(server), server % 3 != 1);
    if (server % 3 != 1) continue;
    auto answer = reply(Verb::data, 3);
    answer.slot = slots[static_cast<std::size_t>(server)];
    const std::uint64_t data = 1000 + static_cast<std::uint64_t>(server);
    say(server, answer, std::as_bytes(std::span(&data, 1)));
    EXPECT_EQ(results[static_cast<std::size_t>(server)], data);
  }
  for (TransportRank server = 2; server < servers; server += 3) {
    say(server, reply(Verb::credit, 2, 1));
    EXPECT_EQ(look(server).size(), 1u) << "what was in the queue";
  }
  EXPECT_TRUE(done.done());
  remote.tidy();
  EXPECT_EQ(remote.channels(), static_cast<std::size_t>(servers) * 2 / 3) << "those with unapplied writes";
}

TEST_F(RemoteRest, fences_all_that_were_written_to_and_rests_then) {
  for (TransportRank server = 0; server < servers; ++server) write(server);
  for (TransportRank server = 0; server < servers; ++server) look(server);
  nb::Completion fence;
  remote.start_fence_all(fence);
  for (TransportRank server = 0; server < servers; ++server) {
    EXPECT_FALSE(fence.done());
    const auto seen = look(server);
    ASSERT_EQ(seen.size(), 1u) << "server " << server;
    EXPECT_EQ(seen[0].verb, Verb::fence);
    EXPECT_EQ(seen[0].number, 1u);
    say(server, reply(Verb::done, 2, 1));
  }
  EXPECT_TRUE(fence.done());
  remote.tidy();
  EXPECT_EQ(remote.channels(), 0u);
  EXPECT_FALSE(remote.dirty());
  for (TransportRank server = 0; server < servers; ++server) write_and_apply(server, 2, 1);
}

TEST_F(RemoteRest, gives_back_credits_of_a_server_that_rested) {
  for (TransportRank server = 0; server < servers; ++server) write_and_apply(server, 1, 9);
  remote.tidy();
  say(7, reply(Verb::recall_credits, 10, 1));
  const auto seen = look(7);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].verb, Verb::return_credits);
  EXPECT_EQ(seen[0].new_limit(), 2u) << "one that was used, and one that stays";
}

TEST_F(RemoteRest, tells_a_refusal_that_came_from_a_server_that_rested) {
  for (TransportRank server = 0; server < servers; ++server) write_and_apply(server, 1, 9);
  remote.tidy();
  auto refusal = reply(Verb::refused, 10, 1);
  refusal.refused_verb = Verb::put;
  refusal.world = 9;
  refusal.target = 7;
  refusal.value = 1;
  refusal.is_first = 1;
  say(7, refusal);
  remote.tidy();
  EXPECT_EQ(remote.take_failures(far(7)), 1u);
  EXPECT_FALSE(remote.has_failures());
}

TEST(IdlePeers, keeps_the_last_word_about_each_server) {
  remote::IdlePeers idle_peers;
  EXPECT_EQ(idle_peers.find(3), nullptr);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    for (TransportRank first = 0; first < 7; ++first) {
      std::vector<remote::IdlePeer> idle;
      for (TransportRank rank = 700 + first; rank >= 0; rank -= 7)
        idle.push_back({.rank = rank, .sent = round * 1000 + static_cast<std::uint64_t>(rank)});
      idle_peers.keep(idle);
    }
    EXPECT_EQ(idle_peers.size(), 707u);
    for (TransportRank rank = 0; rank <= 706; ++rank) {
      ASSERT_NE(idle_peers.find(rank), nullptr) << rank;
      EXPECT_EQ(idle_peers.find(rank)->sent, round * 1000 + static_cast<std::uint64_t>(rank));
    }
    EXPECT_EQ(idle_peers.find(707), nullptr);
  }
}

}  // namespace
}  // namespace comex::op
