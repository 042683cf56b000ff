// The least that memory operations of one host can cost: plain loops, atomics, and sleeping on a futex.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>

namespace bench::floors {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define BENCH_FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define BENCH_FOR_EACH_CPU
#endif

BENCH_FOR_EACH_CPU inline void daxpy(double scale, const double* from, double* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += scale * from[i];
}

// A word is one store or one load; everything else is memcpy.
inline void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, bytes);
  }
}

inline void add(double scale, const double* from, double* to, std::size_t bytes) {
  if (bytes == 8) {
    *to += scale * *from;
  } else {
    daxpy(scale, from, to, bytes / 8);
  }
}

using Word = std::atomic_ref<int>;

inline void sleep_on(int* word, int while_value) {
  syscall(SYS_futex, word, FUTEX_WAIT, while_value, nullptr, nullptr, 0);
}
inline void wake_one(int* word) {
  syscall(SYS_futex, word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// 0 free, 1 held, 2 held and somebody may sleep.
inline void lock(int* word) {
  int seen = 0;
  if (Word(*word).compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
  while (Word(*word).exchange(2, std::memory_order_acquire) != 0) sleep_on(word, 2);
}
inline void unlock(int* word) {
  if (Word(*word).exchange(0, std::memory_order_release) == 2) wake_one(word);
}

}  // namespace bench::floors
