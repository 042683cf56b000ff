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
// The failure may belong to an earlier put, so the data is put again to find out.
template <class Put>
int put_and_raise(const Put& put, int* flag, int value, int proc) {
  if (const int looked = look_at_flag(flag, proc); looked != COMEX_SUCCESS) return looked;
  if (const int result = put(); result != COMEX_SUCCESS) return result;
  const int told = comex_fence_proc(proc, COMEX_GROUP_WORLD);
  if (told != COMEX_SUCCESS) {
    if (const int result = put(); result != COMEX_SUCCESS) return result;
    if (const int result = comex_fence_proc(proc, COMEX_GROUP_WORLD); result != COMEX_SUCCESS) return result;
  }
  const int raised = comex_rmw(COMEX_SWAP, &value, flag, 0, proc, COMEX_GROUP_WORLD);
  return told != COMEX_SUCCESS ? told : raised;
}

}  // namespace

COMEX_PROFILED(Put_flag)
int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc) {
  const comex::runtime::CallName called(__func__);
  const auto put = [&] { return comex_put(src, dst, bytes, proc, COMEX_GROUP_WORLD); };
  return put_and_raise(put, flag, value, proc);
}

COMEX_PROFILED(PutS_flag)
int PARMCI_PutS_flag(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                     int* flag, int value, int proc) {
  const comex::runtime::CallName called(__func__);
  const auto put = [&] {
    return comex_puts(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD);
  };
  return put_and_raise(put, flag, value, proc);
}
