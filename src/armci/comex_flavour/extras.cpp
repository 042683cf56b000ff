// The calls that only the ComEx interface has: init on a communicator, a group's fence, MPI's start and end,
// complaints.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "armci/export.h"
#include "armci/start.h"
#include "armci/state.h"

using namespace comex::armci;

namespace {
char no_name[] = "";
}
char* mp_group_name = no_name;

COMEX_PROFILED(Init_mpi_comm) int PARMCI_Init_mpi_comm(MPI_Comm comm) {
  const comex::runtime::CallName called(__func__);
  return start_over(comm) == COMEX_SUCCESS ? 1 : 0;
}

COMEX_PROFILED(GroupFence) void PARMCI_GroupFence(ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_fence_all(handle_of(group)));
}

COMEX_PROFILED(PutS_flag_dir)
int PARMCI_PutS_flag_dir(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                         int stride_levels, int* flag, int value, int proc) {
  const comex::runtime::CallName called(__func__);
  return PARMCI_PutS_flag(src, src_stride, dst, dst_stride, count, stride_levels, flag, value, proc);
}

COMEX_C int armci_sameclusnode(int proc) {
  const comex::runtime::CallName called(__func__);
  return armci_domain_same_id(ARMCI_DOMAIN_SMP, proc);
}

COMEX_C void armci_msg_init(int* argc, char*** argv) {
  const comex::runtime::CallName called(__func__);
  start(MPI_COMM_NULL, argc, argv);
}

COMEX_C void armci_msg_finalize(void) {
  const comex::runtime::CallName called(__func__);
  const bool has_runtime = comex_initialized() != 0;
  const bool is_refused = finish() != COMEX_SUCCESS && !has_runtime;
  if (is_refused) return;  // in a forked child, MPI belongs to the parent
  int finished = 0;
  PMPI_Finalized(&finished);
  if (finished == 0) PMPI_Finalize();
}

// One write, so that lines of several ranks do not mix.
COMEX_C int derr_printf(const char* format, ...) {
  pass();
  va_list arguments;
  va_start(arguments, format);
  char* text = nullptr;
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) return length;
  text[length] = '\n';
  std::fwrite(text, 1, static_cast<std::size_t>(length) + 1, stderr);
  std::free(text);
  return length;
}

COMEX_C int dassertp_fail(const char* condition, const char* file, const char* function, unsigned int line,
                          int code) {
  const comex::runtime::CallName called("dassertp");
  const std::string text = std::string(file) + ":" + std::to_string(line) + ": " + function + ": (" +
                           condition + ") does not hold";
  comex_error(text.c_str(), code);
  return code;
}
