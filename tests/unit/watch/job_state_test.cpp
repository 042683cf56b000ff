#include "watch/job_state.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace comex::watch {
namespace {

using activity::Obstacle;
using protocol::Verb;

TEST(JobState, says_why_a_request_waits) {
  const std::pair<Obstacle, const char*> reasons[] = {
      {Obstacle::order, "an earlier request of its origin is not done"},
      {Obstacle::body, "its body has not come"},
      {Obstacle::taker, "its origin has not taken its data"},
      {Obstacle::staging, "there is no memory to stage its body in"},
      {Obstacle::lock, "another process holds the lock of the block that it accumulates to"},
      {Obstacle::mirror, "the mirrors of kept memory, on other hosts, do not have its data yet"},
      {static_cast<Obstacle>(activity::obstacles), "nothing is known of why"}};
  for (const auto& [obstacle, reason] : reasons) {
    const QueuedRequest request{2, 1, 3, Verb::acc, obstacle, 4096, 1.5};
    EXPECT_EQ(text_of(request, "rank 1"),
              std::string("acc of 4096 bytes from rank 1 to worker 3, 1.5 s old: ") + reason);
  }
}

TEST(JobState, names_a_request_as_the_program_called_it) {
  const std::pair<Verb, const char*> calls[] = {
      {Verb::put, "put"},          {Verb::get, "get"},          {Verb::acc, "acc"},
      {Verb::rmw, "rmw"},          {Verb::store, "put_signal"}, {Verb::lock, "lock"},
      {Verb::try_lock, "trylock"}, {Verb::release, "unlock"},   {Verb::batch, "batch"},
      {Verb::fence, "fence"},      {Verb::leave, "request"}};
  for (const auto& [verb, call] : calls) {
    const QueuedRequest request{2, 1, -1, verb, Obstacle::body, 8, 0};
    EXPECT_EQ(text_of(request, "rank 1"),
              std::string(call) + " of 8 bytes from rank 1, 0.0 s old: its body has not come");
  }
}

}  // namespace
}  // namespace comex::watch
