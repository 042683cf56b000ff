/* Scattered elements: scatter to places of one's own, gather from everybody's, scatter with addition where
 * places repeat; with arrays of pointers and flat ones, in two and three dimensions, in every type. */
#include "ga_test.h"

enum { most = 700 };

static long value_at(long linear) {
  return 3 * linear + 1;
}

static void run(int type, int ndim, int* dims, int flat) {
  struct patch all = whole(ndim, dims);
  const long total = volume(&all);
  int* subscripts = malloc(most * (size_t)ndim * sizeof *subscripts);
  int** pointers = malloc(most * sizeof *pointers);
  char* values = malloc(most * size_of(type));
  int g = NGA_Create(type, ndim, dims, "scattered", NULL);
  GA_Zero(g);
  int count = 0, at[GA_MAX_DIM];
  memcpy(at, all.lo, sizeof at);
  do { /* every third place, in turn to everybody */
    const long linear = place(ndim, dims, at);
    if (linear % 3 != 0 || linear / 3 % job.workers != job.me || count == most) continue;
    memcpy(subscripts + count * ndim, at, (size_t)ndim * sizeof *at);
    pointers[count] = subscripts + count * ndim;
    store(type, values, count++, value_at(linear));
  } while (advance(&all, at));
  if (flat)
    NGA_Scatter_flat(g, values, subscripts, count);
  else
    NGA_Scatter(g, values, pointers, count);
  GA_Sync();

  unsigned seed = 31u + (unsigned)job.me;
  for (int n = 0; n < most; ++n) {
    pointers[n] = subscripts + n * ndim;
    for (int d = 0; d < ndim; ++d) pointers[n][d] = draw(&seed, dims[d]);
  }
  memset(values, 0xff, most * size_of(type));
  if (flat)
    NGA_Gather_flat(g, values, subscripts, most);
  else
    NGA_Gather(g, values, pointers, most);
  for (int n = 0; n < most; ++n) {
    const long linear = place(ndim, dims, pointers[n]);
    const long expected = linear % 3 == 0 ? value_at(linear) : 0;
    EXPECT(holds(type, values, n, expected), "%s gathered place %ld of %ld is not %ld", name_of(type), linear,
           total, expected);
  }
  GA_Sync();

  /* The same places for all, each of them several times. */
  long* sums = calloc((size_t)total, sizeof *sums);
  unsigned common = 5;
  for (int n = 0; n < most; ++n) {
    for (int d = 0; d < ndim; ++d) pointers[n][d] = draw(&common, dims[d]);
    sums[place(ndim, dims, pointers[n])] += (long)2 * job.workers * (n % 5);
    store(type, values, n, n % 5);
  }
  union element alpha = factor_of(type, 2);
  GA_Zero(g);
  if (!accumulates(type))
    memset(sums, 0, (size_t)total * sizeof *sums);
  else if (flat)
    NGA_Scatter_acc_flat(g, values, subscripts, most, &alpha);
  else
    NGA_Scatter_acc(g, values, pointers, most, &alpha);
  GA_Sync();
  int ld[GA_MAX_DIM];
  dense(&all, ld);
  char* everything = malloc((size_t)total * size_of(type));
  NGA_Get(g, all.lo, all.hi, everything, ld);
  for (long n = 0; n < total; ++n)
    EXPECT(holds(type, everything, n, sums[n]), "%s place %ld was not increased to %ld", name_of(type), n,
           sums[n]);

  /* A place named twice in one call, with one value: the order is open, what it holds is not. */
  for (int n = 0; n < 2; ++n) store(type, values, n, 9);
  memcpy(pointers[1], pointers[0], (size_t)ndim * sizeof *subscripts);
  GA_Sync();
  if (job.me == 0) {
    if (flat)
      NGA_Scatter_flat(g, values, subscripts, 2);
    else
      NGA_Scatter(g, values, pointers, 2);
  }
  GA_Sync();
  NGA_Gather(g, values, pointers, 2);
  for (int n = 0; n < 2; ++n) EXPECT(holds(type, values, n, 9), "%s place scattered to twice", name_of(type));
  GA_Destroy(g);
  free(everything);
  free(sums);
  free(values);
  free(pointers);
  free(subscripts);
}

int program_scatter_gather(void) {
  begin();
  int plane[2] = {41, 29}, cube[3] = {13, 9, 17};
  for (int t = 0; t < types_count; ++t) {
    run(all_types[t], 2, plane, t % 2);
    run(all_types[t], 3, cube, (t + 1) % 2);
  }
  return verdict("scatter_gather");
}
