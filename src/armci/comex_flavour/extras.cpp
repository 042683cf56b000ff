// The calls that only the ComEx interface has: init on a communicator, a group's communicator and fence,
// memory that other processes attach, MPI's start and end, complaints.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

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

COMEX_C MPI_Comm armci_group_comm(ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  MPI_Comm comm = MPI_COMM_NULL;
  comex_group_comm(*group, &comm);
  return comm;
}

COMEX_PROFILED(Memget) void PARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int) {
  const comex::runtime::CallName called(__func__);
  std::memset(meminfo, 0, sizeof *meminfo);
  meminfo->cpid = state().me;
  auto* memory = static_cast<char*>(comex_malloc_local(bytes));
  if (memory == nullptr) return;
  meminfo->armci_addr = memory;
  meminfo->addr = memory;
  meminfo->size = bytes;
}

// Memory of the host has the same address in all its processes.
COMEX_PROFILED(Memat) void* PARMCI_Memat(armci_meminfo_t* meminfo, long offset) {
  const comex::runtime::CallName called(__func__);
  pass();
  if (meminfo->armci_addr == nullptr) return nullptr;
  if (PARMCI_Same_node(meminfo->cpid) == 0) return nullptr;
  return meminfo->armci_addr + offset;
}

// Nothing to undo: PARMCI_Memat attaches nothing.
COMEX_PROFILED(Memdt) void PARMCI_Memdt(armci_meminfo_t*, long) {
  pass();
}

COMEX_PROFILED(Memctl) void PARMCI_Memctl(armci_meminfo_t* meminfo) {
  const comex::runtime::CallName called(__func__);
  if (meminfo->cpid != state().me || meminfo->armci_addr == nullptr) return;
  comex_free_local(meminfo->armci_addr);
  meminfo->armci_addr = nullptr;
  meminfo->addr = nullptr;
  meminfo->size = 0;
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
