/* What every part of the ARMCI test program uses. One program, compiled against each flavour's headers. */
#ifndef TESTS_ARMCI_CHECK_H_
#define TESTS_ARMCI_CHECK_H_

#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int me, nproc, failures;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ++failures;                                                                                  \
      fprintf(stderr, "rank %d: %s:%d: (%s) does not hold\n", me, __FILE__, __LINE__, #condition); \
    }                                                                                              \
  } while (0)

/* A name at the very end of readable memory, without a terminator; valid until the next call. */
char* at_edge(const char* name);

/* The neighbour `steps` further on, around the circle. */
int neighbour(int steps);

void test_contiguous(void);
void test_accumulate(void);
void test_nonblocking(void);
void test_handles_of_before(void); /* after another ARMCI_Init */
void test_values(void);
void test_flags(void);
void test_strided(void);
void test_vector(void);
void test_drawn(void);
void test_aggregate(void);
void test_atomics(void);
void test_groups(void);
void test_default_group(void);
void test_broadcast(void);
void test_gop(void);
void test_select(void);
void test_names(void);
void test_reductions(void);
void test_point_to_point(void);
void test_fences(void);
void test_scopes(void);
void test_memory(void);
/* "2,1": workers of each domain; "0,0,1": the host of each worker, null where a host is a domain */
void test_domains(const char* members, const char* hosts);
void test_own(void); /* what only this flavour has */

#endif
