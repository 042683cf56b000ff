// The origin against a scripted server: what it sends, when, and what it makes of answers.
#include "op/remote/remote.h"

#include "unit/op/remote_script.h"

namespace comex::op {
namespace {

using protocol::ReplyHeader;
using protocol::Verb;

TEST(Remote, a_small_put_is_one_message_with_everything_in_it) {
  Script script;
  const std::uint64_t value = 0x1122334455667788;
  nb::Completion done;
  script.remote.start(script.put(&value, 8, 640), script.far, done);
  EXPECT_TRUE(done.done());
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].header.verb, Verb::put);
  EXPECT_EQ(seen[0].header.world, 9u);
  EXPECT_EQ(seen[0].header.target, 4u);
  EXPECT_EQ(seen[0].header.origin, 33u);
  EXPECT_EQ(seen[0].header.offset, 640u);
  EXPECT_EQ(seen[0].header.number, 1u);
  EXPECT_EQ(seen[0].header.flags, protocol::body_inline);
  ASSERT_EQ(seen[0].rest.size(), 8u);
  EXPECT_EQ(std::memcmp(seen[0].rest.data(), &value, 8), 0);
}

TEST(Remote, what_an_endpoint_asks_for_carries_its_number_and_rank) {
  Script script;
  script.grant(20);
  std::uint64_t value = 1;
  nb::Completion done;
  const auto ask_for_all = [&] {
    script.remote.start(script.put(&value, 8), script.far, done);
    script.remote.start_put_signal({}, &value, 1, script.far, done);
    script.remote.start_lock(0, script.far, done);
  };
  script.far.by = {7, 12};
  ask_for_all();
  script.far.by = {};
  ask_for_all();
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 6u);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].header.by.endpoint, i < 3 ? 7u : 0u) << i;
    EXPECT_EQ(seen[i].header.by.rank, i < 3 ? 12u : 0u) << i;
  }
}

TEST(Remote, a_far_address_becomes_an_offset_in_the_arena) {
  Script script;
  script.far.offset_base = 0x10000;
  const std::uint64_t value = 1;
  nb::Completion done;
  script.remote.start(script.put(&value, 8, 0x10040), script.far, done);
  EXPECT_EQ(script.look().at(0).header.offset, 0x40u);
}

TEST(Remote, fails_what_is_under_way_to_a_lost_server_and_what_comes_later) {
  Script script;
  std::vector<std::uint64_t> values(40);
  nb::Completion puts, fence, joined, later;
  for (std::uint64_t& value : values) script.remote.start(script.put(&value, 8), script.far, puts);
  script.remote.start_fence(script.far.server, fence);
  script.remote.start_fence(script.far.server, joined);
  EXPECT_FALSE(puts.done() || fence.done()) << "without credits";
  script.look();
  script.remote.lose(script.far.server);
  EXPECT_TRUE(puts.done() && puts.take_failure() == nb::OperationError::host_lost);
  EXPECT_TRUE(fence.done() && fence.take_failure() == nb::OperationError::host_lost);
  EXPECT_TRUE(joined.done() && joined.take_failure() == nb::OperationError::host_lost);
  EXPECT_FALSE(script.remote.dirty(script.far.server));
  EXPECT_EQ(script.remote.take_failures(script.far), 1u) << "the put that had left may be lost";
  script.remote.start(script.put(&values[0], 8), script.far, later);
  EXPECT_TRUE(later.done() && later.take_failure() == nb::OperationError::host_lost);
  std::uint64_t taken = 0;
  const Operation put = script.put(&values[0], 8);
  const auto fails = [&](auto&& start) {
    nb::Completion at_once;
    start(at_once);
    return at_once.done() && at_once.take_failure() == nb::OperationError::host_lost;
  };
  EXPECT_TRUE(fails([&](auto& done) { script.remote.start_lock(0, script.far, done, &taken); }));
  EXPECT_TRUE(fails([&](auto& done) { script.remote.start_try_lock(0, script.far, done, &taken); }));
  EXPECT_TRUE(fails([&](auto& done) { script.remote.start_release(0, script.far, done); }));
  EXPECT_TRUE(fails(
      [&](auto& done) { script.remote.start_put_signal(put, &values[1], 1, script.far, done, false); }));
  script.grant(100);  // an answer that comes late
  EXPECT_TRUE(script.look().empty());
}

