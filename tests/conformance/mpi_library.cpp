// What is known of the MPI below, tried on it. A part of conformance_mpi_transport.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "conformance/mpi_in_test.h"

namespace comex::transport::test {
namespace {

TEST(MpiLibrary, is_one_that_is_known) {
  EXPECT_NE(&library(), &mpi::plain());
}

TEST(MpiLibrary, switches_the_yield_off_and_back) {
  const mpi::YieldSwitch yield = library().yield_switch();
  if (library().knowledge().yields.empty()) GTEST_SKIP() << library().name() << " has no switch for yields";
  ASSERT_NE(yield.change, nullptr);
  const bool before = yield.change(false);
  EXPECT_FALSE(yield.change(true));
  EXPECT_TRUE(yield.change(before));
}

// Is a message of so many bytes sent by rank 0 complete there while rank 1 exchanges other ones with it?
bool leaves_unasked(int rank, std::size_t bytes) {
  constexpr int exchanges = 1000;
  constexpr int body_tag = 3;
  constexpr int other_tag = 4;
  std::vector<std::byte> body(bytes);
  const int count = static_cast<int>(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Isend(body.data(), count, MPI_BYTE, 1, body_tag, MPI_COMM_WORLD, &request);
  int complete = 0;
  for (int i = 0; i < exchanges; ++i) {
    int word = i;
    if (rank == 0) {
      MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
      MPI_Send(&word, 1, MPI_INT, 1, other_tag, MPI_COMM_WORLD);
    }
    MPI_Recv(&word, 1, MPI_INT, 1 - rank, other_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, other_tag, MPI_COMM_WORLD);
  }
  if (rank == 1) MPI_Recv(body.data(), count, MPI_BYTE, 0, body_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return complete != 0;
}

TEST(MpiLibrary, knows_the_longest_message_that_leaves_unasked_up_to_the_envelope) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) GTEST_SKIP() << "needs 2 ranks";
  const std::uint32_t limit = library().eager_bytes().within_machine;
  if (library().knowledge().eager_messages.empty())
    GTEST_SKIP() << library().name() << " does not tell its limit";
  ASSERT_GT(limit, 0u);
  if (rank < 2) {
    const bool shorter = leaves_unasked(rank, limit);
    const bool longer = leaves_unasked(rank, limit + 64);
    EXPECT_TRUE(shorter || rank == 1) << limit;
    EXPECT_FALSE(longer) << limit + 64;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace comex::transport::test
