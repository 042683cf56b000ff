// The bodies of MpiTransport, of which one fails.
#include "transport/mpi_bodies.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <stdexcept>
#include <string>

#include "conformance/mpi_in_test.h"

namespace comex::transport::test {
namespace {

// Some MPIs tell the handler of MPI_COMM_WORLD; left as it is, it ends the job with what it was told.
std::string told_to_world;

void note_what_is_told(MPI_Comm*, int* code, ...) {
  char words[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(*code, words, &length);
  told_to_world = words;
}

TEST(MpiBodies, name_the_reason_of_one_that_fails_among_others) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(note_what_is_told, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm wire = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &wire);
  const MpiCheck check([](const Failure& failure) { throw std::runtime_error(failure.text); });
  check.let_errors_return(wire);
  int rank = 0;
  MPI_Comm_rank(wire, &rank);
  MpiBodies bodies(check, library().yield_switch());

  const std::array<int, 2> sent{};
  std::array<int, 2> got{};
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Isend(sent.data(), 2, MPI_INT, rank, 1, wire, &send);
  std::array<Ticket, 2> tickets;  // nothing comes for the first, and too much for the second
  for (std::size_t i = 0; i < 2; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&got[i], 1, MPI_INT, rank, static_cast<int>(i), wire, &request);
    tickets[i] = bodies.add(request, true);
  }
  std::string said;
  try {
    while (!bodies.done(tickets[1], nullptr)) {
    }
  } catch (const std::runtime_error& failure) {
    said = failure.what();
  }
  EXPECT_NE(said.find("truncated"), std::string::npos) << said;
  EXPECT_TRUE(told_to_world.empty() || told_to_world.find("truncated") != std::string::npos) << told_to_world;

  EXPECT_TRUE(bodies.give_up(tickets[0]));
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Comm_free(&wire);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

}  // namespace
}  // namespace comex::transport::test
