// Large copies with vector loops of the runtime's own. From 2 KiB on, the C library uses rep movsb, which on
// current processors is two to three times slower if the destination lies a few bytes behind the source
// within its page, as in a get from the start of an allocation to memory of malloc. Non-temporal stores pay
// only for data that is not read soon.
#include <algorithm>

#include "kernels/copy.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace comex::kernels {
namespace {

// Both sides may be the caller's own memory, and a program may move data by a few bytes.
bool overlap(const void* to, const void* from, std::uint64_t bytes) {
  const auto there = reinterpret_cast<std::uintptr_t>(to);
  const auto here = reinterpret_cast<std::uintptr_t>(from);
  return there - here < bytes || here - there < bytes;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)

// Sanitizers check memcpy, but not hand-written vector code.
void copy_apart(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  std::memcpy(to, from, bytes);
}

#else

// Stores are aligned. The first and the last ones may overlap their neighbours.
[[gnu::target("avx2")]] inline void copy_four(std::byte* to, const std::byte* from) {
  __m256i part[4];
  for (int i = 0; i < 4; ++i) part[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from) + i);
  for (int i = 0; i < 4; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to) + i, part[i]);
}

[[gnu::target("avx2")]] void copy_avx2(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  constexpr std::uint64_t step = 4 * sizeof(__m256i);
  const std::uint64_t head = sizeof(__m256i) - reinterpret_cast<std::uintptr_t>(to) % sizeof(__m256i);
  copy_four(to, from);
  std::uint64_t at = head;
  for (; at < bytes - step; at += step) copy_four(to + at, from + at);
  copy_four(to + bytes - step, from + bytes - step);
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
  _mm_sfence();  // later stores (a flag, an unlock) must not be seen before the data
  std::memcpy(to, from, bytes);
}

void copy_apart(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (bytes >= streamed_copy_bytes) return copy_streamed(to, from, bytes);
  if (has_avx2) return copy_avx2(to, from, bytes);
  std::memcpy(to, from, bytes);
}

#endif

}  // namespace

void copy_big(void* to, const void* from, std::uint64_t bytes) {
  if (overlap(to, from, bytes)) {
    std::memmove(to, from, bytes);
  } else {
    copy_apart(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
  }
}

}  // namespace comex::kernels
