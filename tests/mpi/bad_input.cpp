// Wrong calls of every kind. Run by bad_input_driver.py, which compares the lines printed.
//
// Usage: bad_input cases          what depends on where the target is, errors are returned
//        bad_input arguments      what does not
//        bad_input case NAME      one case, with the default of ending the job
//        bad_input outside        calls before init and after finalize, errors are returned
//        bad_input before|after   one such call, with the default of ending the job
//        bad_input idle           init and finalize only: for wrong settings
#include <mpi.h>
#include <unistd.h>

#include "bad_input_addresses.h"
#include "bad_input_arguments.h"
#include "bad_input_outside.h"
#include "bad_input_places.h"

using bad_input::Bed;

namespace {

// A refused inline write is told by the call, or by the next barrier or finalize; never by two of them.
void last_cases(Bed& bed) {
  const comex_group_t world = COMEX_GROUP_WORLD;
  int told = 0;
  if (bed.me == 0) {
    Bed::announce("barrier tells", {"put", "nearest is", bed.target, bed.freed});
    told += comex_put(bed.near.data(), bed.freed, 8, bed.target, world);
  }
  told += comex_barrier(world);
  if (told != (bed.me == 0 ? 1 : 0)) bed.fail("barrier tells", "was not told exactly once");
  bed.must(comex_barrier(world), "the next barrier");
  told = 0;
  if (bed.me == 0) {
    Bed::announce("finalize tells", {"put", "nearest is", bed.target, bed.freed});
    told += comex_put(bed.near.data(), bed.freed, 8, bed.target, world);
  }
  told += comex_finalize();
  if (told != (bed.me == 0 ? 1 : 0)) bed.fail("finalize tells", "was not told exactly once");
}

void run_routed(Bed& bed) {
  bad_input::wrong_address_cases(bed);
  bad_input::size_cases(bed);
  bad_input::overlap_cases(bed);
  bad_input::scatter_over_itself(bed);
  bad_input::accumulate_over_itself(bed);
  bad_input::code_cases(bed);
  bad_input::object_cases(bed);
  bed.must(comex_barrier(COMEX_GROUP_WORLD), "barrier");
  bad_input::collective_cases(bed);
}

void run_arguments(Bed& bed) {
  bad_input::group_cases(bed);
  bad_input::place_cases(bed);
  bad_input::id_cases(bed);
  bad_input::other_cases(bed);
  bad_input::meeting_cases(bed);
}

int run_cases(const std::string& mode, const char* only) {
  if (only == nullptr) comex_set_errors(COMEX_ERRORS_RETURN);
  Bed bed(only == nullptr ? "" : only);
  if (comex_init() != COMEX_SUCCESS) return 2;
  bed.prepare();
  if (mode != "arguments") run_routed(bed);
  if (mode != "cases") run_arguments(bed);
  if (mode == "cases") {
    last_cases(bed);  // and finalize with memory allocated and a mutex held
  } else {
    bed.clear_up();
  }
  if (bed.me == 0) std::printf("finished\n");
  return 0;
}

// The calls are made by MPI rank 0 only, which is a worker.
int call_outside(bool is_abort, bool is_before) {
  const char* rank = std::getenv("PMIX_RANK");  // MPI does not run yet
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  const bool is_first = rank != nullptr && std::string(rank) == "0";
  comex_request_t handle = 0;
  if (!is_abort) comex_set_errors(COMEX_ERRORS_RETURN);
  if (is_abort && is_before && is_first) return comex_wait(&handle);
  if (!is_abort && is_first) bad_input::call_all("before comex_init");
  if (comex_init_args(nullptr, nullptr) != COMEX_SUCCESS) return 2;
  if (comex_finalize() != COMEX_SUCCESS) return 3;
  if (is_abort && is_first) return comex_wait(&handle);
  // An abort while others are in MPI_Finalize makes Open MPI's launcher crash.
  while (is_abort && !is_before) sleep(1);
  if (!is_abort && is_first) bad_input::call_all("after comex_finalize");
  const int ended = MPI_Finalize();
  if (!is_abort && is_first) {
    Bed::announce("init after MPI", {"init", "MPI was finalized already"});
    if (comex_init() != COMEX_FAILURE) std::printf("wrong\tinit after MPI succeeded\n");
  }
  if (is_first) std::printf("finished\n");
  return ended;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "cases";
  if (mode == "outside") return call_outside(false, true);
  if (mode == "before" || mode == "after") return call_outside(true, mode == "before");
  MPI_Init(&argc, &argv);
  int status = 0;
  if (mode == "idle") {
    status = comex_init() + comex_finalize();
    std::printf("finished\n");
  } else {
    status = run_cases(mode, mode == "case" ? argv[2] : nullptr);
  }
  MPI_Finalize();
  return status;
}
