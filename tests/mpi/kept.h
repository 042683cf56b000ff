// What the checks of kept memory share. Used by kept.cpp.
#pragma once

#include <comex/comex.h>
#include <mpi.h>

#include <cstdio>

namespace comex::testing::kept {

inline constexpr comex_group_t everyone = COMEX_GROUP_WORLD;

inline int me = 0;
inline int workers = 0;

inline void require(bool holds, const char* what, const char* about = "") {
  if (holds) return;
  std::fprintf(stderr, "kept: worker %d: %s %s\n", me, what, about);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
inline void succeed(int code, const char* what) {
  require(code == COMEX_SUCCESS, "failed:", what);
}

}  // namespace comex::testing::kept
