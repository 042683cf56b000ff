// Atomic operations on one word of any rank. Included by comex.hpp.
//
// Each is atomic among those of all workers on the same word and takes effect after the caller's earlier
// writes to that rank; comex/extended.h says what becomes of NaNs and zeros. The word is aligned. The fetch_
// forms give the value from before, the atomic_ forms fetch nothing. The async_ forms give it by a future.
#pragma once

#include <comex/cpp/concepts.hpp>
#include <comex/cpp/future.hpp>
#include <comex/cpp/pointer.hpp>

#include <memory>
#include <type_traits>

namespace comex {

namespace detail {

template <atomic_word T>
inline void change(int op, void* fetched, const global_ptr<T>& word, const T* operand,
                   const T* expected = nullptr) {
  check(comex_atomic(op, word_type<T>, fetched, operand, expected, word.address(), word.rank(), word.group()),
        {"atomic", word.rank(), word.group(), sizeof(T)});
}
template <atomic_word T>
inline requests begin_change(int op, void* fetched, const global_ptr<T>& word, const T* operand,
                             const T* expected = nullptr) {
  requests started({"nbatomic", word.rank(), word.group(), sizeof(T)});
  started.begin([&](comex_request_t* request) {
    return comex_nbatomic(op, word_type<T>, fetched, operand, expected, word.address(), word.rank(),
                          word.group(), request);
  });
  return started;
}

template <atomic_word T>
inline T fetch_changed(int op, const global_ptr<T>& word, T operand) {
  T old{};
  change(op, std::addressof(old), word, std::addressof(operand));
  return old;
}
template <atomic_word T>
inline future<T> async_fetch_changed(int op, const global_ptr<T>& word, T operand) {
  return future<T>([&](void* near) { return begin_change(op, near, word, std::addressof(operand)); });
}
template <atomic_word T>
inline future<> async_changed(int op, const global_ptr<T>& word, T operand) {
  return future<>([&] { return begin_change<T>(op, nullptr, word, std::addressof(operand)); });
}

}  // namespace detail

template <atomic_word T>
inline T fetch_add(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_changed(COMEX_ATOMIC_ADD, word, operand);
}
template <atomic_word T>
inline void atomic_add(global_ptr<T> word, std::type_identity_t<T> operand) {
  detail::change<T>(COMEX_ATOMIC_ADD, nullptr, word, std::addressof(operand));
}
template <atomic_word T>
inline future<T> async_fetch_add(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_changed(COMEX_ATOMIC_ADD, word, operand);
}
template <atomic_word T>
inline future<> async_atomic_add(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_changed(COMEX_ATOMIC_ADD, word, operand);
}

template <atomic_word T>
inline T fetch_min(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_changed(COMEX_ATOMIC_MIN, word, operand);
}
template <atomic_word T>
inline void atomic_min(global_ptr<T> word, std::type_identity_t<T> operand) {
  detail::change<T>(COMEX_ATOMIC_MIN, nullptr, word, std::addressof(operand));
}
template <atomic_word T>
inline future<T> async_fetch_min(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_changed(COMEX_ATOMIC_MIN, word, operand);
}
template <atomic_word T>
inline future<> async_atomic_min(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_changed(COMEX_ATOMIC_MIN, word, operand);
}

template <atomic_word T>
inline T fetch_max(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_changed(COMEX_ATOMIC_MAX, word, operand);
}
template <atomic_word T>
inline void atomic_max(global_ptr<T> word, std::type_identity_t<T> operand) {
  detail::change<T>(COMEX_ATOMIC_MAX, nullptr, word, std::addressof(operand));
}
template <atomic_word T>
inline future<T> async_fetch_max(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_changed(COMEX_ATOMIC_MAX, word, operand);
}
template <atomic_word T>
inline future<> async_atomic_max(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_changed(COMEX_ATOMIC_MAX, word, operand);
}

template <atomic_integer T>
inline T fetch_and(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_changed(COMEX_ATOMIC_AND, word, operand);
}
template <atomic_integer T>
inline void atomic_and(global_ptr<T> word, std::type_identity_t<T> operand) {
  detail::change<T>(COMEX_ATOMIC_AND, nullptr, word, std::addressof(operand));
}
template <atomic_integer T>
inline future<T> async_fetch_and(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_changed(COMEX_ATOMIC_AND, word, operand);
}
template <atomic_integer T>
inline future<> async_atomic_and(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_changed(COMEX_ATOMIC_AND, word, operand);
}

template <atomic_integer T>
inline T fetch_or(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_changed(COMEX_ATOMIC_OR, word, operand);
}
template <atomic_integer T>
inline void atomic_or(global_ptr<T> word, std::type_identity_t<T> operand) {
  detail::change<T>(COMEX_ATOMIC_OR, nullptr, word, std::addressof(operand));
}
template <atomic_integer T>
inline future<T> async_fetch_or(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_changed(COMEX_ATOMIC_OR, word, operand);
}
template <atomic_integer T>
inline future<> async_atomic_or(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_changed(COMEX_ATOMIC_OR, word, operand);
}

template <atomic_integer T>
inline T fetch_xor(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::fetch_changed(COMEX_ATOMIC_XOR, word, operand);
}
template <atomic_integer T>
inline void atomic_xor(global_ptr<T> word, std::type_identity_t<T> operand) {
  detail::change<T>(COMEX_ATOMIC_XOR, nullptr, word, std::addressof(operand));
}
template <atomic_integer T>
inline future<T> async_fetch_xor(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_fetch_changed(COMEX_ATOMIC_XOR, word, operand);
}
template <atomic_integer T>
inline future<> async_atomic_xor(global_ptr<T> word, std::type_identity_t<T> operand) {
  return detail::async_changed(COMEX_ATOMIC_XOR, word, operand);
}

// The value, no part of it older than another.
template <atomic_word T>
[[nodiscard]] inline T atomic_get(global_ptr<T> word) {
  return detail::fetch_changed(COMEX_ATOMIC_FETCH, word, T{});
}
template <atomic_word T>
inline future<T> async_atomic_get(global_ptr<T> word) {
  return detail::async_fetch_changed(COMEX_ATOMIC_FETCH, word, T{});
}
template <atomic_word T>
inline void atomic_set(global_ptr<T> word, std::type_identity_t<T> value) {
  detail::change<T>(COMEX_ATOMIC_SET, nullptr, word, std::addressof(value));
}
template <atomic_word T>
inline future<> async_atomic_set(global_ptr<T> word, std::type_identity_t<T> value) {
  return detail::async_changed(COMEX_ATOMIC_SET, word, value);
}

template <atomic_word T>
inline T swap(global_ptr<T> word, std::type_identity_t<T> desired) {
  return detail::fetch_changed(COMEX_ATOMIC_SWAP, word, desired);
}
template <atomic_word T>
inline future<T> async_swap(global_ptr<T> word, std::type_identity_t<T> desired) {
  return detail::async_fetch_changed(COMEX_ATOMIC_SWAP, word, desired);
}

// Stores `desired` if the word has the bits of `expected`: exactly if that is what it gives.
template <atomic_word T>
inline T compare_swap(global_ptr<T> word, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  if constexpr (atomic_integer<T>) {  // rmw has less to look at
    T words[] = {expected, desired};
    detail::check(comex_rmw(sizeof(T) == 8 ? COMEX_COMPARE_AND_SWAP_LONG : COMEX_COMPARE_AND_SWAP, words,
                            word.address(), 0, word.rank(), word.group()),
                  {"rmw", word.rank(), word.group(), sizeof(T)});
    return words[0];
  } else {
    T old{};
    detail::change<T>(COMEX_ATOMIC_COMPARE_AND_SWAP, std::addressof(old), word, std::addressof(desired),
                      std::addressof(expected));
    return old;
  }
}
template <atomic_word T>
inline future<T> async_compare_swap(global_ptr<T> word, std::type_identity_t<T> expected,
                                    std::type_identity_t<T> desired) {
  return future<T>([&](void* near) {
    return detail::begin_change<T>(COMEX_ATOMIC_COMPARE_AND_SWAP, near, word, std::addressof(desired),
                                   std::addressof(expected));
  });
}

}  // namespace comex
