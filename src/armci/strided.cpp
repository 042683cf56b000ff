// Strided put, get and accumulate.
#include "armci/codes.h"
#include "armci/export.h"
#include "armci/nonblocking.h"
#include "armci/strided_pieces.h"

using namespace comex::armci;

namespace {

constexpr long max_aggregated_runs = 64;

struct Patch {
  void* src;
  int* src_stride;
  void* dst;
  int* dst_stride;
  int* count;
  int levels;
};

// True if an aggregate handle took the patch, run by run.
bool aggregated_patch(armci_hdl_t* handle, Piece piece, const Patch& patch) {
  if (handle == nullptr || code_of(handle) >= 0 || !state().aggregates.collects(code_of(handle)))
    return false;
  if (patch.count == nullptr ||
      (patch.levels > 0 && (patch.src_stride == nullptr || patch.dst_stride == nullptr)))
    return false;
  const long runs = run_count(patch.count, patch.levels);
  if (runs < 0 || runs > max_aggregated_runs) return false;
  piece.src = patch.src;
  piece.dst = patch.dst;
  piece.bytes = patch.count[0];
  if (!Aggregates::can_hold(piece)) return false;
  visit_runs({patch.src, patch.src_stride}, {patch.dst, patch.dst_stride}, patch.count, patch.levels, runs,
             [&](char* src, char* dst) {
               piece.src = src;
               piece.dst = dst;
               state().aggregates.add(code_of(handle), piece);
             });
  return true;
}

}  // namespace

COMEX_C int PARMCI_PutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                        int stride_levels, int proc) {
  const comex::runtime::CallName called(__func__);
  before_operation_on(proc);
  return comex_puts(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD);
}
COMEX_PROFILED(PutS);

COMEX_C int PARMCI_GetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                        int stride_levels, int proc) {
  const comex::runtime::CallName called(__func__);
  before_operation_on(proc);
  return comex_gets(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD);
}
COMEX_PROFILED(GetS);

COMEX_C int PARMCI_AccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                        int count[], int stride_levels, int proc) {
  const comex::runtime::CallName called(__func__);
  before_operation_on(proc);
  return comex_accs(acc_code(datatype), scale, src, src_stride, dst, dst_stride, count, stride_levels, proc,
                    COMEX_GROUP_WORLD);
}
COMEX_PROFILED(AccS);

COMEX_C int PARMCI_NbPutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                          int stride_levels, int proc, armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  if (aggregated_patch(handle, {.verb = Verb::put, .proc = proc},
                       {src, src_stride, dst, dst_stride, count, stride_levels})) {
    return 0;
  }
  return start_nonblocking(handle, proc, [&](comex_request_t* request) {
    return comex_nbputs(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD,
                        request);
  });
}
COMEX_PROFILED(NbPutS);

COMEX_C int PARMCI_NbGetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                          int stride_levels, int proc, armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  if (aggregated_patch(handle, {.verb = Verb::get, .proc = proc},
                       {src, src_stride, dst, dst_stride, count, stride_levels})) {
    return 0;
  }
  return start_nonblocking(handle, proc, [&](comex_request_t* request) {
    return comex_nbgets(src, src_stride, dst, dst_stride, count, stride_levels, proc, COMEX_GROUP_WORLD,
                        request);
  });
}
COMEX_PROFILED(NbGetS);

COMEX_C int PARMCI_NbAccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                          int count[], int stride_levels, int proc, armci_hdl_t* handle) {
  const comex::runtime::CallName called(__func__);
  const int code = acc_code(datatype);
  if (aggregated_patch(handle, {.verb = Verb::acc, .proc = proc, .acc_code = code, .scale = scale},
                       {src, src_stride, dst, dst_stride, count, stride_levels})) {
    return 0;
  }
  return start_nonblocking(handle, proc, [&](comex_request_t* request) {
    return comex_nbaccs(code, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc,
                        COMEX_GROUP_WORLD, request);
  });
}
COMEX_PROFILED(NbAccS);
