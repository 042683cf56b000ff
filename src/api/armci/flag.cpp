// Data, then a flag. The flag is swapped in: a swap takes effect after the caller's earlier writes.
#include "api/armci/export.h"
#include "api/armci/state.h"

using namespace comex::armci;

namespace {

int raise_flag(int* flag, int value, int proc) {
  return comex_rmw(COMEX_SWAP, &value, flag, 0, proc, COMEX_GROUP_WORLD);
}

}  // namespace

COMEX_C int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc) {
  before_operation_on(proc);
  const int result = comex_put(src, dst, bytes, proc, COMEX_GROUP_WORLD);
  return result != COMEX_SUCCESS ? result : raise_flag(flag, value, proc);
}
COMEX_PROFILED(Put_flag);

COMEX_C int PARMCI_PutS_flag(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                             int stride_levels, int* flag, int value, int proc) {
  before_operation_on(proc);
  const int result =
      comex_puts(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD);
  return result != COMEX_SUCCESS ? result : raise_flag(flag, value, proc);
}
COMEX_PROFILED(PutS_flag);
