// An origin that waits for credits: what is complete, and how it is refused.
#include "op/remote/remote.h"
#include "unit/op/remote_script.h"

namespace comex::op {
namespace {

TEST(Remote, a_put_with_a_signal_is_complete_once_both_have_left) {
  Script script;
  script.far.has_progress_rank = true;
  std::uint64_t value = 1;
  nb::Completion done;
  script.remote.start_put_signal(script.put(&value, 8), &value, 1, script.far, done);
  EXPECT_EQ(script.look().size(), 1u) << "on the only credit";
  EXPECT_FALSE(done.done() || script.remote.have_left(script.far, script.remote.queued(script.far)));
  script.grant(20);
  EXPECT_EQ(script.look().size(), 1u);
  EXPECT_TRUE(done.done() && script.remote.have_left(script.far, 1));
}

TEST(Remote, a_request_is_refused_the_way_that_was_asked_for_when_it_was_made) {
  Script script;
  std::uint64_t value = 1;
  nb::Completion done;
  for (int i = 0; i < 2; ++i) script.remote.start(script.put(&value, 8), script.far, done);
  script.remote.set_errors_return(true);
  script.remote.start(script.put(&value, 8), script.far, done);
  script.look();
  script.grant(20);
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].header.flags & protocol::errors_return, 0);
  EXPECT_EQ(seen[1].header.flags & protocol::errors_return, protocol::errors_return);
}

// Whoever holds the mutex may have to start something before it unlocks.
TEST(Remote, does_not_count_locks_that_wait_for_their_mutex) {
  RemoteOptions options = Script::small_options();
  options.max_outstanding = 1;
  Script script(options);
  script.grant(10);
  nb::Completion locks;
  std::uint64_t taken = 0;
  script.remote.start_lock(0, script.far, locks, &taken);
  script.remote.start_lock(0, script.far, locks, &taken);
  EXPECT_TRUE(script.remote.has_capacity());
  const std::vector<Seen> seen = script.look();
  ASSERT_EQ(seen.size(), 2u);
  script.say(script.reply(protocol::Verb::done, seen[0].header.slot), {});
  std::uint64_t value = 0;
  nb::Completion got;
  script.remote.start(script.get(&value, 8), script.far, got);
  EXPECT_FALSE(script.remote.has_capacity());
  script.remote.lose(script.far.server);
  EXPECT_TRUE(script.remote.has_capacity()) << "of a lock and a get";
  EXPECT_TRUE(locks.done() && got.done());
}

}  // namespace
}  // namespace comex::op
