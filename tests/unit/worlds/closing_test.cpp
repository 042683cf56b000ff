#include "worlds/bridge/closing.h"

#include <gtest/gtest.h>

#include <vector>

namespace comex::worlds {
namespace {

using protocol::Leaving;
using Step = ClosingStep;
using Steps = std::vector<Step>;

// All steps that are performed when a world is lost during step number `lost_at`; -1: none is.
Steps steps(Leaving how, int lost_at) {
  Steps performed;
  Closing closing(how, lost_at != 0);
  while (closing.step() != Step::done && performed.size() < 10) {
    performed.push_back(closing.step());
    closing.next(lost_at < 0 || static_cast<int>(performed.size()) < lost_at);
  }
  return performed;
}

TEST(Closing, parts_when_all_have_come_and_left) {
  EXPECT_EQ(steps(Leaving::together, -1),
            (Steps{Step::fence, Step::meet, Step::leave, Step::serve, Step::part}));
}

TEST(Closing, of_who_goes_alone_waits_for_nobody_else) {
  for (const Leaving how : {Leaving::alone, Leaving::ended})
    EXPECT_EQ(steps(how, -1), (Steps{Step::fence, Step::leave, Step::forget}));
}

TEST(Closing, of_a_lost_bridge_only_forgets) {
  for (const Leaving how : {Leaving::together, Leaving::alone, Leaving::ended})
    EXPECT_EQ(steps(how, 0), (Steps{Step::forget}));
}

TEST(Closing, goes_on_to_forgetting_whichever_step_the_loss_comes_in) {
  const auto is_cut_short = [](Leaving how, const Steps& before_the_last) {
    for (int lost_at = 1; lost_at <= static_cast<int>(before_the_last.size()); ++lost_at) {
      Steps wanted(before_the_last.begin(), before_the_last.begin() + lost_at);
      wanted.push_back(Step::forget);
      EXPECT_EQ(steps(how, lost_at), wanted) << lost_at;
    }
  };
  is_cut_short(Leaving::together, {Step::fence, Step::meet, Step::leave, Step::serve});
  is_cut_short(Leaving::alone, {Step::fence, Step::leave});
  is_cut_short(Leaving::ended, {Step::fence, Step::leave});
}

TEST(Closing, that_is_under_way_in_mpi_is_over_with_it) {
  EXPECT_EQ(steps(Leaving::together, 5),
            (Steps{Step::fence, Step::meet, Step::leave, Step::serve, Step::part}));
}

TEST(Closing, stays_done) {
  Closing closing(Leaving::alone, false);
  closing.next(false);
  closing.next(true);
  EXPECT_EQ(closing.step(), Step::done);
}

}  // namespace
}  // namespace comex::worlds
