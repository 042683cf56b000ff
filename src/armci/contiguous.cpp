// The calls for contiguous put, get and accumulate.
#include "armci/codes.h"
#include "armci/export.h"
#include "armci/nonblocking.h"

using namespace comex::armci;

COMEX_PROFILED(Put) int PARMCI_Put(void* src, void* dst, int bytes, int proc) {
  return comex_put(src, dst, bytes, proc, COMEX_GROUP_WORLD);
}

COMEX_PROFILED(Get) int PARMCI_Get(void* src, void* dst, int bytes, int proc) {
  return comex_get(src, dst, bytes, proc, COMEX_GROUP_WORLD);
}

COMEX_PROFILED(Acc) int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc) {
  return comex_acc(acc_code(datatype), scale, src, dst, bytes, proc, COMEX_GROUP_WORLD);
}

COMEX_PROFILED(NbPut) int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle) {
  return start_nonblocking(handle, [&](comex_request_t* request) {
    return comex_nbput(src, dst, bytes, proc, COMEX_GROUP_WORLD, request);
  });
}

COMEX_PROFILED(NbGet) int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle) {
  return start_nonblocking(handle, [&](comex_request_t* request) {
    return comex_nbget(src, dst, bytes, proc, COMEX_GROUP_WORLD, request);
  });
}

COMEX_PROFILED(NbAcc)
int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* handle) {
  const int code = acc_code(datatype);
  return start_nonblocking(handle, [&](comex_request_t* request) {
    return comex_nbacc(code, scale, src, dst, bytes, proc, COMEX_GROUP_WORLD, request);
  });
}
