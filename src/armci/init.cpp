// The calls for start, end and errors.
#include <algorithm>
#include <cstring>
#include <string>

#include "armci/state.h"

comex::runtime::FlavourMark comex_armci_flavour = {comex::armci::flavour_name, nullptr};

namespace comex::armci {
namespace {

// Two flavours in one program are refused, because their types and codes differ.
__attribute__((constructor)) void note_flavour() {
  if (std::strcmp(comex_armci_flavour.name, flavour_name) != 0) comex_armci_flavour.other = flavour_name;
}

// The lowest rank prints one line; the others wait for the end of the job.
void refuse_two_flavours(MPI_Comm comm) {
  if (comex_armci_flavour.other == nullptr) return;
  start_mpi(nullptr, nullptr, MPI_THREAD_FUNNELED);
  const MPI_Comm all = comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm;
  int rank = 0;
  PMPI_Comm_rank(all, &rank);
  if (rank == 0) {
    const std::string text = std::string("this program uses both ") + comex_armci_flavour.name + " and " +
                             comex_armci_flavour.other + ", whose types and codes differ; link one of them";
    comex_error(text.c_str(), 1);
  }
  PMPI_Barrier(all);
}

// The runtime was finalized by other means, or this is a forked child. For a child, comex.h prints the
// refusal, and everything open, MPI too, belongs to the parent.
int forget_former() {
  const int result = comex_finalize();
  if (result == COMEX_SUCCESS && state().is_open) state().close();
  return result;
}

}  // namespace

void start_mpi(int* argc, char*** argv, int thread_level) {
  int started = 0;
  PMPI_Initialized(&started);
  int provided = 0;
  const int level = std::max(thread_level, comex_thread_level());
  if (started == 0) PMPI_Init_thread(argc, argv, level, &provided);
}

int start_over(MPI_Comm comm) {
  return comm == MPI_COMM_NULL ? comex_init_comm(comm) : start(comm, nullptr, nullptr);
}

int start(MPI_Comm comm, int* argc, char*** argv) {
  const std::lock_guard lock(state().starting);
  if (comex_initialized() != 0 && state().is_open) {
    ++state().inits;
    return COMEX_SUCCESS;
  }
  if (state().is_open && forget_former() != COMEX_SUCCESS) return COMEX_FAILURE;
  refuse_two_flavours(comm);
  const int result = comm == MPI_COMM_NULL ? comex_init_args(argc, argv) : comex_init_comm(comm);
  if (result == COMEX_SUCCESS) {
    state().inits = 1;
    state().open();
  }
  return result;
}

int finish() {
  const std::lock_guard lock(state().starting);
  if (comex_initialized() == 0) return forget_former();
  if (!state().is_open) return COMEX_SUCCESS;
  if (inits_are_counted && --state().inits > 0) return COMEX_SUCCESS;
  comex_barrier(COMEX_GROUP_WORLD);
  state().close();
  return comex_finalize();
}

}  // namespace comex::armci

using namespace comex::armci;

COMEX_PROFILED(Init) int PARMCI_Init(void) {
  const comex::runtime::CallName called(__func__);
  return start(MPI_COMM_NULL, nullptr, nullptr);
}

COMEX_PROFILED(Init_args) int PARMCI_Init_args(int* argc, char*** argv) {
  const comex::runtime::CallName called(__func__);
  return start(MPI_COMM_NULL, argc, argv);
}

COMEX_PROFILED(Initialized) int PARMCI_Initialized(void) {
  return comex_initialized() != 0 && state().is_open ? 1 : 0;
}

COMEX_PROFILED(Finalize) FinalizeResult PARMCI_Finalize(void) {
  const comex::runtime::CallName called(__func__);
  return finalize_result(finish());
}

// Nothing of the runtime outlives a process, so there is nothing to clean up.
COMEX_PROFILED(Cleanup) void PARMCI_Cleanup(void) {
  pass();
}

COMEX_PROFILED(Error) void PARMCI_Error(const char* msg, int code) {
  const comex::runtime::CallName called(__func__);
  comex_error(msg, code);
}
