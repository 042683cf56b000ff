// What a progress rank keeps of a wire goes with the wire: MPI gives its handle again.
#include "worlds/connect/progress_rank_calls.h"

#include <gtest/gtest.h>

namespace comex::worlds {
namespace {

TEST(ProgressRankCalls, forget_that_a_wire_was_lost_when_it_is_gone) {
  ProgressRankCalls calls;
  calls.note_lost(MPI_COMM_WORLD);
  calls.note_lost(MPI_COMM_SELF);
  calls.forget(MPI_COMM_WORLD);
  EXPECT_EQ(calls.take_lost(), std::vector<MPI_Comm>{MPI_COMM_SELF});
  EXPECT_TRUE(calls.take_lost().empty());
}

}  // namespace
}  // namespace comex::worlds
