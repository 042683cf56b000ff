// What MPI alone grows by while two launches connect and part again and again: the measure for meet's
// `rounds`. Usage: bare accept|connect FILE ROUNDS. The root of each says its growth; calls nothing of the
// library.
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "worlds/held.h"
#include "worlds/published.h"

using namespace comex::testing;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  const bool accepts = argv[1] == std::string("accept");
  const std::string file = argv[2];
  const int count = std::stoi(argv[3]);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::array<char, MPI_MAX_PORT_NAME> port{};
  if (rank == 0 && accepts) {
    MPI_Open_port(MPI_INFO_NULL, port.data());
    publish(file, port.data());
  } else if (rank == 0) {
    std::strncpy(port.data(), look_up(file).c_str(), port.size() - 1);
  }
  constexpr int first_rounds = 5;  // what MPI sets up once
  long before_kib = 0;
  for (int round = 0; round < count; ++round) {
    if (round == first_rounds) before_kib = held().resident_kib;
    MPI_Comm peer = MPI_COMM_NULL;
    const auto meet = accepts ? MPI_Comm_accept : MPI_Comm_connect;
    meet(port.data(), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &peer);
    MPI_Comm_disconnect(&peer);
  }
  if (rank == 0) std::printf("%ld KiB more after %d rounds\n", held().resident_kib - before_kib, count);
  if (rank == 0 && accepts) MPI_Close_port(port.data());
  MPI_Finalize();
}
