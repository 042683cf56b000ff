// Start, end and memory, as this library shows them to the program.
#include <comex.h>

#include "checked/follow.h"

using namespace comex::checker;

namespace {

template <auto Function, class... Arguments>
int opening(const char* name, MPI_Comm all, Arguments... arguments) {
  begin_init();
  const int code = next<Function>(name)(arguments...);
  end_init(code == COMEX_SUCCESS, all);
  return code;
}

template <auto Function, class... Arguments>
int allocates(const FollowedCall& call, void** parts, std::size_t bytes, comex_group_t group,
              Arguments... arguments) {
  return after(together<Function>(call, group, false, arguments...),
               [&](Checker& check) { check.allocated(call, parts, bytes, group); });
}

// The caller cannot know whether others still use the address: for the checker it is freed at this point of
// the program's order.
template <auto Function>
int frees(const FollowedCall& call, void* ptr, comex_group_t group) {
  auto* const real = next<Function>(call.name);
  Checker* const check = checker();
  if (check == nullptr) return real(ptr, group);
  check->meet(call, group, true);
  check->freeing(call, ptr, group);
  const int code = real(ptr, group);
  check->met(group);
  return code;
}

}  // namespace

int comex_init() {
  return opening<&comex_init>(__func__, MPI_COMM_WORLD);
}

int comex_init_args(int* argc, char*** argv) {
  return opening<&comex_init_args>(__func__, MPI_COMM_WORLD, argc, argv);
}

int comex_init_comm(MPI_Comm comm) {
  return opening<&comex_init_comm>(__func__, comm, comm);
}

int comex_finalize() {
  const bool succeeded = close(COMEX_CALL);
  const int code = next<&comex_finalize>(__func__)();
  return code == COMEX_SUCCESS && !succeeded ? COMEX_FAILURE : code;
}

int comex_malloc(void** ptr_arr, size_t bytes, comex_group_t group) {
  return allocates<&comex_malloc>(COMEX_CALL, ptr_arr, bytes, group, ptr_arr, bytes, group);
}

int comex_malloc_mem_dev(void** ptr_arr, size_t bytes, comex_group_t group, const char* device) {
  return allocates<&comex_malloc_mem_dev>(COMEX_CALL, ptr_arr, bytes, group, ptr_arr, bytes, group, device);
}

int comex_malloc_kept(void** ptr_arr, size_t bytes, int copies, comex_group_t group) {
  return allocates<&comex_malloc_kept>(COMEX_CALL, ptr_arr, bytes, group, ptr_arr, bytes, copies, group);
}

// With the checker on, a dead worker ends the job, so a right program never gets here.
int comex_recover(void* ptr, comex_group_t survivors, void** ptr_arr, int* homes) {
  if (checker() != nullptr)
    next<&comex_error>("comex_error")("comex check: comex_recover moves memory, which is not followed", 1);
  return next<&comex_recover>("comex_recover")(ptr, survivors, ptr_arr, homes);
}

int comex_free(void* ptr, comex_group_t group) {
  return frees<&comex_free>(COMEX_CALL, ptr, group);
}

int comex_free_dev(void* ptr, comex_group_t group) {
  return frees<&comex_free_dev>(COMEX_CALL, ptr, group);
}

void* comex_malloc_local(size_t bytes) {
  void* const ptr = next<&comex_malloc_local>(__func__)(bytes);
  if (Checker* const check = checker()) check->allocated_locally(COMEX_CALL, ptr, bytes);
  return ptr;
}

int comex_free_local(void* ptr) {
  if (Checker* const check = checker()) check->freeing_locally(COMEX_CALL, ptr);
  return next<&comex_free_local>(__func__)(ptr);
}

int comex_access_begin(const void* ptr, size_t bytes, int access) {
  const int code = next<&comex_access_begin>(__func__)(ptr, bytes, access);
  if (Checker* const check = checker(); check != nullptr && code == COMEX_SUCCESS)
    check->access_begins(COMEX_CALL, ptr, bytes, access == COMEX_ACCESS_WRITE);
  return code;
}

int comex_access_end(const void* ptr) {
  const int code = next<&comex_access_end>(__func__)(ptr);
  if (Checker* const check = checker(); check != nullptr && code == COMEX_SUCCESS)
    check->access_ends(COMEX_CALL, ptr);
  return code;
}
