// The calls puts, gets, accs and their non-blocking forms.
#include "calls/transfer.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

int transfer(const Call& call, const op::Arguments& request, const op::StridedArguments& arguments,
             const Finish& finish) {
  runtime::Reach target;
  runtime::Runtime* const runtime = enter(call, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  op::Arguments resolved = request;
  resolved.target = target.worker();
  return carry_out(*runtime, call.name, op::validate(resolved, arguments), target, arguments.far, finish);
}

int accumulate(const Call& call, int op, void* scale, const op::StridedArguments& arguments,
               const Finish& finish) {
  runtime::Runtime* const runtime = runtime::enter(call.name);
  op::Arguments request{.action = Action::acc, .scale = scale};
  if (runtime == nullptr || !find_scalar(*runtime, call.name, op, request.scalar)) return COMEX_FAILURE;
  return transfer(call, request, arguments, finish);
}

constexpr op::Arguments put{.action = Action::put};
constexpr op::Arguments get{.action = Action::get};

}  // namespace
}  // namespace comex::calls

using namespace comex::calls;

int comex_puts(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
               int proc, comex_group_t group) {
  return transfer({"puts", proc, group}, put, {src, src_stride, dst, dst_stride, count, stride_levels},
                  Finish::block());
}

int comex_gets(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
               int proc, comex_group_t group) {
  return transfer({"gets", proc, group}, get, {dst, dst_stride, src, src_stride, count, stride_levels},
                  Finish::block());
}

int comex_accs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
               int stride_levels, int proc, comex_group_t group) {
  return accumulate({"accs", proc, group}, op, scale,
                    {src, src_stride, dst, dst_stride, count, stride_levels}, Finish::block());
}

int comex_nbputs(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
                 int proc, comex_group_t group, comex_request_t* handle) {
  return transfer({"nbputs", proc, group}, put, {src, src_stride, dst, dst_stride, count, stride_levels},
                  Finish::by(handle));
}

int comex_nbgets(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
                 int proc, comex_group_t group, comex_request_t* handle) {
  return transfer({"nbgets", proc, group}, get, {dst, dst_stride, src, src_stride, count, stride_levels},
                  Finish::by(handle));
}

int comex_nbaccs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                 int stride_levels, int proc, comex_group_t group, comex_request_t* handle) {
  return accumulate({"nbaccs", proc, group}, op, scale,
                    {src, src_stride, dst, dst_stride, count, stride_levels}, Finish::by(handle));
}