TEST(Remote, counts_nothing_that_was_under_way_to_a_lost_server) {
  Script script;
  const std::uint64_t value = 1;
  nb::Completion puts;
  while (script.remote.has_capacity()) script.remote.start(script.put(&value, 8), script.far, puts);
  script.remote.lose(script.far.server);
  EXPECT_TRUE(script.remote.has_capacity());
  EXPECT_TRUE(puts.done() && puts.take_failure() == nb::OperationError::host_lost);
}

TEST(Remote, sends_no_more_than_its_limit_and_in_order) {
  Script script;
  std::vector<std::uint64_t> values(40);
  nb::Completion done;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i;
    script.remote.start(script.put(&values[i], 8), script.far, done);
  }
  EXPECT_FALSE(done.done()) << "only so many are copied";
  EXPECT_EQ(script.look().size(), 1u);
  script.grant(3);
  EXPECT_EQ(script.look().size(), 2u);
  script.grant(40);
  const std::vector<Seen> rest = script.look();
  ASSERT_EQ(rest.size(), 37u);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    EXPECT_EQ(rest[i].header.number, i + 4);
    std::uint64_t value = 0;
    std::memcpy(&value, rest[i].rest.data(), 8);
    EXPECT_EQ(value, i + 3);
  }
  EXPECT_TRUE(done.done());
}

TEST(Remote, a_copied_put_no_longer_looks_at_its_source) {
  Script script;
  script.far.has_progress_rank = false;
  std::uint64_t value = 1;
  nb::Completion done;
  script.remote.start(script.put(&value, 8), script.far, done);
  value = 2;
  script.remote.start(script.put(&value, 8), script.far, done);
  ASSERT_TRUE(done.done());
  value = 3;
  script.look();
  script.grant(2);
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(std::to_integer<int>(seen[0].rest[0]), 2);
}

TEST(Remote, returns_credits_that_it_does_not_use_and_ignores_limits_that_crossed) {
  Script script;
  const std::uint64_t value = 1;
  nb::Completion done;
  script.remote.start(script.put(&value, 8), script.far, done);
  script.grant(10);
  script.look();
  script.say(script.reply(Verb::recall_credits));
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].header.verb, Verb::return_credits);
  EXPECT_EQ(seen[0].header.new_limit(), 2u) << "one sent, one kept";

  script.say(script.reply(Verb::credit));  // still speaks of ten: it was sent before
  for (int i = 0; i < 5; ++i) script.remote.start(script.put(&value, 8), script.far, done);
  EXPECT_EQ(script.look().size(), 1u);
  script.credit_returns = 1;
  script.grant(4);
  EXPECT_EQ(script.look().size(), 2u);
}

TEST(Remote, with_nothing_to_spare_returns_nothing) {
  Script script;
  const std::uint64_t value = 1;
  nb::Completion done;
  for (int i = 0; i < 3; ++i) script.remote.start(script.put(&value, 8), script.far, done);
  script.look();
  script.say(script.reply(Verb::recall_credits));
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].header.new_limit(), 1u);
  script.credit_returns = 1;
  script.grant(3);
  EXPECT_EQ(script.look().size(), 2u);
}

