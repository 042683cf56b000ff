// Writes data, then a flag, which a waiting process sees last. If the data is refused, the flag is not set;
// if the flag is refused, no data is written.
#include "armci/export.h"
#include "armci/state.h"

using namespace comex::armci;

namespace {

// A read by rmw: the flag's owner says whether the flag exists.
int look_at_flag(int* flag, int proc) {
  int now = 0;
  return comex_rmw(COMEX_FETCH_AND_ADD, &now, flag, 0, proc, COMEX_GROUP_WORLD);
}

// A server may refuse the data after the put has returned. Then the fence fails, and the flag is not set.
int raise_flag(int put_result, int* flag, int value, int proc) {
  if (put_result != COMEX_SUCCESS) return put_result;
  if (const int arrived = comex_fence_proc(proc, COMEX_GROUP_WORLD); arrived != COMEX_SUCCESS) return arrived;
  return comex_rmw(COMEX_SWAP, &value, flag, 0, proc, COMEX_GROUP_WORLD);
}

}  // namespace

COMEX_C int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc) {
  const comex::runtime::CallName called(__func__);
  if (const int looked = look_at_flag(flag, proc); looked != COMEX_SUCCESS) return looked;
  const int result = comex_put(src, dst, bytes, proc, COMEX_GROUP_WORLD);
  return raise_flag(result, flag, value, proc);
}
COMEX_PROFILED(Put_flag);

COMEX_C int PARMCI_PutS_flag(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                             int stride_levels, int* flag, int value, int proc) {
  const comex::runtime::CallName called(__func__);
  if (const int looked = look_at_flag(flag, proc); looked != COMEX_SUCCESS) return looked;
  const int result =
      comex_puts(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD);
  return raise_flag(result, flag, value, proc);
}
COMEX_PROFILED(PutS_flag);
