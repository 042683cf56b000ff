// Calls with kept memory that are refused, on all members alike.
#pragma once

#include <comex/worlds.h>
#include <malloc.h>

#include <cstddef>
#include <string>
#include <vector>

#include "mpi/kept.h"
#include "mpi/told.h"

namespace comex::testing::kept {

// Every worker serves itself, so nobody would keep a dead worker's memory.
inline void call_without_progress_ranks() {
  comex_set_errors(COMEX_ERRORS_RETURN);
  std::vector<void*> parts(static_cast<std::size_t>(workers));
  const std::string text = told([&] {
    require(comex_malloc_kept(parts.data(), 64, 1, everyone) == COMEX_FAILURE, "no progress rank");
  });
  require(me != 0 || text.find("kept memory takes a progress rank on every host") != text.npos, "the reason");
}

inline void name_two_allocations(std::vector<void*>& parts, std::vector<int>& homes) {
  std::vector<void*> others(parts.size());
  succeed(comex_malloc_kept(parts.data(), 64, 1, everyone), "malloc_kept");
  succeed(comex_malloc_kept(others.data(), 64, 1, everyone), "malloc_kept");
  const auto mine = static_cast<std::size_t>(me);
  std::vector<void*> recovered(parts.size());
  const std::string text = told([&] {
    void* const named = me == 0 ? parts[mine] : others[mine];
    require(comex_recover(named, everyone, recovered.data(), homes.data()) == COMEX_FAILURE,
            "recover of two allocations");
  });
  int tellers = text.find("members name different kept memory") != text.npos ? 1 : 0;
  MPI_Comm comm = MPI_COMM_NULL;
  succeed(comex_group_comm(everyone, &comm), "group_comm");
  MPI_Allreduce(MPI_IN_PLACE, &tellers, 1, MPI_INT, MPI_SUM, comm);
  require(tellers == 1, "one line says why");
  succeed(comex_free(others[mine], everyone), "free");
  succeed(comex_free(parts[mine], everyone), "free");
}

// Nothing of it can be named or freed.
inline void keep_nothing(std::vector<void*>& parts) {
  constexpr std::size_t rounds = 200;
  const std::size_t before = mallinfo2().uordblks;
  for (std::size_t round = 0; round < rounds; ++round)
    succeed(comex_malloc_kept(parts.data(), 0, 1, everyone), "malloc_kept of nothing");
  require(mallinfo2().uordblks < before + 256 * rounds, "nothing is kept of nothing");
}

inline void call_wrongly() {
  comex_set_errors(COMEX_ERRORS_RETURN);
  std::vector<void*> parts(static_cast<std::size_t>(workers));
  std::vector<int> homes(parts.size());
  const auto refused = [](int code) { return code == COMEX_FAILURE; };
  require(refused(comex_malloc_kept(parts.data(), 64, 0, everyone)), "no copies");
  require(refused(comex_malloc_kept(parts.data(), 64, 8, everyone)), "too many copies");
  require(refused(comex_malloc_kept(parts.data(), 64, 3, everyone)), "too few hosts");
  require(refused(comex_malloc_kept(parts.data(), 64, me == 0 ? 2 : 1, everyone)), "different copies");
  require(refused(me == 0 ? comex_malloc_kept(parts.data(), 64, 1, everyone) : comex_free(nullptr, everyone)),
          "a free by the others");
  require(refused(comex_malloc_kept(me == 1 ? nullptr : parts.data(), 64, 1, everyone)), "a null array");
  require(refused(comex_malloc_kept(parts.data(), std::size_t{1} << 46, 1, everyone)), "too much memory");
  require(refused(comex_recover(nullptr, everyone, parts.data(), homes.data())), "nothing to recover");
  succeed(comex_malloc(parts.data(), 64, everyone), "malloc");
  void* const plain = parts[static_cast<std::size_t>(me)];
  require(refused(comex_keep(plain)), "keep of plain memory");
  require(refused(comex_keep(nullptr)), "keep of nothing");
  require(refused(comex_recover(me == 0 ? plain : nullptr, everyone, parts.data(), homes.data())),
          "recover of plain memory");
  succeed(comex_free(plain, everyone), "free");
  name_two_allocations(parts, homes);
  keep_nothing(parts);
  // Parts of different sizes, of which one has none, can be had and freed.
  const std::size_t bytes = me == 0 ? 0 : 100 * static_cast<std::size_t>(me);
  succeed(comex_malloc_kept(parts.data(), bytes, 1, everyone), "malloc_kept");
  void* const mine = parts[static_cast<std::size_t>(me)];
  require((mine == nullptr) == (bytes == 0), "an address for each part that has bytes");
  require(me == 0 || refused(comex_keep(static_cast<char*>(mine) + 1)), "keep of the middle of a part");
  char byte = 1;
  const int put = comex_put(&byte, static_cast<char*>(parts[1]) + 100, 1, 1, everyone);
  const int fence = comex_fence_all(everyone);
  require(refused(put) || refused(fence), "a put behind a part, where what belongs to its mirrors lies");
  succeed(comex_free(mine, everyone), "free");
}

}  // namespace comex::testing::kept
