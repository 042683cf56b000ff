/* Two-dimensional arrays of every type: rows put, random patches read from anywhere, accumulates that
 * overlap. */
#include "ga_test.h"

enum { rows = 37, columns = 53, rounds = 6 };
static const int dims[2] = {rows, columns};

static void put_rows(int g, int type) {
  char* row = malloc(columns * size_of(type));
  int ld = columns;
  for (int i = job.me; i < rows; i += job.workers) {
    int lo[2] = {i, 0}, hi[2] = {i, columns - 1};
    for (int j = 0; j < columns; ++j) store(type, row, j, 100 * i + j);
    NGA_Put(g, lo, hi, row, &ld);
  }
  free(row);
  GA_Sync();
}

static void read_patches(int g, int type, const long* model) {
  unsigned seed = 17u + (unsigned)job.me;
  char* buffer = malloc(rows * columns * size_of(type));
  for (int round = 0; round < rounds; ++round) {
    struct patch p = round == 0 ? whole(2, dims) : draw_patch(&seed, 2, dims);
    int ld;
    dense(&p, &ld);
    NGA_Get(g, p.lo, p.hi, buffer, &ld);
    int at[2] = {p.lo[0], p.lo[1]};
    long n = 0;
    do {
      EXPECT(holds(type, buffer, n, model[place(2, dims, at)]), "%s (%d,%d) is not %ld", name_of(type), at[0],
             at[1], model[place(2, dims, at)]);
      ++n;
    } while (advance(&p, at));
  }
  free(buffer);
  GA_Sync();
}

/* Everyone adds to patches of his own choice; everyone knows the choices of all. */
static void accumulate_patches(int g, int type, long* model) {
  char* buffer = malloc(rows * columns * size_of(type));
  for (int worker = 0; worker < job.workers; ++worker) {
    unsigned seed = 1000u * (unsigned)worker + 3u;
    for (int round = 0; round < rounds; ++round) {
      struct patch p = draw_patch(&seed, 2, dims);
      const long scale = 1 + round % 3;
      int at[2] = {p.lo[0], p.lo[1]}, ld;
      long n = 0;
      do {
        model[place(2, dims, at)] += scale * (worker + n % 7);
        store(type, buffer, n, worker + n % 7);
        ++n;
      } while (advance(&p, at));
      if (worker != job.me) continue;
      union element alpha = factor_of(type, scale);
      dense(&p, &ld);
      NGA_Acc(g, p.lo, p.hi, buffer, &ld, &alpha);
    }
  }
  GA_Sync();
  free(buffer);
}

/* A complex factor turns: (1+2i) * (3+6i) = -9+12i, once from everybody. */
static void complex_factor(void) {
  int count = 11, lo = 0, hi = 10, ld = 11;
  int g = NGA_Create(C_DCPL, 1, &count, "turned", NULL);
  GA_Zero(g);
  double complex buffer[11], alpha = 1 + 2 * I;
  for (int n = 0; n < count; ++n) buffer[n] = 3 + 6 * I;
  NGA_Acc(g, &lo, &hi, buffer, &ld, &alpha);
  GA_Sync();
  NGA_Get(g, &lo, &hi, buffer, &ld);
  for (int n = 0; n < count; ++n)
    EXPECT(buffer[n] == job.workers * (-9 + 12 * I), "element %d is %g%+gi", n, creal(buffer[n]),
           cimag(buffer[n]));
  GA_Destroy(g);
}

int program_put_get_acc(void) {
  begin();
  long* model = malloc(rows * columns * sizeof *model);
  for (int t = 0; t < types_count; ++t) {
    const int type = all_types[t];
    int extents[2] = {rows, columns};
    int g = NGA_Create(type, 2, extents, "array", NULL);
    for (long n = 0; n < rows * columns; ++n) model[n] = 100 * (n / columns) + n % columns;
    put_rows(g, type);
    read_patches(g, type, model);
    if (accumulates(type)) accumulate_patches(g, type, model);
    read_patches(g, type, model);
    GA_Destroy(g);
  }
  complex_factor();
  free(model);
  return verdict("put_get_acc");
}
