// put, get and accumulate in all their forms, as this library shows them to the program.
#include <comex.h>

#include "checked/follow.h"

namespace comex::checker {
namespace {

// What a call does to the target's memory, wherever that is.
struct Kind {
  Move move;
  std::uint8_t type = 0;
  std::uint64_t element = 1;  // its bytes: what does not fill one is not accumulated
};

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

Kind accumulate(int type) {
  return {Move::accumulate, static_cast<std::uint8_t>(type - COMEX_ACC_OFF), bytes_of(type)};
}

// The caller's own memory is the destination of a get, and the source of all others.
TransferPart part(const Kind& kind, const void* src, const void* dst, const Patch& patch) {
  return kind.move == Move::get ? TransferPart{dst, src, patch} : TransferPart{src, dst, patch};
}

TransferPart run(const Kind& kind, const void* src, const void* dst, std::uint64_t bytes) {
  return part(kind, src, dst, contiguous_patch(bytes - bytes % kind.element));
}

// By the arguments of the contiguous form of a call.
template <class Count>
CheckedTransfer transfer(const FollowedCall& call, const Kind& kind, const void* src, const void* dst,
                         Count bytes, int proc, comex_group_t group) {
  std::vector<TransferPart> parts;
  if (bytes > 0) parts.push_back(run(kind, src, dst, static_cast<std::uint64_t>(bytes)));
  return {call, proc, group, kind.move, kind.type, std::move(parts)};
}

// Of the strided form. A pattern that the runtime refuses is not followed.
template <class Stride, class Count>
CheckedTransfer transfer(const FollowedCall& call, const Kind& kind, const void* src,
                         const Stride* src_strides, const void* dst, const Stride* dst_strides,
                         const Count* counts, int levels, int proc, comex_group_t group) {
  CheckedTransfer found{call, proc, group, kind.move, kind.type};
  if (counts == nullptr || levels < 0 || levels > max_stride_levels ||
      (levels > 0 && (src_strides == nullptr || dst_strides == nullptr)))
    return found;
  if (kind.move == Move::get) std::swap(src_strides, dst_strides);  // make_patch takes the caller's own first
  const Result<Patch> patch =
      make_patch(levels, src_strides, dst_strides, counts, static_cast<unsigned>(kind.element));
  if (patch) found.parts.push_back(part(kind, src, dst, patch.value()));
  return found;
}

// Of the vector form. More than memory can hold is not followed: the runtime refuses it.
template <class Vectors, class Length>
CheckedTransfer transfer(const FollowedCall& call, const Kind& kind, const Vectors* vectors, Length length,
                         int proc, comex_group_t group) {
  std::vector<TransferPart> parts;
  constexpr std::uint64_t most = PTRDIFF_MAX / sizeof(TransferPart);
  if (length > 0 && static_cast<std::uint64_t>(length) > most) length = 0;
  for (Length i = 0; vectors != nullptr && i < length; ++i) {
    const Vectors& vector = vectors[i];
    if (vector.bytes <= 0 || vector.count <= 0 || vector.src == nullptr || vector.dst == nullptr) continue;
    if (static_cast<std::uint64_t>(vector.count) > most) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(vector.count); ++k)
      parts.push_back(run(kind, vector.src[k], vector.dst[k], static_cast<std::uint64_t>(vector.bytes)));
  }
  return {call, proc, group, kind.move, kind.type, std::move(parts)};
}

template <class... Where>
CheckedTransfer put(const FollowedCall& call, Where... where) {
  return transfer(call, {Move::put}, where...);
}

template <class... Where>
CheckedTransfer get(const FollowedCall& call, Where... where) {
  return transfer(call, {Move::get}, where...);
}

template <class... Where>
CheckedTransfer acc(const FollowedCall& call, int type, const void* /*scale*/, Where... where) {
  return transfer(call, accumulate(type), where...);
}

template <class... Where>
CheckedTransfer acc_op(const FollowedCall& call, int /*op*/, int type, Where... where) {
  return transfer(call, accumulate(type), where...);
}

}  // namespace
}  // namespace comex::checker

using namespace comex::checker;

// The contiguous, the strided and the vector form of a call, each with the one that starts the same
// operation. They take the parameters `own` first, whose names are `passed`.
#define COMEX_FIRST(...) __VA_ARGS__ __VA_OPT__(, )
#define COMEX_FORMS_OF(verb, suffix, operation, Memory, Stride, Count, Vectors, own, passed)                 \
  COMEX_FOLLOWED_PAIR(comex_##verb##suffix, comex_nb##verb##suffix, operation,                               \
                      (COMEX_FIRST own Memory * src, void* dst, Count bytes, int proc, comex_group_t group), \
                      COMEX_FIRST passed src, dst, bytes, proc, group)                                       \
  COMEX_FOLLOWED_PAIR(comex_##verb##s##suffix, comex_nb##verb##s##suffix, operation,                         \
                      (COMEX_FIRST own Memory * src, Stride * src_stride, void* dst, Stride* dst_stride,     \
                       Count* count, int stride_levels, int proc, comex_group_t group),                      \
                      COMEX_FIRST passed src, src_stride, dst, dst_stride, count, stride_levels, proc,       \
                      group)                                                                                 \
  COMEX_FOLLOWED_PAIR(comex_##verb##v##suffix, comex_nb##verb##v##suffix, operation,                         \
                      (COMEX_FIRST own Vectors * darr, Count len, int proc, comex_group_t group),            \
                      COMEX_FIRST passed darr, len, proc, group)

#define COMEX_FORMS(verb, own, passed) COMEX_FORMS_OF(verb, , verb, void, int, int, comex_giov_t, own, passed)
#define COMEX_FORMS_X(verb, suffix, operation, own, passed)                                                \
  COMEX_FORMS_OF(verb, suffix, operation, const void, const ptrdiff_t, const size_t, const comex_giov_x_t, \
                 own, passed)

COMEX_FORMS(put, (), ())
COMEX_FORMS(get, (), ())
COMEX_FORMS(acc, (int op, void* scale), (op, scale))
COMEX_FORMS_X(put, _x, put, (), ())
COMEX_FORMS_X(get, _x, get, (), ())
COMEX_FORMS_X(acc, _x, acc, (int type, const void* scale), (type, scale))
COMEX_FORMS_X(acc, _op, acc_op, (int op, int type), (op, type))
