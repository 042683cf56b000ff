// Memory of one process, described so that other processes can attach it.
#include <cstring>

#include "armci/export.h"
#include "armci/state.h"

using namespace comex::armci;

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
