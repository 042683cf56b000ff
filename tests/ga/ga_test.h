/* What every Global Arrays program here shares: its beginning and verdict, checks that count, typed elements
 * whose numbers are exact in every type, patches of any dimension. Every check tells what it saw; the last
 * line of a good run is "NAME: ok", once. Ranks are Global Arrays' own, never those of MPI_COMM_WORLD. */
#pragma once
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ga.h>
#include <macdecls.h>

static struct {
  int me, workers;
  long wrong;
} job;

#define EXPECT(condition, ...)                                    \
  do {                                                            \
    if (!(condition) && job.wrong++ < 5) {                        \
      fprintf(stderr, "%d: %s:%d: ", job.me, __FILE__, __LINE__); \
      fprintf(stderr, __VA_ARGS__);                               \
      fprintf(stderr, "\n");                                      \
    }                                                             \
  } while (0)

/* In a job that has started; who starts and ends it may begin many programs. */
static inline void begin(void) {
  job.me = GA_Nodeid();
  job.workers = GA_Nnodes();
}

/* Prints the verdict of all workers; what a program returns. */
static inline int verdict(const char* name) {
  long wrong = job.wrong;
  GA_Lgop(&wrong, 1, "+");
  if (job.me == 0 && wrong == 0) printf("%s: ok\n", name);
  if (job.me == 0 && wrong != 0) printf("%s: %ld checks failed\n", name, wrong);
  fflush(stdout);
  return wrong != 0;
}

/* The same numbers for everyone who starts with the same seed. */
static inline int draw(unsigned* seed, int below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (int)((*seed >> 8) % (unsigned)below);
}

/* --- elements of any type: a number v is v, or v + 2vi */

static const int all_types[] = {C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL};
enum { types_count = sizeof all_types / sizeof *all_types };
/* Global Arrays 5.8 accumulates all of them but this one. */
static inline int accumulates(int type) {
  return type != C_LONGLONG;
}
union element {
  int i;
  long l;
  long long ll;
  float f;
  double d;
  float complex c;
  double complex z;
};

static inline size_t size_of(int type) {
  switch (type) {
    case C_INT:
      return sizeof(int);
    case C_LONG:
      return sizeof(long);
    case C_LONGLONG:
      return sizeof(long long);
    case C_FLOAT:
      return sizeof(float);
    case C_DBL:
      return sizeof(double);
    case C_SCPL:
      return sizeof(float complex);
    default:
      return sizeof(double complex);
  }
}
static inline union element element_of(int type, long v) {
  union element e;
  memset(&e, 0, sizeof e);
  switch (type) {
    case C_INT:
      e.i = (int)v;
      break;
    case C_LONG:
      e.l = v;
      break;
    case C_LONGLONG:
      e.ll = v;
      break;
    case C_FLOAT:
      e.f = (float)v;
      break;
    case C_DBL:
      e.d = (double)v;
      break;
    case C_SCPL:
      e.c = (float)v + (float)(2 * v) * I;
      break;
    default:
      e.z = (double)v + (double)(2 * v) * I;
      break;
  }
  return e;
}
/* A factor: v itself, without an imaginary part. */
static inline union element factor_of(int type, long v) {
  union element e = element_of(type, v);
  if (type == C_SCPL) e.c = (float)v;
  if (type == C_DCPL) e.z = (double)v;
  return e;
}
static inline void store(int type, void* buffer, long at, long v) {
  const union element e = element_of(type, v);
  memcpy((char*)buffer + (size_t)at * size_of(type), &e, size_of(type));
}
static inline int holds(int type, const void* buffer, long at, long v) {
  const union element e = element_of(type, v);
  return memcmp((const char*)buffer + (size_t)at * size_of(type), &e, size_of(type)) == 0;
}
static inline const char* name_of(int type) {
  static const char* const names[] = {"int",    "long",           "long long",     "float",
                                      "double", "single complex", "double complex"};
  for (int t = 0; t < types_count; ++t)
    if (all_types[t] == type) return names[t];
  return "?";
}

/* --- patches */

struct patch {
  int ndim, lo[GA_MAX_DIM], hi[GA_MAX_DIM];
};

static inline long volume(const struct patch* p) {
  long count = 1;
  for (int d = 0; d < p->ndim; ++d) count *= p->hi[d] - p->lo[d] + 1;
  return count;
}
static inline struct patch whole(int ndim, const int* dims) {
  struct patch p = {.ndim = ndim};
  for (int d = 0; d < ndim; ++d) p.hi[d] = dims[d] - 1;
  return p;
}
static inline struct patch draw_patch(unsigned* seed, int ndim, const int* dims) {
  struct patch p = {.ndim = ndim};
  for (int d = 0; d < ndim; ++d) {
    p.lo[d] = draw(seed, dims[d]);
    p.hi[d] = p.lo[d] + draw(seed, dims[d] - p.lo[d]);
  }
  return p;
}
/* Leading dimensions of a dense buffer that holds the patch. */
static inline void dense(const struct patch* p, int* ld) {
  for (int d = 1; d < p->ndim; ++d) ld[d - 1] = p->hi[d] - p->lo[d] + 1;
}
/* Moves an index on inside the patch, last dimension fastest; 0 after the last. */
static inline int advance(const struct patch* p, int* at) {
  for (int d = p->ndim - 1; d >= 0; --d) {
    if (++at[d] <= p->hi[d]) return 1;
    at[d] = p->lo[d];
  }
  return 0;
}
/* Place of an index in the whole array. */
static inline long place(int ndim, const int* dims, const int* at) {
  long linear = 0;
  for (int d = 0; d < ndim; ++d) linear = linear * dims[d] + at[d];
  return linear;
}
