// Read-modify-write of one naturally aligned word, with the same native atomics for workers and servers.
//
// The caller has checked bounds and alignment. Every form is sequentially consistent and returns the old
// value; an int32 is widened with its sign.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/protocol.h"
#include "core/scalar.h"

namespace comex::kernels {

// `value`: addend, mask, new value, or what compare_swap expects. `desired`: for compare_swap.
template <class T>
T modify(std::byte* word, protocol::Atomic atomic, T value, T desired) {
  const std::atomic_ref<T> target(*reinterpret_cast<T*>(word));
  if (atomic == protocol::Atomic::fetch_add) return target.fetch_add(value);  // the most frequent one
  switch (atomic) {
    case protocol::Atomic::swap:
      return target.exchange(value);
    case protocol::Atomic::fetch_add:
      return target.fetch_add(value);
    case protocol::Atomic::fetch_and:
      return target.fetch_and(value);
    case protocol::Atomic::fetch_or:
      return target.fetch_or(value);
    case protocol::Atomic::fetch_xor:
      return target.fetch_xor(value);
    case protocol::Atomic::compare_swap: {
      T expected = value;
      target.compare_exchange_strong(expected, desired);
      return expected;
    }
  }
  return 0;
}

// The same for a word of either kind, with values that are wide enough for both.
inline std::int64_t modify(std::byte* word, Scalar scalar, protocol::Atomic atomic, std::int64_t operand,
                           std::int64_t desired) {
  return scalar == Scalar::int32
             ? modify(word, atomic, static_cast<std::int32_t>(operand), static_cast<std::int32_t>(desired))
             : modify(word, atomic, operand, desired);
}

// A store of 4 or 8 bytes that publishes everything stored before it.
inline void store_release(std::byte* word, std::uint64_t value, unsigned bytes) {
  if (bytes == 4) {
    std::atomic_ref(*reinterpret_cast<std::uint32_t*>(word))
        .store(static_cast<std::uint32_t>(value), std::memory_order_release);
  } else {
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(word)).store(value, std::memory_order_release);
  }
}

}  // namespace comex::kernels
