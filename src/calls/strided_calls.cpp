// puts, gets, accs and their non-blocking forms.
#include "calls/transfer.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

int transfer(const char* name, const op::Arguments& request, const op::StridedArguments& arguments, int proc,
             comex_group_t group, const Finish& finish) {
  runtime::Runtime* runtime = runtime::enter(name);
  runtime::Reach target;
  if (runtime == nullptr || !runtime::find_reach(*runtime, name, proc, group, target)) return COMEX_FAILURE;
  op::Arguments resolved = request;
  resolved.target = target.worker();
  return carry_out(*runtime, name, op::validate(resolved, arguments), target, arguments.far, finish);
}

// src and dst as put and acc mean them; get swaps them.
int put(const char* name, void* src, const int* src_stride, void* dst, const int* dst_stride,
        const int* count, int levels, int proc, comex_group_t group, const Finish& finish) {
  return transfer(name, {.action = Action::put}, {src, src_stride, dst, dst_stride, count, levels}, proc,
                  group, finish);
}

int get(const char* name, void* src, const int* src_stride, void* dst, const int* dst_stride,
        const int* count, int levels, int proc, comex_group_t group, const Finish& finish) {
  return transfer(name, {.action = Action::get}, {dst, dst_stride, src, src_stride, count, levels}, proc,
                  group, finish);
}

int acc(const char* name, int op, void* scale, void* src, const int* src_stride, void* dst,
        const int* dst_stride, const int* count, int levels, int proc, comex_group_t group,
        const Finish& finish) {
  runtime::Runtime* runtime = runtime::enter(name);
  op::Arguments request{.action = Action::acc, .scale = scale};
  if (runtime == nullptr || !find_scalar(*runtime, name, op, request.scalar)) return COMEX_FAILURE;
  return transfer(name, request, {src, src_stride, dst, dst_stride, count, levels}, proc, group, finish);
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_puts(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
               int proc, comex_group_t group) {
  return put("puts", src, src_stride, dst, dst_stride, count, stride_levels, proc, group, Finish::block());
}

int comex_gets(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
               int proc, comex_group_t group) {
  return get("gets", src, src_stride, dst, dst_stride, count, stride_levels, proc, group, Finish::block());
}

int comex_accs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
               int stride_levels, int proc, comex_group_t group) {
  return acc("accs", op, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc, group,
             Finish::block());
}

int comex_nbputs(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
                 int proc, comex_group_t group, comex_request_t* handle) {
  return put("nbputs", src, src_stride, dst, dst_stride, count, stride_levels, proc, group,
             Finish::by(handle));
}

int comex_nbgets(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
                 int proc, comex_group_t group, comex_request_t* handle) {
  return get("nbgets", src, src_stride, dst, dst_stride, count, stride_levels, proc, group,
             Finish::by(handle));
}

int comex_nbaccs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                 int stride_levels, int proc, comex_group_t group, comex_request_t* handle) {
  return acc("nbaccs", op, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc, group,
             Finish::by(handle));
}
