// put, get and accumulate in all their forms, as this library shows them to the program.
#include <comex.h>

#include "checked/follow.h"

namespace comex::checker {
namespace {

std::uint8_t element(int type) {
  return static_cast<std::uint8_t>(type - COMEX_ACC_OFF);
}

// The bytes of an element: what does not fill one is not accumulated. 1 for calls that move bytes.
std::uint64_t bytes_of(int type) {
  switch (type) {
    case COMEX_ACC_INT:
    case COMEX_ACC_FLT:
      return 4;
    case COMEX_ACC_DBL:
    case COMEX_ACC_LNG:
    case COMEX_ACC_CPL:
      return 8;
    case COMEX_ACC_DCP:
      return 16;
    default:
      return 1;
  }
}

// local and remote: the caller's memory, and the target's.
template <class Count>
std::vector<Piece> run(const void* local, const void* remote, Count bytes, std::uint64_t element = 1) {
  if (bytes <= 0) return {};
  const auto all = static_cast<std::uint64_t>(bytes);
  return {Piece{local, remote, contiguous_patch(all - all % element)}};
}

// A pattern that the runtime refuses is not followed.
template <class Stride, class Count>
std::vector<Piece> rows(const void* local, const Stride* local_strides, const void* remote,
                        const Stride* remote_strides, const Count* counts, int levels,
                        std::uint64_t element = 1) {
  if (counts == nullptr || levels < 0 || levels > max_stride_levels ||
      (levels > 0 && (local_strides == nullptr || remote_strides == nullptr)))
    return {};
  const Result<Patch> patch =
      make_patch(levels, local_strides, remote_strides, counts, static_cast<unsigned>(element));
  if (!patch) return {};
  return {Piece{local, remote, patch.value()}};
}

template <class Vectors, class Length>
std::vector<Piece> list(const Vectors* vectors, Length length, bool is_get, std::uint64_t element = 1) {
  std::vector<Piece> pieces;
  for (Length i = 0; vectors != nullptr && i < length; ++i) {
    const Vectors& vector = vectors[i];
    if (vector.bytes <= 0 || vector.count <= 0 || vector.src == nullptr || vector.dst == nullptr) continue;
    const auto all = static_cast<std::uint64_t>(vector.bytes);
    for (std::size_t k = 0; k < static_cast<std::size_t>(vector.count); ++k)
      pieces.push_back({is_get ? vector.dst[k] : vector.src[k], is_get ? vector.src[k] : vector.dst[k],
                        contiguous_patch(all - all % element)});
  }
  return pieces;
}

CheckedTransfer put(const FollowedCall& call, int proc, comex_group_t group, std::vector<Piece> pieces) {
  return {call, proc, group, Move::put, 0, std::move(pieces)};
}

CheckedTransfer get(const FollowedCall& call, int proc, comex_group_t group, std::vector<Piece> pieces) {
  return {call, proc, group, Move::get, 0, std::move(pieces)};
}

CheckedTransfer acc(const FollowedCall& call, int type, int proc, comex_group_t group,
                    std::vector<Piece> pieces) {
  return {call, proc, group, Move::accumulate, element(type), std::move(pieces)};
}

}  // namespace
}  // namespace comex::checker

using namespace comex::checker;

int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return follow<&comex_put>(put(COMEX_CALL, proc, group, run(src, dst, bytes)), src, dst, bytes, proc, group);
}