TEST(Remote, a_fence_carries_the_last_number_and_waits_its_turn) {
  Script script;
  const std::uint64_t value = 1;
  nb::Completion puts, fence;
  for (int i = 0; i < 2; ++i) script.remote.start(script.put(&value, 8), script.far, puts);
  script.remote.start_fence(0, fence);
  EXPECT_EQ(script.look().size(), 1u);
  script.grant(2);
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].header.verb, Verb::fence);
  EXPECT_EQ(seen[1].header.number, 2u);
  EXPECT_FALSE(fence.done());
  script.applied = 2;
  script.say(script.reply(Verb::done));
  EXPECT_TRUE(fence.done());
  EXPECT_FALSE(script.remote.dirty(script.far.server));
  EXPECT_TRUE(script.remote.quiet());
}

TEST(Remote, a_queued_fence_that_a_reply_made_needless_is_not_sent) {
  Script script;
  const std::uint64_t value = 1;
  nb::Completion done, fence, mirrors;
  script.remote.start_fence_with_mirrors(script.far, mirrors);  // takes the reserved credit
  script.remote.start(script.put(&value, 8), script.far, done);
  script.remote.start_fence(0, fence);
  EXPECT_EQ(script.look().size(), 2u);
  script.apply(1);
  EXPECT_TRUE(fence.done());
  EXPECT_TRUE(script.look().empty());
}

TEST(Remote, a_fence_covers_an_atomic_that_nobody_has_waited_for) {
  Script script;
  std::int64_t old = 0;
  nb::Completion atomic, fence;
  AtomicOperation add{.scalar = Scalar::int64, .near = reinterpret_cast<std::byte*>(&old)};
  add.far = reinterpret_cast<std::byte*>(4096);
  add.is_blocking = false;
  script.remote.start_atomic(add, script.far, atomic);
  EXPECT_TRUE(script.remote.dirty(script.far.server));
  script.remote.start_fence(script.far.server, fence);
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].header.verb, Verb::fence);
  script.say(script.reply(Verb::data, seen[0].header.slot));
  EXPECT_TRUE(atomic.done());
  EXPECT_FALSE(fence.done()) << "the server answers it after the atomic, and after its mirrors";
  script.say(script.reply(Verb::done));
  EXPECT_TRUE(fence.done());
  EXPECT_FALSE(script.remote.dirty(script.far.server));
}

TEST(Remote, a_release_is_over_when_it_has_left_and_covered_by_fences) {
  Script script;
  nb::Completion put, release, fence;
  const std::uint64_t value = 1;
  script.remote.start(script.put(&value, 8), script.far, put);
  script.remote.start_release(3, script.far, release);
  EXPECT_FALSE(release.done()) << "there is no credit";
  EXPECT_EQ(script.look().size(), 1u);
  script.grant(3);
  EXPECT_TRUE(release.done());
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].header.verb, Verb::release);
  EXPECT_EQ(seen[0].header.mutex(), 3u);
  EXPECT_EQ(seen[0].header.number, 2u);
  script.apply(1);
  EXPECT_TRUE(script.remote.dirty(script.far.server));
  script.remote.start_fence(0, fence);
  EXPECT_FALSE(fence.done());
  script.apply(2);
  script.say(script.reply(Verb::done));
  EXPECT_TRUE(fence.done());
  EXPECT_FALSE(script.remote.dirty(script.far.server));
}

TEST(Remote, a_fence_behind_newer_writes_is_one_of_its_own) {
  Script script;
  script.grant(10);
  const std::uint64_t value = 1;
  nb::Completion put, one, two, three;
  script.remote.start(script.put(&value, 8), script.far, put);
  script.remote.start_fence(0, one);
  script.remote.start_fence(0, two);
  script.remote.start(script.put(&value, 8), script.far, put);
  script.remote.start_fence(0, three);
  EXPECT_EQ(script.look().size(), 3u) << "put, fence, put";
  script.applied = 1;
  script.say(script.reply(Verb::done));
  EXPECT_TRUE(one.done());
  EXPECT_TRUE(two.done());
  EXPECT_FALSE(three.done());
  EXPECT_EQ(script.look().at(0).header.number, 2u);
}

