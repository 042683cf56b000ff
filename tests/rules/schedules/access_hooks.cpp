// What the compiler calls for the thread sanitizer, in place of it: each access to shared memory is told to
// the scheduler, and atomic ones are carried out here, one after another.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rules/schedules/scheduler.h"

namespace {

using comex::rules::most_shared_bytes;
using comex::rules::scheduler;

inline void tell(const volatile void* address, std::size_t bytes, bool writes) {
  static const auto first = reinterpret_cast<std::uintptr_t>(comex::rules::shared_memory());
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - first;
  if (offset < most_shared_bytes && scheduler().is_running())
    scheduler().before_access(offset, bytes, writes);
}

}  // namespace

// gcc and clang agree on these names; their declarations are the compiler's own.
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC diagnostic ignored "-Wpedantic"

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* at, std::size_t bytes) {
  tell(at, bytes, false);
}
void __tsan_write_range(void* at, std::size_t bytes) {
  tell(at, bytes, true);
}

#define COMEX_PLAIN(bytes)                       \
  void __tsan_read##bytes(void* at) {            \
    tell(at, bytes, false);                      \
  }                                              \
  void __tsan_write##bytes(void* at) {           \
    tell(at, bytes, true);                       \
  }                                              \
  void __tsan_unaligned_read##bytes(void* at) {  \
    tell(at, bytes, false);                      \
  }                                              \
  void __tsan_unaligned_write##bytes(void* at) { \
    tell(at, bytes, true);                       \
  }
COMEX_PLAIN(1)
COMEX_PLAIN(2)
COMEX_PLAIN(4)
COMEX_PLAIN(8)
COMEX_PLAIN(16)
#undef COMEX_PLAIN

#define COMEX_FETCH(bits, type, name, builtin)                                  \
  type __tsan_atomic##bits##_fetch_##name(volatile type* at, type value, int) { \
    tell(at, sizeof(type), true);                                               \
    return builtin(at, value, __ATOMIC_SEQ_CST);                                \
  }
#define COMEX_ATOMIC(bits, type)                                                                             \
  type __tsan_atomic##bits##_load(const volatile type* at, int) {                                            \
    tell(at, sizeof(type), false);                                                                           \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                            \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(volatile type* at, type value, int) {                                     \
    tell(at, sizeof(type), true);                                                                            \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                           \
  }                                                                                                          \
  type __tsan_atomic##bits##_exchange(volatile type* at, type value, int) {                                  \
    tell(at, sizeof(type), true);                                                                            \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                                          \
  COMEX_FETCH(bits, type, add, __atomic_fetch_add)                                                           \
  COMEX_FETCH(bits, type, sub, __atomic_fetch_sub)                                                           \
  COMEX_FETCH(bits, type, and, __atomic_fetch_and)                                                           \
  COMEX_FETCH(bits, type, or, __atomic_fetch_or)                                                             \
  COMEX_FETCH(bits, type, xor, __atomic_fetch_xor)                                                           \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* at, type* expected, type value, int,      \
                                                    int) {                                                   \
    tell(at, sizeof(type), true);                                                                            \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
  }                                                                                                          \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* at, type* expected, type value, int, int) { \
    tell(at, sizeof(type), true);                                                                            \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
  }                                                                                                          \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* at, type expected, type value, int, int) {  \
    tell(at, sizeof(type), true);                                                                            \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
    return expected;                                                                                         \
  }
COMEX_ATOMIC(8, std::uint8_t)
COMEX_ATOMIC(16, std::uint16_t)
COMEX_ATOMIC(32, std::uint32_t)
COMEX_ATOMIC(64, std::uint64_t)
#undef COMEX_ATOMIC
#undef COMEX_FETCH

void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

// The linker brings calls of these here (--wrap), since their accesses are the C library's.
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __real_memmove(void* to, const void* from, std::size_t bytes);
void* __real_memset(void* to, int value, std::size_t bytes);
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  tell(from, bytes, false);
  tell(to, bytes, true);
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  tell(from, bytes, false);
  tell(to, bytes, true);
  return __real_memmove(to, from, bytes);
}
void* __wrap_memset(void* to, int value, std::size_t bytes) {
  tell(to, bytes, true);
  return __real_memset(to, value, bytes);
}
}
