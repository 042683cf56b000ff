// The calls for allocations and for memory of one process.
#include <cstring>
#include <utility>

#include "armci/state.h"

namespace comex::armci {
namespace {

// Removes the own part from the table and returns who frees it together.
Owners take_owners(void* own_part) {
  const std::lock_guard lock(state().memory_lock);
  const auto found = state().memory.extract(own_part);
  return found.empty() ? Owners{collective_group(), {}} : std::move(found.mapped());
}

std::size_t checked_bytes(armci_size_t bytes) {
  if (bytes < 0) comex_error("an allocation of a negative number of bytes", 1);
  return static_cast<std::size_t>(bytes);
}

}  // namespace

int allocate(void** ptr_arr, std::size_t bytes, comex_group_t group, const char* device) {
  const int result = comex_malloc_mem_dev(ptr_arr, bytes, group, device);
  if (result != COMEX_SUCCESS) return result;
  int rank = 0;
  comex_group_rank(group, &rank);
  const std::lock_guard lock(state().memory_lock);
  if (ptr_arr[rank] != nullptr) state().memory[ptr_arr[rank]] = {group, {}};
  return result;
}

// Programs free memory of Malloc_group without its group, after another group has become the default, or
// after its group was freed. comex_free takes any group of the same members, so the last case gets a new one.
int release(void* own_part) {
  Owners owners = take_owners(own_part);
  if (owners.members.empty()) return comex_free(own_part, owners.group);
  const int size = static_cast<int>(owners.members.size());
  const int made =
      comex_group_create_without_limit(size, owners.members.data(), COMEX_GROUP_WORLD, &owners.group);
  if (made != COMEX_SUCCESS) return made;
  const int result = comex_free(own_part, owners.group);
  comex_group_free(owners.group);
  return result;
}

void keep_memory_of(comex_group_t group) {
  const std::lock_guard lock(state().memory_lock);
  for (auto& [own_part, owners] : state().memory)
    if (owners.group == group) owners = {COMEX_GROUP_NULL, world_ranks(group)};
}

}  // namespace comex::armci

using namespace comex::armci;

COMEX_PROFILED(Malloc) int PARMCI_Malloc(void** ptr_arr, armci_size_t bytes) {
  const comex::runtime::CallName called(__func__);
  return allocate(ptr_arr, checked_bytes(bytes), collective_group(), nullptr);
}

COMEX_PROFILED(Malloc_memdev)
int PARMCI_Malloc_memdev(void** ptr_arr, armci_size_t bytes, const char* device) {
  const comex::runtime::CallName called(__func__);
  return allocate(ptr_arr, checked_bytes(bytes), collective_group(), device);
}

COMEX_PROFILED(Malloc_group) int PARMCI_Malloc_group(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  return allocate(ptr_arr, checked_bytes(bytes), handle_of(group), nullptr);
}

COMEX_PROFILED(Malloc_group_memdev)
int PARMCI_Malloc_group_memdev(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group, const char* device) {
  const comex::runtime::CallName called(__func__);
  return allocate(ptr_arr, checked_bytes(bytes), handle_of(group), device);
}

COMEX_PROFILED(Free) int PARMCI_Free(void* ptr) {
  const comex::runtime::CallName called(__func__);
  return release(ptr);
}

COMEX_PROFILED(Free_memdev) int PARMCI_Free_memdev(void* ptr) {
  const comex::runtime::CallName called(__func__);
  return release(ptr);
}

COMEX_PROFILED(Free_group) int PARMCI_Free_group(void* ptr, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  take_owners(ptr);
  return comex_free(ptr, handle_of(group));
}

COMEX_PROFILED(Malloc_local) void* PARMCI_Malloc_local(armci_size_t bytes) {
  const comex::runtime::CallName called(__func__);
  return comex_malloc_local(checked_bytes(bytes));
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
