// The calls for handles, wait and test, fences and barrier.
#include <atomic>
#include <limits>

#include "armci/export.h"
#include "armci/state.h"

using namespace comex::armci;

namespace {

// In a handle whose operation was refused, as a test has found: the wait tells it.
constexpr int refused_code = std::numeric_limits<int>::min();

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
  if (code == refused_code) {
    set_code(handle, 0);
    return COMEX_FAILURE;
  }
  if (code < 0) return state().aggregates.wait(handle);
  comex_request_t request = code;
  return comex_wait(&request);
}

COMEX_PROFILED(Test) int PARMCI_Test(armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  const int code = handle == nullptr ? 0 : code_of(handle);
  pass();
  if (code == 0 || code == refused_code) return 0;
  if (code < 0) return state().aggregates.test(handle);
  comex_request_t request = code;
  int status = 0;
  if (comex_test(&request, &status) != COMEX_SUCCESS) set_code(handle, refused_code);
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
  end_at_death(comex_barrier(collective_group()));
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