int comex_puts(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
               int proc, comex_group_t group) {
  return follow<&comex_puts>(
      put(COMEX_CALL, proc, group, rows(src, src_stride, dst, dst_stride, count, stride_levels)), src,
      src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_putv(comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return follow<&comex_putv>(put(COMEX_CALL, proc, group, list(darr, len, false)), darr, len, proc, group);
}

int comex_get(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return follow<&comex_get>(get(COMEX_CALL, proc, group, run(dst, src, bytes)), src, dst, bytes, proc, group);
}

int comex_gets(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
               int proc, comex_group_t group) {
  return follow<&comex_gets>(
      get(COMEX_CALL, proc, group, rows(dst, dst_stride, src, src_stride, count, stride_levels)), src,
      src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_getv(comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return follow<&comex_getv>(get(COMEX_CALL, proc, group, list(darr, len, true)), darr, len, proc, group);
}

int comex_acc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return follow<&comex_acc>(acc(COMEX_CALL, op, proc, group, run(src, dst, bytes, bytes_of(op))), op, scale,
                            src, dst, bytes, proc, group);
}

int comex_accs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
               int stride_levels, int proc, comex_group_t group) {
  return follow<&comex_accs>(acc(COMEX_CALL, op, proc, group,
                                 rows(src, src_stride, dst, dst_stride, count, stride_levels, bytes_of(op))),
                             op, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_accv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return follow<&comex_accv>(acc(COMEX_CALL, op, proc, group, list(darr, len, false, bytes_of(op))), op,
                             scale, darr, len, proc, group);
}

int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbput>(put(COMEX_CALL, proc, group, run(src, dst, bytes)), handle, src, dst,
                                    bytes, proc, group);
}

int comex_nbputs(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
                 int proc, comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbputs>(
      put(COMEX_CALL, proc, group, rows(src, src_stride, dst, dst_stride, count, stride_levels)), handle, src,
      src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_nbputv(comex_giov_t* darr, int len, int proc, comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbputv>(put(COMEX_CALL, proc, group, list(darr, len, false)), handle, darr, len,
                                     proc, group);
}

int comex_nbget(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbget>(get(COMEX_CALL, proc, group, run(dst, src, bytes)), handle, src, dst,
                                    bytes, proc, group);
}

int comex_nbgets(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int stride_levels,
                 int proc, comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbgets>(
      get(COMEX_CALL, proc, group, rows(dst, dst_stride, src, src_stride, count, stride_levels)), handle, src,
      src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_nbgetv(comex_giov_t* darr, int len, int proc, comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbgetv>(get(COMEX_CALL, proc, group, list(darr, len, true)), handle, darr, len,
                                     proc, group);
}

int comex_nbacc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
                comex_request_t* handle) {
  return follow_start<&comex_nbacc>(acc(COMEX_CALL, op, proc, group, run(src, dst, bytes, bytes_of(op))),
                                    handle, op, scale, src, dst, bytes, proc, group);
}

int comex_nbaccs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                 int stride_levels, int proc, comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbaccs>(
      acc(COMEX_CALL, op, proc, group,
          rows(src, src_stride, dst, dst_stride, count, stride_levels, bytes_of(op))),
      handle, op, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_nbaccv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group,
                 comex_request_t* handle) {
  return follow_start<&comex_nbaccv>(acc(COMEX_CALL, op, proc, group, list(darr, len, false, bytes_of(op))),
                                     handle, op, scale, darr, len, proc, group);
}

int comex_put_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group) {
  return follow<&comex_put_x>(put(COMEX_CALL, proc, group, run(src, dst, bytes)), src, dst, bytes, proc,
                              group);
}

int comex_puts_x(const void* src, const ptrdiff_t* src_stride, void* dst, const ptrdiff_t* dst_stride,
                 const size_t* count, int stride_levels, int proc, comex_group_t group) {
  return follow<&comex_puts_x>(
      put(COMEX_CALL, proc, group, rows(src, src_stride, dst, dst_stride, count, stride_levels)), src,
      src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_putv_x(const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group) {
  return follow<&comex_putv_x>(put(COMEX_CALL, proc, group, list(darr, len, false)), darr, len, proc, group);
}

int comex_get_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group) {
  return follow<&comex_get_x>(get(COMEX_CALL, proc, group, run(dst, src, bytes)), src, dst, bytes, proc,
                              group);
}

int comex_gets_x(const void* src, const ptrdiff_t* src_stride, void* dst, const ptrdiff_t* dst_stride,
                 const size_t* count, int stride_levels, int proc, comex_group_t group) {
  return follow<&comex_gets_x>(
      get(COMEX_CALL, proc, group, rows(dst, dst_stride, src, src_stride, count, stride_levels)), src,
      src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_getv_x(const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group) {
  return follow<&comex_getv_x>(get(COMEX_CALL, proc, group, list(darr, len, true)), darr, len, proc, group);
}

int comex_acc_x(int type, const void* scale, const void* src, void* dst, size_t bytes, int proc,
                comex_group_t group) {
  return follow<&comex_acc_x>(acc(COMEX_CALL, type, proc, group, run(src, dst, bytes, bytes_of(type))), type,
                              scale, src, dst, bytes, proc, group);
}

int comex_accs_x(int type, const void* scale, const void* src, const ptrdiff_t* src_stride, void* dst,
                 const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                 comex_group_t group) {
  return follow<&comex_accs_x>(
      acc(COMEX_CALL, type, proc, group,
          rows(src, src_stride, dst, dst_stride, count, stride_levels, bytes_of(type))),
      type, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_accv_x(int type, const void* scale, const comex_giov_x_t* darr, size_t len, int proc,
                 comex_group_t group) {
  return follow<&comex_accv_x>(acc(COMEX_CALL, type, proc, group, list(darr, len, false, bytes_of(type))),
                               type, scale, darr, len, proc, group);
}

int comex_nbput_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group,
                  comex_request_t* handle) {
  return follow_start<&comex_nbput_x>(put(COMEX_CALL, proc, group, run(src, dst, bytes)), handle, src, dst,
                                      bytes, proc, group);
}

int comex_nbputs_x(const void* src, const ptrdiff_t* src_stride, void* dst, const ptrdiff_t* dst_stride,
                   const size_t* count, int stride_levels, int proc, comex_group_t group,
                   comex_request_t* handle) {
  return follow_start<&comex_nbputs_x>(
      put(COMEX_CALL, proc, group, rows(src, src_stride, dst, dst_stride, count, stride_levels)), handle, src,
      src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_nbputv_x(const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group,
                   comex_request_t* handle) {
  return follow_start<&comex_nbputv_x>(put(COMEX_CALL, proc, group, list(darr, len, false)), handle, darr,
                                       len, proc, group);
}

int comex_nbget_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group,
                  comex_request_t* handle) {
  return follow_start<&comex_nbget_x>(get(COMEX_CALL, proc, group, run(dst, src, bytes)), handle, src, dst,
                                      bytes, proc, group);
}

int comex_nbgets_x(const void* src, const ptrdiff_t* src_stride, void* dst, const ptrdiff_t* dst_stride,
                   const size_t* count, int stride_levels, int proc, comex_group_t group,
                   comex_request_t* handle) {
  return follow_start<&comex_nbgets_x>(
      get(COMEX_CALL, proc, group, rows(dst, dst_stride, src, src_stride, count, stride_levels)), handle, src,
      src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_nbgetv_x(const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group,
                   comex_request_t* handle) {
  return follow_start<&comex_nbgetv_x>(get(COMEX_CALL, proc, group, list(darr, len, true)), handle, darr, len,
                                       proc, group);
}

int comex_nbacc_x(int type, const void* scale, const void* src, void* dst, size_t bytes, int proc,
                  comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbacc_x>(
      acc(COMEX_CALL, type, proc, group, run(src, dst, bytes, bytes_of(type))), handle, type, scale, src, dst,
      bytes, proc, group);
}

int comex_nbaccs_x(int type, const void* scale, const void* src, const ptrdiff_t* src_stride, void* dst,
                   const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                   comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbaccs_x>(
      acc(COMEX_CALL, type, proc, group,
          rows(src, src_stride, dst, dst_stride, count, stride_levels, bytes_of(type))),
      handle, type, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_nbaccv_x(int type, const void* scale, const comex_giov_x_t* darr, size_t len, int proc,
                   comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbaccv_x>(
      acc(COMEX_CALL, type, proc, group, list(darr, len, false, bytes_of(type))), handle, type, scale, darr,
      len, proc, group);
}

int comex_acc_op(int op, int type, const void* src, void* dst, size_t bytes, int proc, comex_group_t group) {
  return follow<&comex_acc_op>(acc(COMEX_CALL, type, proc, group, run(src, dst, bytes, bytes_of(type))), op,
                               type, src, dst, bytes, proc, group);
}

int comex_accs_op(int op, int type, const void* src, const ptrdiff_t* src_stride, void* dst,
                  const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                  comex_group_t group) {
  return follow<&comex_accs_op>(
      acc(COMEX_CALL, type, proc, group,
          rows(src, src_stride, dst, dst_stride, count, stride_levels, bytes_of(type))),
      op, type, src, src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_accv_op(int op, int type, const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group) {
  return follow<&comex_accv_op>(acc(COMEX_CALL, type, proc, group, list(darr, len, false, bytes_of(type))),
                                op, type, darr, len, proc, group);
}

int comex_nbacc_op(int op, int type, const void* src, void* dst, size_t bytes, int proc, comex_group_t group,
                   comex_request_t* handle) {
  return follow_start<&comex_nbacc_op>(
      acc(COMEX_CALL, type, proc, group, run(src, dst, bytes, bytes_of(type))), handle, op, type, src, dst,
      bytes, proc, group);
}

int comex_nbaccs_op(int op, int type, const void* src, const ptrdiff_t* src_stride, void* dst,
                    const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                    comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbaccs_op>(
      acc(COMEX_CALL, type, proc, group,
          rows(src, src_stride, dst, dst_stride, count, stride_levels, bytes_of(type))),
      handle, op, type, src, src_stride, dst, dst_stride, count, stride_levels, proc, group);
}

int comex_nbaccv_op(int op, int type, const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group,
                    comex_request_t* handle) {
  return follow_start<&comex_nbaccv_op>(
      acc(COMEX_CALL, type, proc, group, list(darr, len, false, bytes_of(type))), handle, op, type, darr, len,
      proc, group);
}
