#include "pr/rmw.h"

#include <atomic>

namespace comex::pr {
namespace {

using protocol::Atomic;

// The arena's bytes are words of either size at the user's choice.
template <class T>
std::atomic_ref<T> word_at(std::byte* address) {
  return std::atomic_ref<T>(*reinterpret_cast<T*>(address));
}

template <class T>
T apply(Atomic atomic, std::atomic_ref<T> word, T operand, T desired) {
  switch (atomic) {
    case Atomic::swap:
      return word.exchange(operand);
    case Atomic::fetch_add:
      return word.fetch_add(operand);
    case Atomic::compare_swap:
      word.compare_exchange_strong(operand, desired);  // the old value, changed or not
      return operand;
    case Atomic::fetch_and:
      return word.fetch_and(operand);
    case Atomic::fetch_or:
      return word.fetch_or(operand);
    case Atomic::fetch_xor:
      return word.fetch_xor(operand);
  }
  return 0;
}

}  // namespace

std::uint64_t apply_atomic(const WordChange& change, std::byte* word) {
  if (change.bytes == 8) {
    return apply(change.atomic, word_at<std::uint64_t>(word), change.operand, change.desired);
  }
  return apply(change.atomic, word_at<std::uint32_t>(word), static_cast<std::uint32_t>(change.operand),
               static_cast<std::uint32_t>(change.desired));
}

void apply_store(const protocol::RequestHeader& header, std::byte* word) {
  if (header.bytes == 8) {
    word_at<std::uint64_t>(word).store(header.operand, std::memory_order_release);
  } else {
    word_at<std::uint32_t>(word).store(static_cast<std::uint32_t>(header.operand), std::memory_order_release);
  }
}

}  // namespace comex::pr