TEST(Remote, a_refused_small_put_is_told_by_the_target_once) {
  Script script;
  const std::uint64_t value = 1;
  nb::Completion done;
  script.remote.start(script.put(&value, 8), script.far, done);
  ReplyHeader refusal = script.reply(Verb::refused);
  refusal.refused_verb = Verb::put;
  refusal.world = 9;
  refusal.target = 4;
  refusal.value = 1;
  refusal.is_first = 1;
  refusal.applied = 1;
  script.say(refusal);
  EXPECT_FALSE(script.remote.dirty(script.far.server));
  EXPECT_EQ(script.remote.take_failures(script.far), 1u);
  EXPECT_EQ(script.remote.take_failures(script.far), 0u);
}

// The slot of another request would end that one, and its memory would be written by nobody any more.
TEST(Remote, a_refusal_of_another_kind_than_its_request_ends_the_job) {
  Script script;
  std::vector<std::byte> memory(8192);
  nb::Completion done;
  script.remote.start(script.put(memory.data(), memory.size()), script.far, done);
  ReplyHeader refusal = script.reply(Verb::refused, script.look().at(0).header.slot);
  refusal.refused_verb = Verb::get;
  EXPECT_DEATH(script.say(refusal), "comex: bug at .*refused_verb");
}

TEST(Remote, a_vector_put_of_small_segments_takes_as_many_messages_as_it_needs) {
  Script script;
  std::vector<std::uint64_t> near(500);
  std::vector<void*> nears, fars;
  for (std::size_t i = 0; i < near.size(); ++i) {
    near[i] = i;
    nears.push_back(&near[i]);
    fars.push_back(reinterpret_cast<void*>(1024 + 16 * i));
  }
  Operation put;
  put.layout = protocol::Layout::vector;
  put.scatter = {nears.data(), fars.data(), near.size(), 8};
  nb::Completion done;
  script.remote.start(put, script.far, done);
  std::fill(nears.begin(), nears.end(), nullptr);
  std::fill(fars.begin(), fars.end(), nullptr);
  EXPECT_FALSE(done.done());
  script.grant(10);
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_TRUE(done.done());
  std::size_t next = 0;
  for (const Seen& one : seen) {
    protocol::ScatterLayout layout;
    std::memcpy(&layout, one.rest.data(), sizeof layout);
    ASSERT_EQ(one.rest.size(), sizeof layout + 16 * std::size_t{layout.count});
    EXPECT_EQ(one.header.bytes, 8u * layout.count);
    for (std::uint32_t i = 0; i < layout.count; ++i, ++next) {
      std::uint64_t offset = 0, value = 0;
      std::memcpy(&offset, &one.rest[sizeof layout + 8 * i], 8);
      std::memcpy(&value, &one.rest[sizeof layout + 8 * (layout.count + i)], 8);
      ASSERT_EQ(offset, 1024 + 16 * next);
      ASSERT_EQ(value, next);
    }
  }
  EXPECT_EQ(next, near.size());
}

TEST(Remote, capacity_ends_at_the_bound_and_comes_back) {
  RemoteOptions options = Script::small_options();
  options.max_outstanding = 3;
  Script script(options);
  script.grant(10);
  std::uint64_t values[3] = {};
  nb::Completion done;
  for (std::uint64_t& value : values) {
    EXPECT_TRUE(script.remote.has_capacity());
    script.remote.start(script.get(&value, 8), script.far, done);
  }
  EXPECT_FALSE(script.remote.has_capacity());
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 3u);
  const std::uint64_t answer = 77;
  ReplyHeader data = script.reply(Verb::data, seen[1].header.slot);
  data.bytes = 8;
  script.say(data, std::as_bytes(std::span(&answer, 1)));
  EXPECT_TRUE(script.remote.has_capacity());
  EXPECT_EQ(values[1], 77u);
  EXPECT_EQ(values[0], 0u);
}

}  // namespace
}  // namespace comex::op
