#include "interpose/notice.h"

#include <execinfo.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace comex::interpose {
namespace {

bool is_new(const void* caller) {
  static std::mutex mutex;
  static std::set<const void*> reported;
  const std::lock_guard lock(mutex);
  return reported.insert(caller).second;
}

int world_rank() {
  int rank = -1, started = 0, ended = 0;
  PMPI_Initialized(&started);
  PMPI_Finalized(&ended);
  if (started != 0 && ended == 0) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

void notice(const char* call, const void* caller) {
  if (!is_new(caller)) return;
  // The return address may lie behind the caller's last instruction; one byte before it is the call.
  void* place = const_cast<char*>(static_cast<const char*>(caller) - 1);
  char** described = backtrace_symbols(&place, 1);
  std::fprintf(stderr,
               "comex: rank %d: %s was given MPI_COMM_WORLD, which holds the progress ranks too, at %s\n",
               world_rank(), call, described == nullptr ? "an unknown place" : described[0]);
  std::free(described);
}

}  // namespace comex::interpose
