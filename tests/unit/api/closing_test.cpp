#include "api/bridge/closing.h"

#include <gtest/gtest.h>

#include <vector>

namespace comex::api {
namespace {

using Step = ClosingStep;
using Steps = std::vector<Step>;

// All steps that are performed when a world is lost during step number `lost_at`; -1: none is.
Steps steps(Closing::With with, int lost_at) {
  Steps performed;
  Closing closing(with, lost_at != 0);
  while (closing.step() != Step::done && performed.size() < 10) {
    performed.push_back(closing.step());
    closing.next(lost_at < 0 || static_cast<int>(performed.size()) < lost_at);
  }
  return performed;
}

TEST(Closing, parts_when_all_have_come_and_left) {
  EXPECT_EQ(steps(Closing::With::the_others, -1),
            (Steps{Step::fence, Step::meet, Step::leave, Step::serve, Step::part}));
}

TEST(Closing, of_who_goes_alone_waits_for_nobody_else) {
  EXPECT_EQ(steps(Closing::With::nobody, -1), (Steps{Step::fence, Step::leave, Step::forget}));
}

TEST(Closing, of_a_lost_bridge_only_forgets) {
  EXPECT_EQ(steps(Closing::With::the_others, 0), (Steps{Step::forget}));
  EXPECT_EQ(steps(Closing::With::nobody, 0), (Steps{Step::forget}));
}

TEST(Closing, goes_on_to_forgetting_whichever_step_the_loss_comes_in) {
  const Steps all{Step::fence, Step::meet, Step::leave, Step::serve};
  for (int lost_at = 1; lost_at <= 4; ++lost_at) {
    Steps wanted(all.begin(), all.begin() + lost_at);
    wanted.push_back(Step::forget);
    EXPECT_EQ(steps(Closing::With::the_others, lost_at), wanted) << lost_at;
  }
  EXPECT_EQ(steps(Closing::With::nobody, 1), (Steps{Step::fence, Step::forget}));
  EXPECT_EQ(steps(Closing::With::nobody, 2), (Steps{Step::fence, Step::leave, Step::forget}));
}

TEST(Closing, that_is_under_way_in_mpi_is_over_with_it) {
  EXPECT_EQ(steps(Closing::With::the_others, 5),
            (Steps{Step::fence, Step::meet, Step::leave, Step::serve, Step::part}));
}

TEST(Closing, stays_done) {
  Closing closing(Closing::With::nobody, false);
  closing.next(false);
  closing.next(true);
  EXPECT_EQ(closing.step(), Step::done);
}

}  // namespace
}  // namespace comex::api
