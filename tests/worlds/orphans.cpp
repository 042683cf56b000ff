// Spawned worlds whose parents cannot be met: init fails and leaves nothing initialised. The environment says
// that they were spawned, and MPI knows no parents, or some that say nothing. Usage: orphans again|end|silent
//   again   the next init fails as well, and one without parents succeeds
//   end     no other init: the job ends
//   silent  starts three processes for `end` by MPI alone
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

void start_orphans(char** argv) {
  MPI_Init(nullptr, nullptr);
  char kind[] = "end";
  std::array<char*, 2> arguments{kind, nullptr};
  MPI_Comm children = MPI_COMM_NULL;
  MPI_Comm_spawn(argv[0], arguments.data(), 3, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                 MPI_ERRCODES_IGNORE);
  MPI_Comm_free(&children);
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  if (kind == "silent") {
    start_orphans(argv);
    return 0;
  }
  const bool tries_again = kind == "again";
  comex_set_errors(COMEX_ERRORS_RETURN);
  fails_to_start();
  if (tries_again) {
    fails_to_start();
    works_without_parents();
  }
  require(comex_finalize() == COMEX_SUCCESS, "finalize");
  MPI_Finalize();
}
