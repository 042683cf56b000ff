// What a progress rank keeps of a wire goes with the wire: MPI gives its handle again.
#include "worlds/connect/summons.h"

#include <gtest/gtest.h>

namespace comex::worlds {
namespace {

TEST(Summons, forget_that_a_wire_was_lost_when_it_is_gone) {
  Summons summons;
  summons.note_lost(MPI_COMM_WORLD);
  summons.note_lost(MPI_COMM_SELF);
  summons.forget(MPI_COMM_WORLD);
  EXPECT_EQ(summons.take_lost(), std::vector<MPI_Comm>{MPI_COMM_SELF});
  EXPECT_TRUE(summons.take_lost().empty());
}

}  // namespace
}  // namespace comex::worlds
