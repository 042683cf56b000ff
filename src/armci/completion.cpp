// The calls for handles, wait and test, fences, barrier and mutexes.
#include <limits>

#include "armci/state.h"

using namespace comex::armci;

namespace {

// A handle of which a test has found that its operation failed has the result above this: the wait tells it.
constexpr int failed_base = std::numeric_limits<int>::min();

bool has_failed(int code) {
  return code <= failed_base + COMEX_PROC_FAILED;
}

int wait_for_all() {
  const int result = comex_wait_all(COMEX_GROUP_WORLD);
  state().aggregates.finished_all();
  return result;
}

}  // namespace

COMEX_PROFILED(Wait) int PARMCI_Wait(armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  if (handle == nullptr) return wait_for_all();
  const int code = code_of(handle);
  pass();
  if (code == 0) return COMEX_SUCCESS;
  if (has_failed(code)) {
    set_code(handle, 0);
    return code - failed_base;
  }
  if (code < 0) return state().aggregates.wait(handle);
  comex_request_t request = code;
  const int result = comex_wait(&request);
  set_code(handle, 0);  // the number may be another's once ARMCI has begun anew
  return result;
}

COMEX_PROFILED(Test) int PARMCI_Test(armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  const int code = handle == nullptr ? 0 : code_of(handle);
  pass();
  if (code == 0 || has_failed(code)) return 0;
  if (code < 0) return state().aggregates.test(handle);
  comex_request_t request = code;
  int status = 0;
  const int result = comex_test(&request, &status);
  if (result != COMEX_SUCCESS) {
    set_code(handle, failed_base + result);
  } else if (status == 0) {
    set_code(handle, 0);
  }
  return status;
}

COMEX_PROFILED(WaitProc) int PARMCI_WaitProc(int proc) {
  const comex::runtime::CallName called(__func__);
  return comex_wait_proc(proc, COMEX_GROUP_WORLD);
}

COMEX_PROFILED(WaitAll) int PARMCI_WaitAll(void) {
  const comex::runtime::CallName called(__func__);
  return wait_for_all();
}

COMEX_PROFILED(Fence) void PARMCI_Fence(int proc) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_fence_proc(proc, COMEX_GROUP_WORLD));
}

COMEX_PROFILED(AllFence) void PARMCI_AllFence(void) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_fence_all(COMEX_GROUP_WORLD));
}

COMEX_PROFILED(Barrier) void PARMCI_Barrier(void) {
  const comex::runtime::CallName called(__func__);
  const comex_group_t group = collective_group();
  // That of the group fences its members only.
  if (group != COMEX_GROUP_WORLD) end_at_death(comex_fence_all(COMEX_GROUP_WORLD));
  end_at_death(comex_barrier(group));
}

COMEX_PROFILED(SET_AGGREGATE_HANDLE) void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  pass();
  state().aggregates.set(handle);
}

COMEX_PROFILED(UNSET_AGGREGATE_HANDLE) void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  pass();
  state().aggregates.unset(handle);
}

COMEX_PROFILED(Create_mutexes) int PARMCI_Create_mutexes(int count) {
  const comex::runtime::CallName called(__func__);
  return comex_create_mutexes(count);
}

COMEX_PROFILED(Destroy_mutexes) int PARMCI_Destroy_mutexes(void) {
  const comex::runtime::CallName called(__func__);
  return comex_destroy_mutexes();
}

COMEX_PROFILED(Lock) void PARMCI_Lock(int mutex, int proc) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_lock(mutex, proc));
}

COMEX_PROFILED(Unlock) void PARMCI_Unlock(int mutex, int proc) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_unlock(mutex, proc));
}
