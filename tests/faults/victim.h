// What the programs of the fault driver share: they announce their phases, and end where data is wrong.
#pragma once

#include <mpi.h>

#include <cstdio>

#include "faults.h"

extern "C" __attribute__((weak)) void comex_test_phase(const char* name);

namespace comex::testing {

inline const char* phase_name = "";

inline void phase(const char* name) {
  phase_name = name;
  if (comex_test_phase != nullptr) comex_test_phase(name);
}

inline void require(bool holds, const char* what) {
  if (holds) return;
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "faults: MPI rank %d, %s: wrong: %s\n", rank, phase_name, what);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

}  // namespace comex::testing
