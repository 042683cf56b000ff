// The calls for strided put, get and accumulate.
#include "armci/codes.h"
#include "armci/export.h"
#include "armci/nonblocking.h"

using namespace comex::armci;

COMEX_C int PARMCI_PutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                        int stride_levels, int proc) {
  const comex::runtime::CallName called(__func__);
  return comex_puts(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD);
}
COMEX_PROFILED(PutS);

COMEX_C int PARMCI_GetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                        int stride_levels, int proc) {
  const comex::runtime::CallName called(__func__);
  return comex_gets(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD);
}
COMEX_PROFILED(GetS);

COMEX_C int PARMCI_AccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                        int count[], int stride_levels, int proc) {
  const comex::runtime::CallName called(__func__);
  return comex_accs(acc_code(datatype), scale, src, src_stride, dst, dst_stride, count, stride_levels, proc,
                    COMEX_GROUP_WORLD);
}
COMEX_PROFILED(AccS);

COMEX_C int PARMCI_NbPutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                          int stride_levels, int proc, armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  return start_nonblocking(handle, [&](comex_request_t* request) {
    return comex_nbputs(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD,
                        request);
  });
}
COMEX_PROFILED(NbPutS);

COMEX_C int PARMCI_NbGetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                          int stride_levels, int proc, armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  return start_nonblocking(handle, [&](comex_request_t* request) {
    return comex_nbgets(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD,
                        request);
  });
}
COMEX_PROFILED(NbGetS);

COMEX_C int PARMCI_NbAccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                          int count[], int stride_levels, int proc, armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  const int code = acc_code(datatype);
  return start_nonblocking(handle, [&](comex_request_t* request) {
    return comex_nbaccs(code, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc,
                        COMEX_GROUP_WORLD, request);
  });
}
COMEX_PROFILED(NbAccS);
