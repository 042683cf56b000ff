// The calls for strided put, get and accumulate.
#include "armci/codes.h"
#include "armci/nonblocking.h"

using namespace comex::armci;

COMEX_ARMCI_PAIR(PutS, puts,
                 (void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                  int proc),
                 src, src_stride, dst, dst_stride, count, stride_levels, proc)

COMEX_ARMCI_PAIR(GetS, gets,
                 (void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                  int proc),
                 src, src_stride, dst, dst_stride, count, stride_levels, proc)

COMEX_ARMCI_PAIR(AccS, accs,
                 (int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                  int count[], int stride_levels, int proc),
                 acc_code(datatype), scale, src, src_stride, dst, dst_stride, count, stride_levels, proc)
