// Read-modify-write of one word of any rank. Included by comex.hpp.
//
// Each operation is atomic among those of all workers on the same word, takes effect after the caller's
// earlier writes to that rank, and gives the value from before. The word is aligned. The async_ forms give it
// by a future.
#pragma once

#include <comex/cpp/concepts.hpp>
#include <comex/cpp/future.hpp>
#include <comex/cpp/pointer.hpp>

#include <climits>
#include <type_traits>

namespace comex {

namespace detail {

// The code of the operation for the width of T: the codes of ints and longs come in pairs.
template <atomic_word T>
inline constexpr int code_of(int code_of_int) noexcept {
  return std::is_same_v<T, long> ? code_of_int + 1 : code_of_int;
}
static_assert(code_of<long>(COMEX_SWAP) == COMEX_SWAP_LONG);
static_assert(code_of<long>(COMEX_FETCH_AND_ADD) == COMEX_FETCH_AND_ADD_LONG);
static_assert(code_of<long>(COMEX_COMPARE_AND_SWAP) == COMEX_COMPARE_AND_SWAP_LONG);
static_assert(code_of<long>(COMEX_FETCH_AND_AND) == COMEX_FETCH_AND_AND_LONG);
static_assert(code_of<long>(COMEX_FETCH_AND_OR) == COMEX_FETCH_AND_OR_LONG);
static_assert(code_of<long>(COMEX_FETCH_AND_XOR) == COMEX_FETCH_AND_XOR_LONG);

template <class T>
inline void rmw(int code, void* near, const global_ptr<T>& word, int operand) {
  check(comex_rmw(code_of<T>(code), near, word.address(), operand, word.rank(), word.group()),
        {"rmw", word.rank(), word.group(), sizeof(T)});
}
template <class T>
inline requests begin_rmw(int code, void* near, const global_ptr<T>& word, int operand) {
  requests started({"nbrmw", word.rank(), word.group(), sizeof(T)});
  started.begin([&](comex_request_t* request) {
    return comex_nbrmw(code_of<T>(code), near, word.address(), operand, word.rank(), word.group(), request);
  });
  return started;
}

template <class T>
inline bool is_int(T operand) noexcept {
  return operand >= INT_MIN && operand <= INT_MAX;
}
template <class T>
inline T combine(int code, T old, T operand) noexcept {
  using bits = std::make_unsigned_t<T>;
  const auto a = static_cast<bits>(old);
  const auto b = static_cast<bits>(operand);
  if (code == COMEX_FETCH_AND_ADD) return static_cast<T>(a + b);
  if (code == COMEX_FETCH_AND_AND) return static_cast<T>(a & b);
  return static_cast<T>(code == COMEX_FETCH_AND_OR ? a | b : a ^ b);
}
// For operands that the C call, which takes an int, cannot have: compare-and-swap until it succeeds.
template <class T>
[[gnu::noinline]] T fetch_by_swaps(int code, const global_ptr<T>& word, T operand) {
  T expected = 0;
  for (;;) {
    T words[] = {expected, combine(code, expected, operand)};
    rmw(COMEX_COMPARE_AND_SWAP, words, word, 0);
    if (words[0] == expected) return expected;
    expected = words[0];
  }
}

template <class T>
inline T fetch_and(int code, const global_ptr<T>& word, T operand) {
  if (!is_int(operand)) [[unlikely]]
    return fetch_by_swaps(code, word, operand);
  T old;
  rmw(code, &old, word, static_cast<int>(operand));
  return old;
}
template <class T>
inline future<T> async_fetch_and(int code, const global_ptr<T>& word, T operand) {
  if (!is_int(operand)) [[unlikely]]
    return future<T>(fetch_by_swaps(code, word, operand));
  return future<T>([&](void* near) { return begin_rmw(code, near, word, static_cast<int>(operand)); });
}

}  // namespace detail

// Operands of a long that no int holds take several messages, and the async_ form waits for them.
template <atomic_word T>
inline T fetch_add(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_and(COMEX_FETCH_AND_ADD, word, operand);
}
template <atomic_word T>
inline T fetch_and(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_and(COMEX_FETCH_AND_AND, word, operand);
}
template <atomic_word T>
inline T fetch_or(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_and(COMEX_FETCH_AND_OR, word, operand);
}
template <atomic_word T>
inline T fetch_xor(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_and(COMEX_FETCH_AND_XOR, word, operand);
}
template <atomic_word T>
inline future<T> async_fetch_add(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_and(COMEX_FETCH_AND_ADD, word, operand);
}
template <atomic_word T>
inline future<T> async_fetch_and(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_and(COMEX_FETCH_AND_AND, word, operand);
}
template <atomic_word T>
inline future<T> async_fetch_or(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_and(COMEX_FETCH_AND_OR, word, operand);
}
template <atomic_word T>
inline future<T> async_fetch_xor(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_and(COMEX_FETCH_AND_XOR, word, operand);
}

template <atomic_word T>
inline T swap(global_ptr<T> word, std::type_identity_t<T> desired) {
  detail::rmw(COMEX_SWAP, &desired, word, 0);
  return desired;
}
template <atomic_word T>
inline future<T> async_swap(global_ptr<T> word, std::type_identity_t<T> desired) {
  return future<T>([&](void* near) {
    *static_cast<T*>(near) = desired;
    return detail::begin_rmw(COMEX_SWAP, near, word, 0);
  });
}

// Stores `desired` if the word is `expected`: exactly if that is what it gives.
template <atomic_word T>
inline T compare_swap(global_ptr<T> word, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  T words[] = {expected, desired};
  detail::rmw(COMEX_COMPARE_AND_SWAP, words, word, 0);
  return words[0];
}
template <atomic_word T>
inline future<T> async_compare_swap(global_ptr<T> word, std::type_identity_t<T> expected,
                                    std::type_identity_t<T> desired) {
  return future<T>([&](void* near) {
    static_cast<T*>(near)[0] = expected;
    static_cast<T*>(near)[1] = desired;
    return detail::begin_rmw(COMEX_COMPARE_AND_SWAP, near, word, 0);
  });
}

}  // namespace comex
