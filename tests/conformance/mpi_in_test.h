// The MPI that the tests of this program run on.
#pragma once

#include <mpi.h>

#include <array>

#include "mpi/library.h"

namespace comex::transport::test {

inline const mpi::Library& library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  return mpi::library_of(version.data(), MpiKnowledge::automatic);
}

}  // namespace comex::transport::test
