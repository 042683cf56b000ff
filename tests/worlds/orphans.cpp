// Spawned worlds whose parents cannot be met: init fails and leaves nothing initialised. The environment says
// that they were spawned, and MPI knows no parents. Usage: orphans again|end
//   again  the next init fails as well, and one without parents succeeds
//   end    no other init: the job ends
#include <comex/comex.h>
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpi/told.h"

using comex::testing::told;

namespace {

void require(bool holds, const char* what) {
  if (!holds) comex_error((std::string("orphans: ") + what).c_str(), 1);
}

// Progress ranks stay in the first one.
void fails_to_start() {
  int result = COMEX_SUCCESS;
  const std::string line = told([&] { result = comex_init(); });
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  require(result == COMEX_FAILURE, "init without the parents must fail");
  require(comex_initialized() == 0, "init that has failed must leave nothing initialised");
  require((line.find(" init: ") != std::string::npos) == (rank == 0), "the root alone says why init fails");
  const std::string next = told([&] { result = comex_barrier(COMEX_GROUP_WORLD); });
  require(result == COMEX_FAILURE && next.find("called before comex_init") != std::string::npos,
          "a call after init that has failed comes before init");
}

void works_without_parents() {
  unsetenv("COMEX_SPAWNED");
  comex_set_errors(COMEX_ERRORS_ABORT);
  require(comex_init() == COMEX_SUCCESS && comex_initialized() == 1, "init where nobody is to be met");
  int me = -1;
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  std::array<void*, 2> places{};
  comex_malloc(places.data(), sizeof(int), COMEX_GROUP_WORLD);
  const auto at = [&](int worker) { return places[static_cast<std::size_t>(worker)]; };
  comex_put(&me, at(1 - me), sizeof me, 1 - me, COMEX_GROUP_WORLD);
  comex_barrier(COMEX_GROUP_WORLD);
  require(*static_cast<const int*>(at(me)) == 1 - me, "what the other worker has put");
  comex_free(at(me), COMEX_GROUP_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  const bool tries_again = argc > 1 && std::string(argv[1]) == "again";
  comex_set_errors(COMEX_ERRORS_RETURN);
  fails_to_start();
  if (tries_again) {
    fails_to_start();
    works_without_parents();
  }
  require(comex_finalize() == COMEX_SUCCESS, "finalize");
  MPI_Finalize();
}
