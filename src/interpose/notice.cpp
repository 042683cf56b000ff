#include "interpose/notice.h"

#include <execinfo.h>
#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

extern "C" void pmpi_init_(MPI_Fint* ierror) __attribute__((weak));

namespace comex::interpose {
namespace {

bool is_new(const void* caller) {
  struct Reported {
    std::mutex mutex;
    std::set<const void*> callers;
  };
  static auto& reported = *new Reported;  // handlers of the exit may call MPI
  const std::lock_guard lock(reported.mutex);
  return reported.callers.insert(caller).second;
}

// Its file, symbol and offset; "an unknown place" if that cannot be found.
std::string describe(const void* address) {
  void* place = const_cast<void*>(address);
  char** described = backtrace_symbols(&place, 1);
  const std::string text = described == nullptr ? "an unknown place" : described[0];
  std::free(described);
  return text;
}

std::string file_of(const std::string& described) {
  return described.substr(0, described.find('('));
}

// MPI's routines of Fortran may call those of C, from a file of MPI's own. If that file is the program, it
// holds MPI, and its places count.
bool is_inside_mpi(const std::string& described) {
  if (pmpi_init_ == nullptr) return false;
  const std::string mpi = file_of(describe(reinterpret_cast<const void*>(pmpi_init_)));
  return mpi == file_of(described) && mpi != program_invocation_name;
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
  const std::string place = describe(static_cast<const char*>(caller) - 1);
  if (is_inside_mpi(place)) return;
  std::fprintf(stderr,
               "comex: rank %d: %s was given MPI_COMM_WORLD, which holds the progress ranks too, at %s\n",
               world_rank(), call, place.c_str());
}

}  // namespace comex::interpose
