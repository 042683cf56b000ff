// The calls puts, gets, accs and accs_op, and their non-blocking forms.
#include "calls/carry_out.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

template <class Stride, class Count>
int transfer(const Call& call, const DataCall& request, const op::StridedArguments<Stride, Count>& arguments,
             const Finish& finish) {
  runtime::Reach target;
  op::Arguments resolved;
  runtime::Runtime* const runtime = enter(call, request, target, resolved);
  if (runtime == nullptr) return COMEX_FAILURE;
  return carry_out(*runtime, call.name, op::validate(resolved, arguments), target, arguments.far, finish);
}

// The caller's side comes first; no call writes to its source.
template <class Stride, class Count>
op::StridedArguments<Stride, Count> sides(const void* near, const Stride* near_strides, const void* far,
                                          const Stride* far_strides, const Count* counts, int levels) {
  return {const_cast<void*>(near), near_strides, const_cast<void*>(far), far_strides, counts, levels};
}

}  // namespace
}  // namespace comex::calls

using namespace comex::calls;

COMEX_DATA_PAIR(puts, "puts",
                (void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
                 int proc, comex_group_t group),
                as_put, sides(src, src_stride, dst, dst_stride, count, stride_levels))

COMEX_DATA_PAIR(gets, "gets",
                (void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
                 int proc, comex_group_t group),
                as_get, sides(dst, dst_stride, src, src_stride, count, stride_levels))

COMEX_DATA_PAIR(accs, "accs",
                (int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                 int stride_levels, int proc, comex_group_t group),
                as_acc({op, scale}), sides(src, src_stride, dst, dst_stride, count, stride_levels))

COMEX_DATA_PAIR(puts_x, "puts",
                (const void* src, const ptrdiff_t* src_stride, void* dst, const ptrdiff_t* dst_stride,
                 const size_t* count, int stride_levels, int proc, comex_group_t group),
                as_put, sides(src, src_stride, dst, dst_stride, count, stride_levels))

COMEX_DATA_PAIR(gets_x, "gets",
                (const void* src, const ptrdiff_t* src_stride, void* dst, const ptrdiff_t* dst_stride,
                 const size_t* count, int stride_levels, int proc, comex_group_t group),
                as_get, sides(dst, dst_stride, src, src_stride, count, stride_levels))

COMEX_DATA_PAIR(accs_x, "accs",
                (int type, const void* scale, const void* src, const ptrdiff_t* src_stride, void* dst,
                 const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                 comex_group_t group),
                as_acc({type, scale}), sides(src, src_stride, dst, dst_stride, count, stride_levels))

COMEX_DATA_PAIR(accs_op, "accs_op",
                (int op, int type, const void* src, const ptrdiff_t* src_stride, void* dst,
                 const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                 comex_group_t group),
                as_acc(Accumulate::by(op, type)),
                sides(src, src_stride, dst, dst_stride, count, stride_levels))
