/* One to seven dimensions: everybody accumulates into and reads random patches of an array, and puts into a
 * layer of his own, in every type. */
#include "ga_test.h"

static const int extents[GA_MAX_DIM][GA_MAX_DIM] = {
    {97}, {23, 19}, {11, 9, 13}, {7, 6, 5, 8}, {5, 4, 6, 3, 5}, {4, 3, 5, 3, 2, 4}, {3, 4, 2, 3, 4, 2, 3}};

static void fill_buffer(int type, char* buffer, const struct patch* p, int worker, long* model,
                        const int* dims, int add) {
  int at[GA_MAX_DIM];
  memcpy(at, p->lo, sizeof at);
  long n = 0;
  do {
    const long v = 1 + worker + n % 11;
    long* known = &model[place(p->ndim, dims, at)];
    *known = add ? *known + 2 * v : v;
    store(type, buffer, n, v);
    ++n;
  } while (advance(p, at));
}

static void check(int g, int type, int ndim, int* dims, const long* model, unsigned seed) {
  struct patch all = whole(ndim, dims);
  char* buffer = malloc((size_t)volume(&all) * size_of(type));
  for (int round = 0; round < 4; ++round) {
    struct patch p = round == 0 ? all : draw_patch(&seed, ndim, dims);
    int ld[GA_MAX_DIM], at[GA_MAX_DIM];
    dense(&p, ld);
    NGA_Get(g, p.lo, p.hi, buffer, ld);
    memcpy(at, p.lo, sizeof at);
    long n = 0;
    do {
      EXPECT(holds(type, buffer, n, model[place(ndim, dims, at)]),
             "%d-D %s: element %ld of a patch is not %ld", ndim, name_of(type), n,
             model[place(ndim, dims, at)]);
      ++n;
    } while (advance(&p, at));
  }
  free(buffer);
  GA_Sync();
}

static void one(int type, int ndim) {
  int dims[GA_MAX_DIM], ld[GA_MAX_DIM];
  memcpy(dims, extents[ndim - 1], sizeof dims);
  dims[0] *= job.workers; /* a layer for each worker to put to */
  struct patch all = whole(ndim, dims);
  long* model = calloc((size_t)volume(&all), sizeof *model);
  char* buffer = malloc((size_t)volume(&all) * size_of(type));
  int g = NGA_Create(type, ndim, dims, "cube", NULL);
  for (int worker = 0; worker < job.workers; ++worker) {
    struct patch layer = all;
    layer.lo[0] = worker * extents[ndim - 1][0];
    layer.hi[0] = layer.lo[0] + extents[ndim - 1][0] - 1;
    fill_buffer(type, buffer, &layer, worker, model, dims, 0);
    dense(&layer, ld);
    if (worker == job.me) NGA_Put(g, layer.lo, layer.hi, buffer, ld);
  }
  GA_Sync();
  check(g, type, ndim, dims, model, 5u + (unsigned)job.me);
  for (int worker = 0; worker < job.workers && accumulates(type); ++worker) {
    unsigned seed = 77u + (unsigned)worker;
    for (int round = 0; round < 3; ++round) {
      struct patch p = draw_patch(&seed, ndim, dims);
      fill_buffer(type, buffer, &p, worker, model, dims, 1);
      dense(&p, ld);
      union element alpha = factor_of(type, 2);
      if (worker == job.me) NGA_Acc(g, p.lo, p.hi, buffer, ld, &alpha);
    }
  }
  GA_Sync();
  check(g, type, ndim, dims, model, 9u + (unsigned)job.me);
  GA_Destroy(g);
  free(buffer);
  free(model);
}

int program_dimensions(void) {
  begin();
  for (int ndim = 1; ndim <= GA_MAX_DIM; ++ndim) {
    one(C_DBL, ndim);
    one(all_types[(ndim * 2) % types_count], ndim);
    one(all_types[(ndim * 2 + 1) % types_count], ndim);
  }
  return verdict("dimensions");
}
