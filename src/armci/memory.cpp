// The calls for allocations and for memory of one process.
#include <cstring>

#include "armci/export.h"
#include "armci/state.h"

using namespace comex::armci;

namespace {

int allocate(void** ptr_arr, armci_size_t bytes, comex_group_t group, const char* device) {
  if (bytes < 0) comex_error("an allocation of a negative number of bytes", 1);
  const int result = comex_malloc_mem_dev(ptr_arr, static_cast<std::size_t>(bytes), group, device);
  if (result != COMEX_SUCCESS) return result;
  int rank = 0;
  comex_group_rank(group, &rank);
  const std::lock_guard lock(state().memory_lock);
  if (ptr_arr[rank] != nullptr) state().memory[ptr_arr[rank]] = group;
  return result;
}

int release(void* ptr, comex_group_t group) {
  {
    const std::lock_guard lock(state().memory_lock);
    state().memory.erase(ptr);
  }
  return comex_free(ptr, group);
}

// Programs free memory of Malloc_group without its group, or after another group has become the default.
comex_group_t group_of(void* ptr) {
  const std::lock_guard lock(state().memory_lock);
  const auto found = state().memory.find(ptr);
  return found == state().memory.end() ? collective_group() : found->second;
}

}  // namespace

COMEX_PROFILED(Malloc) int PARMCI_Malloc(void** ptr_arr, armci_size_t bytes) {
  const comex::runtime::CallName called(__func__);
  return allocate(ptr_arr, bytes, collective_group(), nullptr);
}

COMEX_PROFILED(Malloc_memdev)
int PARMCI_Malloc_memdev(void** ptr_arr, armci_size_t bytes, const char* device) {
  const comex::runtime::CallName called(__func__);
  return allocate(ptr_arr, bytes, collective_group(), device);
}

COMEX_PROFILED(Malloc_group) int PARMCI_Malloc_group(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  return allocate(ptr_arr, bytes, handle_of(group), nullptr);
}

COMEX_PROFILED(Malloc_group_memdev)
int PARMCI_Malloc_group_memdev(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group, const char* device) {
  const comex::runtime::CallName called(__func__);
  return allocate(ptr_arr, bytes, handle_of(group), device);
}

COMEX_PROFILED(Free) int PARMCI_Free(void* ptr) {
  const comex::runtime::CallName called(__func__);
  return release(ptr, group_of(ptr));
}

COMEX_PROFILED(Free_memdev) int PARMCI_Free_memdev(void* ptr) {
  const comex::runtime::CallName called(__func__);
  return release(ptr, group_of(ptr));
}

COMEX_PROFILED(Free_group) int PARMCI_Free_group(void* ptr, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  return release(ptr, handle_of(group));
}

COMEX_PROFILED(Malloc_local) void* PARMCI_Malloc_local(armci_size_t bytes) {
  const comex::runtime::CallName called(__func__);
  if (bytes < 0) comex_error("an allocation of a negative number of bytes", 1);
  return comex_malloc_local(static_cast<std::size_t>(bytes));
}

COMEX_PROFILED(Free_local) int PARMCI_Free_local(void* ptr) {
  const comex::runtime::CallName called(__func__);
  return comex_free_local(ptr);
}

COMEX_PROFILED(Set_shm_limit) void PARMCI_Set_shm_limit(unsigned long) {
  pass();
}

COMEX_PROFILED(Copy) void PARMCI_Copy(void* src, void* dst, int bytes) {
  pass();
  if (bytes > 0) std::memmove(dst, src, static_cast<std::size_t>(bytes));
}
