// The calls that only the packaged interface has: init with a thread level, access epochs, handles by
// function, progress.
#include <atomic>

#include "armci/state.h"
#include "armci/wait_loop.h"

using namespace comex::armci;

COMEX_PROFILED(Init_thread) int PARMCI_Init_thread(int armci_requested) {
  const comex::runtime::CallName called(__func__);
  start_mpi(nullptr, nullptr, armci_requested);
  return start(MPI_COMM_NULL, nullptr, nullptr);
}

// Over all ranks, a duplicate of MPI_COMM_WORLD too, the caller cannot know about progress ranks, so these do
// not return.
COMEX_PROFILED(Init_thread_comm) int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm) {
  const comex::runtime::CallName called(__func__);
  start_mpi(nullptr, nullptr, armci_requested);
  if (comm == MPI_COMM_NULL) return start_over(comm);  // for a line of ours
  int relation = MPI_UNEQUAL;
  require_mpi(PMPI_Comm_compare(comm, MPI_COMM_WORLD, &relation), "MPI_Comm_compare");
  const bool is_whole_job = relation == MPI_IDENT || relation == MPI_CONGRUENT;
  return is_whole_job ? start(MPI_COMM_NULL, nullptr, nullptr) : start_over(comm);
}

COMEX_PROFILED(INIT_HANDLE) void PARMCI_INIT_HANDLE(armci_hdl_t* handle) {
  pass();
  set_code(handle, 0);
}

COMEX_PROFILED(Access_begin) void PARMCI_Access_begin(void*) {
  pass();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

COMEX_PROFILED(Access_end) void PARMCI_Access_end(void*) {
  pass();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

COMEX_C void ARMCIX_Progress(void) {
  const comex::runtime::CallName called(__func__);
  comex_progress();
}
