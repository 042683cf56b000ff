// Atomic operations on one naturally aligned word, with the same native atomics for workers and servers.
//
// Operands and results are bits of 8 bytes, of which a word of 4 bytes uses the low half; its old value is
// zero-extended. Every form works on the integer of the word's width, reals too, so that all are atomic
// together, and is sequentially consistent. The caller has checked bounds and alignment.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/protocol.h"
#include "kernels/extremes.h"

namespace comex::kernels {

// Where a failed compare_swap stores nothing, earlier writes of the caller may take effect after it.
#if defined(__x86_64__)
inline constexpr bool failures_need_fence = false;
#else
inline constexpr bool failures_need_fence = true;
#endif

struct WordChange {
  protocol::Atomic atomic = protocol::Atomic::swap;
  std::uint64_t bytes = 8;    // or 4
  std::uint64_t operand = 0;  // addend, mask, new value, bound, or what compare_swap expects
  std::uint64_t desired = 0;  // compare_swap only
};

// Changes the word by swaps, also where the value stays: it is a full barrier as the others are.
template <class Value, class Word, class Combine>
Word replace_by(const std::atomic_ref<Word>& target, Word operand, Combine combine) {
  Word old = target.load(std::memory_order_relaxed);
  const auto next = [&] {
    return std::bit_cast<Word>(combine(std::bit_cast<Value>(old), std::bit_cast<Value>(operand)));
  };
  while (!target.compare_exchange_weak(old, next())) {
  }
  return old;
}

template <class Word>
[[gnu::noinline]] Word modify_seldom(const std::atomic_ref<Word>& target, protocol::Atomic atomic,
                                     Word operand) {
  using Signed = std::make_signed_t<Word>;
  using Real = std::conditional_t<sizeof(Word) == 8, double, float>;
  switch (atomic) {
    case protocol::Atomic::fetch_least:
      return replace_by<Signed>(target, operand, lesser<Signed>);
    case protocol::Atomic::fetch_most:
      return replace_by<Signed>(target, operand, greater<Signed>);
    case protocol::Atomic::fetch_least_unsigned:
      return replace_by<Word>(target, operand, lesser<Word>);
    case protocol::Atomic::fetch_most_unsigned:
      return replace_by<Word>(target, operand, greater<Word>);
    case protocol::Atomic::fetch_least_real:
      return replace_by<Real>(target, operand, lesser<Real>);
    case protocol::Atomic::fetch_most_real:
      return replace_by<Real>(target, operand, greater<Real>);
    case protocol::Atomic::fetch_add_real:
      return replace_by<Real>(target, operand, [](Real old, Real value) { return old + value; });
    default:  // fetch; earlier stores of the caller take effect before it
      std::atomic_thread_fence(std::memory_order_seq_cst);
      return target.load();
  }
}

template <class Word>
[[gnu::always_inline]] inline std::uint64_t modify(const WordChange& change, std::byte* word) {
  const std::atomic_ref<Word> target(*reinterpret_cast<Word*>(word));
  const auto operand = static_cast<Word>(change.operand);
  if (change.atomic == protocol::Atomic::fetch_add)
    return target.fetch_add(operand);  // the most frequent one
  switch (change.atomic) {
    case protocol::Atomic::swap:
      return target.exchange(operand);
    case protocol::Atomic::fetch_and:
      return target.fetch_and(operand);
    case protocol::Atomic::fetch_or:
      return target.fetch_or(operand);
    case protocol::Atomic::fetch_xor:
      return target.fetch_xor(operand);
    case protocol::Atomic::compare_swap: {
      const auto desired = static_cast<Word>(change.desired);
      Word expected = operand;
      if (target.compare_exchange_strong(expected, desired) || !failures_need_fence) return expected;
      std::atomic_thread_fence(std::memory_order_seq_cst);
      expected = operand;
      target.compare_exchange_strong(expected, desired);
      return expected;
    }
    default:
      return modify_seldom(target, change.atomic, operand);
  }
}

inline std::uint64_t modify(const WordChange& change, std::byte* word) {
  return change.bytes == 8 ? modify<std::uint64_t>(change, word) : modify<std::uint32_t>(change, word);
}

// Stores to a word of 8 bytes, or adds to it, which publishes everything stored before.
inline void publish(std::uint64_t value, bool adds, std::byte* word) {
  const std::atomic_ref target(*reinterpret_cast<std::uint64_t*>(word));
  if (adds) {
    target.fetch_add(value, std::memory_order_acq_rel);
  } else {
    target.store(value, std::memory_order_release);
  }
}

}  // namespace comex::kernels
