// Bodies against a scripted server: their chunks, what is held for them, and what is left of refused ones.
#include "unit/op/remote_script.h"

namespace comex::op {
namespace {

using protocol::ReplyHeader;
using protocol::Verb;

// Three chunks, of pieces that are 24 bytes apart here and 8 there.
void make_strided(Operation& operation) {
  operation.layout = protocol::Layout::strided;
  operation.patch = {};
  operation.patch.levels = 1;
  operation.patch.counts[0] = 8;
  operation.patch.counts[1] = 1536;
  operation.patch.near_strides[0] = 24;
  operation.patch.far_strides[0] = 8;
}

TEST(RemoteBody, a_large_put_sends_at_most_four_chunks_and_holds_its_slot_until_applied) {
  RemoteOptions options = Script::small_options();
  options.slots = 2;  // slot 1 only
  Script script(options);
  script.grant(10);
  const std::vector<std::byte> source(40960, std::byte{7});
  nb::Completion first, second;
  script.remote.start(script.put(source.data(), source.size()), script.far, first);
  script.remote.start(script.put(source.data(), source.size()), script.far, second);
  std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].header.bytes, 40960u);
  EXPECT_EQ(seen[0].header.flags, 0);
  EXPECT_EQ(script.fabric.bodies(1, 0), 4u);

  std::vector<std::byte> sink(40960);
  for (std::size_t at = 0; at < sink.size(); at += 4096) {
    const transport::Ticket ticket =
        script.server().start_receive(1, protocol::put_tag(seen[0].header.slot), {sink.data() + at, 4096});
    script.turn();
    EXPECT_TRUE(script.server().done(ticket));
  }
  script.turn();
  EXPECT_EQ(sink, source);
  EXPECT_TRUE(first.done());
  seen = script.look();
  ASSERT_EQ(seen.size(), 1u) << "the slot is still held";
  EXPECT_EQ(seen[0].header.verb, Verb::fence) << "asks for its slot back";
  script.applied = 1;
  script.say(script.reply(Verb::done));
  seen = script.look();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].header.verb, Verb::put);
}

TEST(RemoteBody, small_chunks_do_not_run_ahead_of_the_server) {
  Script script(Script::small_options(), 4096);  // so that the wire takes each at once
  const std::vector<std::byte> source(40960, std::byte{7});
  nb::Completion done;
  script.remote.start(script.put(source.data(), source.size()), script.far, done);
  const std::uint32_t slot = script.look().at(0).header.slot;
  for (int i = 0; i < 20; ++i) script.turn();
  EXPECT_EQ(script.fabric.bodies(1, 0), 8u) << "four at once, and four that it waits for";
  std::vector<std::byte> sink(4096);
  for (std::uint64_t taken = 1; taken <= 10; ++taken) {
    const transport::Ticket ticket = script.server().start_receive(1, protocol::put_tag(slot), sink);
    script.turn();
    EXPECT_TRUE(script.server().done(ticket));
    script.turn();
    EXPECT_EQ(script.fabric.bodies(1, 0), std::min<std::uint64_t>(10, taken <= 4 ? 8 : taken + 4));
  }
  EXPECT_TRUE(done.done());
}

TEST(RemoteBody, a_large_get_that_is_refused_touches_nothing_and_ends) {
  Script script;
  script.remote.set_errors_return(true);
  std::vector<std::byte> near(40960, std::byte{5});
  nb::Completion done;
  script.remote.start(script.get(near.data(), near.size()), script.far, done);
  const std::vector<Seen> seen = script.look();
  EXPECT_EQ(seen.at(0).header.flags, protocol::errors_return);
  ReplyHeader refusal = script.reply(Verb::refused, seen[0].header.slot);
  refusal.refused_verb = Verb::get;
  script.say(refusal);
  EXPECT_FALSE(done.done()) << "its receives are still posted";
  for (int i = 0; i < 4; ++i) {
    const transport::Ticket ticket =
        script.server().start_send(1, protocol::get_tag(seen[0].header.slot), {});
    script.turn();
    EXPECT_TRUE(script.server().done(ticket));
  }
  script.turn();
  EXPECT_TRUE(done.done());
  EXPECT_TRUE(done.failed());
  EXPECT_EQ(near, std::vector<std::byte>(40960, std::byte{5}));
  EXPECT_TRUE(script.remote.quiet());
  EXPECT_TRUE(script.fabric.drained());
}

