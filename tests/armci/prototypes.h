/* After a flavour's headers: the prototypes and types that both have, and the means to name every function.
 */
#ifndef TESTS_ARMCI_PROTOTYPES_H_
#define TESTS_ARMCI_PROTOTYPES_H_

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
#define HOLDS(condition) static_assert(condition, #condition)
#define LINKAGE_BEGIN extern "C" {
#define LINKAGE_END }
#else
#define HOLDS_JOIN_(a, b) a##b
#define HOLDS_JOIN(a, b) HOLDS_JOIN_(a, b)
#define HOLDS(condition) extern const char HOLDS_JOIN(holds_, __LINE__)[(condition) ? 1 : -1]
#define LINKAGE_BEGIN
#define LINKAGE_END
#endif

/* TargetName a function through a pointer makes the linker look for it. */
typedef void (*any_function)(void);
#define USE(name) (any_function) & name,

HOLDS(sizeof(armci_size_t) == sizeof(long) && sizeof(armci_domain_t) == sizeof(int));
HOLDS(ARMCI_DOMAIN_SMP == 0);
HOLDS(offsetof(armci_giov_t, src_ptr_array) == 0 && offsetof(armci_giov_t, dst_ptr_array) == 8);
HOLDS(sizeof(armci_giov_t) == 24);

static int count_found(const any_function* functions, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; ++i) found += functions[i] != NULL;
  printf("%d of %d functions\n", (int)found, (int)count);
  return found == count && count > 150 ? 0 : 1;
}

#endif
