// The calls of strided patches (puts, gets, accs, accs_op) and of lists of segments (putv, getv, accv,
// accv_op), and their non-blocking forms.
#include <new>
#include <string>

#include "calls/carry_out.h"
#include "runtime/call.h"
#include "runtime/facade.h"

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

template <class Descriptor>
Result<op::Scatters> read(const op::Arguments& request, const Descriptor* descriptors, std::int64_t count) {
  const bool is_get = request.action == Action::get;
  const auto descriptor = [&](std::size_t i) {
    const Descriptor& given = descriptors[i];
    return op::VectorArguments{is_get ? given.dst : given.src, is_get ? given.src : given.dst,
                               op::size_of(given.count), op::size_of(given.bytes)};
  };
  try {
    return op::validate(request, static_cast<std::size_t>(count), descriptor);
  } catch (const std::bad_alloc&) {
    return environment_error("there is no memory for " + std::to_string(count) + " descriptors");
  }
}

template <class Descriptor>
int transfer(const Call& made, const DataCall& request, const Descriptor* descriptors, std::int64_t count,
             const Finish& finish) {
  runtime::Reach target;
  op::Arguments resolved;
  runtime::Runtime* const runtime = enter(made, request, target, resolved);
  if (runtime == nullptr) return COMEX_FAILURE;
  const auto where = [&] { return runtime->context(made.name, target); };
  if (count < 0) {
    return runtime->reporter().fail(
        where(), "the number of descriptors is " + std::to_string(count) + "; it must not be negative");
  }
  constexpr std::int64_t most = PTRDIFF_MAX / sizeof(Scatter);
  if (count > most) {
    return runtime->reporter().fail(where(), "the number of descriptors is more than memory can hold");
  }
  if (count > 0 && descriptors == nullptr) {
    return runtime->reporter().fail(where(), "the array of descriptors is null");
  }
  const Result<op::Scatters> valid = read(resolved, descriptors, count);
  if (!valid) return runtime->reporter().fail(where(), valid.failure());
  Operation operation = op::vector_operation(resolved);
  operation.call = runtime->draw_vector_call();
  return carry_out(*runtime, made.name, operation, valid->scatters, target, finish);
}

}  // namespace
}  // namespace comex::calls

using namespace comex::calls;
using comex::op::size_of;

// Defines comex_FUNCTION, and comex_nbFUNCTION, which takes a handle after the same parameters. Both call
// transfer() with what follows the parameters here.
#define COMEX_DATA_PAIR(function, name, parameters, ...)                        \
  int comex_##function(COMEX_LIST parameters) {                                 \
    return transfer({name, proc, group}, __VA_ARGS__, Finish::block());         \
  }                                                                             \
  int comex_nb##function(COMEX_LIST parameters, comex_request_t* handle) {      \
    return transfer({"nb" name, proc, group}, __VA_ARGS__, Finish::by(handle)); \
  }

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
                as_acc(op, scale), sides(src, src_stride, dst, dst_stride, count, stride_levels))

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
                as_acc(type, scale), sides(src, src_stride, dst, dst_stride, count, stride_levels))

COMEX_DATA_PAIR(accs_op, "accs_op",
                (int op, int type, const void* src, const ptrdiff_t* src_stride, void* dst,
                 const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                 comex_group_t group),
                as_acc_op(op, type), sides(src, src_stride, dst, dst_stride, count, stride_levels))

COMEX_DATA_PAIR(putv, "putv", (comex_giov_t * darr, int len, int proc, comex_group_t group), as_put, darr,
                len)

COMEX_DATA_PAIR(getv, "getv", (comex_giov_t * darr, int len, int proc, comex_group_t group), as_get, darr,
                len)

COMEX_DATA_PAIR(accv, "accv",
                (int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group),
                as_acc(op, scale), darr, len)

COMEX_DATA_PAIR(putv_x, "putv", (const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group),
                as_put, darr, size_of(len))

COMEX_DATA_PAIR(getv_x, "getv", (const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group),
                as_get, darr, size_of(len))

COMEX_DATA_PAIR(accv_x, "accv",
                (int type, const void* scale, const comex_giov_x_t* darr, size_t len, int proc,
                 comex_group_t group),
                as_acc(type, scale), darr, size_of(len))

COMEX_DATA_PAIR(accv_op, "accv_op",
                (int op, int type, const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group),
                as_acc_op(op, type), darr, size_of(len))
