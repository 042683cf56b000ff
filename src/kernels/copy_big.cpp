// Large copies. What another core reads next is faster after rep movsb than after vector stores;
// non-temporal stores pay only for what nobody reads soon.
#include <algorithm>

#include "kernels/copy.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)

namespace comex::kernels {

// Sanitizers see memcpy, but not instructions written by hand.
void copy_big(void* to, const void* from, std::uint64_t bytes) {
  std::memcpy(to, from, bytes);
}

}  // namespace comex::kernels

#else

#include <immintrin.h>

namespace comex::kernels {
namespace {

void copy_string(void* to, const void* from, std::uint64_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void copy_streamed(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  const std::uint64_t head = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) & 63U);
  std::memcpy(to, from, head);
  to += head;
  from += head;
  bytes -= head;
  for (; bytes >= 64; bytes -= 64, to += 64, from += 64) {
    __m128i line[4];
    std::memcpy(line, from, sizeof line);
    auto* target = reinterpret_cast<__m128i*>(to);
    _mm_stream_si128(target, line[0]);
    _mm_stream_si128(target + 1, line[1]);
    _mm_stream_si128(target + 2, line[2]);
    _mm_stream_si128(target + 3, line[3]);
  }
  _mm_sfence();  // what follows, a flag or an unlock say, must not be seen before the data
  std::memcpy(to, from, bytes);
}

}  // namespace

void copy_big(void* to, const void* from, std::uint64_t bytes) {
  if (bytes < streamed_copy_bytes) return copy_string(to, from, bytes);
  copy_streamed(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
}

}  // namespace comex::kernels

#endif
