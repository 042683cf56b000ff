// rmw, atomic, signals and waits for words, as this library shows them to the program.
#include <comex.h>

#include <algorithm>

#include "checked/follow.h"

namespace comex::checker {
namespace {

bool is_long(int rmw) {
  return (rmw - COMEX_SWAP) % 2 != 0;
}

CheckedWord rmw(const FollowedCall& call, int op, void* ploc, void* prem, int /*extra*/, int proc,
                comex_group_t group) {
  return {.call = call,
          .proc = proc,
          .group = group,
          .word = prem,
          .bytes = is_long(op) ? 8U : 4U,
          .result = ploc,
          .is_flag = op == COMEX_SWAP || op == COMEX_SWAP_LONG};
}

CheckedWord atomic(const FollowedCall& call, int op, int type, void* fetched, const void* /*operand*/,
                   const void* /*compare*/, void* target, int proc, comex_group_t group) {
  const bool is_narrow = type == COMEX_TYPE_INT32 || type == COMEX_TYPE_UINT32 || type == COMEX_TYPE_FLOAT;
  return {.call = call,
          .proc = proc,
          .group = group,
          .word = target,
          .bytes = is_narrow ? 4U : 8U,
          .use = op == COMEX_ATOMIC_FETCH ? Use::word_read : Use::atomic,
          .result = fetched,
          .is_flag = op == COMEX_ATOMIC_SWAP || op == COMEX_ATOMIC_SET};
}

template <Use use>
CheckedWord signal(const FollowedCall& call, const void* src, const void* dst, std::size_t bytes,
                   const long* word, long value, int proc, comex_group_t group) {
  CheckedWord change{.call = call, .proc = proc, .group = group, .word = word, .use = use};
  if (use == Use::signal) change.value = value;
  change.is_signal = true;
  if (bytes != 0) change.data = {TransferPart{src, dst, contiguous_patch(bytes)}};
  return change;
}

// The word has been seen if the call succeeded.
int saw(int code, const long* words, std::size_t count) {
  return after(code, [&](Checker& check) { check.saw_words(words, count); });
}

}  // namespace
}  // namespace comex::checker

using namespace comex::checker;

COMEX_FOLLOWED_PAIR(comex_rmw, comex_nbrmw, rmw,
                    (int op, void* ploc, void* prem, int extra, int proc, comex_group_t group), op, ploc,
                    prem, extra, proc, group)
COMEX_FOLLOWED_PAIR(comex_atomic, comex_nbatomic, atomic,
                    (int op, int type, void* fetched, const void* operand, const void* compare, void* target,
                     int proc, comex_group_t group),
                    op, type, fetched, operand, compare, target, proc, group)

int comex_put_signal(void* src, void* dst, int bytes, long* word, long value, int proc, comex_group_t group) {
  return follow<&comex_put_signal>(
      signal<Use::signal>(COMEX_CALL, src, dst, static_cast<std::size_t>(std::max(bytes, 0)), word, value,
                          proc, group),
      src, dst, bytes, word, value, proc, group);
}

COMEX_FOLLOWED_PAIR(comex_put_signal_x, comex_nbput_signal, signal<Use::signal>,
                    (const void* src, void* dst, size_t bytes, long* word, long value, int proc,
                     comex_group_t group),
                    src, dst, bytes, word, value, proc, group)
COMEX_FOLLOWED_PAIR(comex_put_signal_add, comex_nbput_signal_add, signal<Use::atomic>,
                    (const void* src, void* dst, size_t bytes, long* word, long value, int proc,
                     comex_group_t group),
                    src, dst, bytes, word, value, proc, group)

int comex_wait_until(long* word, int compare, long value) {
  return saw(next<&comex_wait_until>(__func__)(word, compare, value), word, 1);
}

int comex_wait_until_all(long* words, size_t count, const int* skip, int compare, long value) {
  const int code = next<&comex_wait_until_all>(__func__)(words, count, skip, compare, value);
  for (std::size_t i = 0; i < count; ++i)
    if (skip == nullptr || skip[i] == 0) saw(code, words + i, 1);
  return code;
}

int comex_wait_until_any(long* words, size_t count, const int* skip, int compare, long value, size_t* index) {
  const int code = next<&comex_wait_until_any>(__func__)(words, count, skip, compare, value, index);
  return code == COMEX_SUCCESS && *index < count ? saw(code, words + *index, 1) : code;
}

int comex_wait_until_some(long* words, size_t count, const int* skip, int compare, long value,
                          size_t* indices, size_t* found) {
  const int code = next<&comex_wait_until_some>(__func__)(words, count, skip, compare, value, indices, found);
  for (std::size_t i = 0; code == COMEX_SUCCESS && i < *found; ++i) saw(code, words + indices[i], 1);
  return code;
}