TEST(RemoteBody, of_a_get_from_a_lost_server_no_longer_arrives_in_its_memory) {
  Script script;
  std::vector<std::byte> near(40960, std::byte{5});
  nb::Completion done;
  script.remote.start(script.get(near.data(), near.size()), script.far, done);
  const std::uint32_t slot = script.look().at(0).header.slot;
  script.turn();  // the receives are posted
  script.remote.lose(script.far.server);
  EXPECT_TRUE(done.done() && done.take_failure() == nb::OperationError::host_lost);
  const std::vector<std::byte> late(4096, std::byte{9});
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(script.server().start_send(1, protocol::get_tag(slot), late));
    script.turn();
  }
  EXPECT_EQ(near, std::vector<std::byte>(40960, std::byte{5}));
}

TEST(RemoteBody, buffers_of_lost_servers_are_not_missing_for_those_that_live) {
  constexpr int ranks = 50;
  Script script(Script::small_options(), 1024, ranks);
  const std::vector<std::byte> source(1536 * 24);
  nb::Completion done;
  Operation put = script.put(source.data(), 8);
  make_strided(put);
  RemoteTarget lost = script.far;
  for (lost.server = 2; lost.server < ranks; ++lost.server) {
    script.remote.start(put, lost, done);
    script.turn();
    script.remote.lose(lost.server);
  }
  script.remote.start(put, script.far, done);
  EXPECT_EQ(script.look().size(), 1u);
}

// Each leaves only when all receives of its first chunks can be posted: as many as a refusal fills.
TEST(RemoteBody, gets_that_are_not_contiguous_here_have_all_their_receives_however_many_there_are) {
  Script script;
  script.remote.set_errors_return(true);
  script.grant(20);
  constexpr std::size_t gets = 5;
  constexpr std::size_t span = 1536 * 24;
  std::vector<std::byte> near(gets * span, std::byte{5});
  nb::Completion done;
  for (std::size_t i = 0; i < gets; ++i) {
    Operation get = script.get(near.data() + i * span, 8);
    make_strided(get);
    script.remote.start(get, script.far, done);
  }
  std::size_t answered = 0;
  for (std::size_t looks = 0; looks < 10 && answered < gets; ++looks) {
    const std::vector<Seen> seen = script.look();
    EXPECT_LE(seen.size(), 2u) << "the others wait for buffers";
    for (const Seen& one : seen) {
      ASSERT_EQ(one.header.chunk_bytes, 4096u);
      for (int chunk = 0; chunk < 3; ++chunk) {
        const transport::Ticket ticket =
            script.server().start_send(1, protocol::get_tag(one.header.slot), {});
        EXPECT_TRUE(script.server().done(ticket));
      }
      ReplyHeader refusal = script.reply(Verb::refused, one.header.slot);
      refusal.refused_verb = Verb::get;
      script.say(refusal);
      ++answered;
    }
  }
  EXPECT_EQ(answered, gets);
  EXPECT_TRUE(done.done());
  EXPECT_EQ(near, std::vector<std::byte>(near.size(), std::byte{5}));
  EXPECT_TRUE(script.remote.quiet());
  EXPECT_TRUE(script.fabric.drained()) << "no empty chunk waits for the next get of that slot";
}

TEST(RemoteBody, eager_chunks_stand_unapplied_of_no_more_bodies_than_may_be_under_way) {
  RemoteOptions options = Script::small_options();
  options.sizes.eager_bytes = 2048;
  Script script(options, 2048);
  script.grant(40);
  const std::vector<std::byte> source(6000, std::byte{1});
  nb::Completion done;
  for (int i = 0; i < 20; ++i)
    script.remote.start(script.put(source.data(), source.size()), script.far, done);
  std::size_t eager = 0;
  std::size_t asked = 0;
  for (const Seen& one : script.look()) ++(one.header.chunk_bytes < 2048 ? eager : asked);
  EXPECT_EQ(eager, 16u);
  EXPECT_EQ(asked, 4u) << "whole chunks, which wait for their receiver";
}

}  // namespace
}  // namespace comex::op
