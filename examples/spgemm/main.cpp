// spgemm: block-sparse matrix product, the get-compute-accumulate pattern on comex.
//
//   mpirun -n 6 spgemm matrix.mtx      (C = A*A; on one host: 5 workers and 1 progress rank)
//
// Leaves with 0 only if the product is right.
#include <comex/comex.h>

#include <cstdio>
#include <cstdlib>

#include "job.h"
#include "options.h"

namespace {
constexpr int no_runtime = 3;  // exit status: it did not start, or its end found an error
}

int main(int argc, char** argv) {
  // Multiple threads let a worker without a progress rank be served by a thread of its own.
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const spgemm::ParsedOptions parsed = spgemm::parse_options(argc, argv, rank == 0);
  int status = parsed.status;
  if (parsed.run) {
    if (comex_init() == COMEX_SUCCESS) {  // progress ranks stay in here; from now on there are only workers
      status = spgemm::run_job(parsed.options, ranks);
      int dead = 0;
      comex_failed(COMEX_GROUP_WORLD, &dead, nullptr);
      if (comex_finalize() != COMEX_SUCCESS && status == 0) status = no_runtime;
      if (dead != 0) {  // MPI_Finalize would wait for them for ever, or end with 0
        std::fflush(nullptr);
        std::_Exit(status);
      }
    } else {
      if (rank == 0) std::fprintf(stderr, "spgemm: the runtime did not start\n");
      status = no_runtime;
    }
  }
  MPI_Finalize();
  return status;
}
