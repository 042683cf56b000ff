/* Patches with gaps (every skip-th element), and what whole patches can do: copy, copy transposed, add,
 * scale, fill, zero, dot. Everybody computes the result for himself too. */
#include "ga_test.h"

enum { rows = 60, columns = 48 };
static int dims[2] = {rows, columns};

static double* all_of(int g) {
  static double buffer[rows * columns];
  int lo[2] = {0, 0}, hi[2] = {rows - 1, columns - 1}, ld = columns;
  GA_Sync();
  NGA_Get(g, lo, hi, buffer, &ld);
  GA_Sync();
  return buffer;
}
static void compare(int g, const double* model, const char* what) {
  const double* seen = all_of(g);
  for (int n = 0; n < rows * columns; ++n)
    EXPECT(fabs(seen[n] - model[n]) < 1e-9, "after %s (%d,%d) is %g instead of %g", what, n / columns,
           n % columns, seen[n], model[n]);
}

static void with_gaps(int g, double* model) {
  double* buffer = malloc(rows * columns * sizeof *buffer);
  double one = 1.5;
  GA_Zero(g);
  memset(model, 0, rows * columns * sizeof *model);
  for (int skip_rows = 1; skip_rows <= 3; ++skip_rows)
    for (int skip_columns = 1; skip_columns <= 4; ++skip_columns) {
      /* accumulates: everybody adds to the same elements */
      int lo[2] = {skip_rows, skip_columns}, hi[2] = {rows - 2, columns - 3},
          skip[2] = {skip_rows, skip_columns};
      int across = (hi[1] - lo[1]) / skip_columns + 1, down = (hi[0] - lo[0]) / skip_rows + 1, ld = across;
      for (int i = 0; i < down; ++i)
        for (int j = 0; j < across; ++j) {
          buffer[i * across + j] = i + 2 * j;
          model[(lo[0] + i * skip_rows) * columns + lo[1] + j * skip_columns] +=
              1.5 * (i + 2 * j) * job.workers;
        }
      NGA_Strided_acc(g, lo, hi, skip, buffer, &ld, &one);
    }
  compare(g, model, "strided acc");
  /* worker w puts the rows w, w + workers, ...: every second column */
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; j += 2) model[i * columns + j] = -i - 0.5 * j;
  if (job.me < rows) {
    int lo[2] = {job.me, 0}, hi[2] = {rows - 1, columns - 1}, skip[2] = {job.workers, 2}, ld = columns / 2;
    for (int i = job.me, n = 0; i < rows; i += job.workers)
      for (int j = 0; j < columns; j += 2) buffer[n++] = -i - 0.5 * j;
    NGA_Strided_put(g, lo, hi, skip, buffer, &ld);
  }
  compare(g, model, "strided put");
  int lo[2] = {3, 1}, hi[2] = {58, 47}, skip[2] = {5, 3}, ld = (47 - 1) / 3 + 1;
  NGA_Strided_get(g, lo, hi, skip, buffer, &ld);
  for (int i = 3, n = 0; i <= 58; i += 5)
    for (int j = 1; j <= 47; j += 3, ++n)
      EXPECT(buffer[n] == model[i * columns + j], "strided get of (%d,%d) gave %g", i, j, buffer[n]);
  GA_Sync();
  free(buffer);
}

static void whole_patches(int a, int b, double* in_a, double* in_b) {
  int one_lo[2] = {5, 7}, one_hi[2] = {34, 26}, other_lo[2] = {30, 20}, other_hi[2] = {59, 39};
  int turned_lo[2] = {2, 11}, turned_hi[2] = {21, 40};
  memset(in_b, 0, rows * columns * sizeof *in_b);
  GA_Zero(b);
  NGA_Copy_patch('n', a, one_lo, one_hi, b, other_lo, other_hi);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 20; ++j) in_b[(30 + i) * columns + 20 + j] = in_a[(5 + i) * columns + 7 + j];
  compare(b, in_b, "copy_patch");
  NGA_Copy_patch('t', a, one_lo, one_hi, b, turned_lo, turned_hi);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 20; ++j) in_b[(2 + j) * columns + 11 + i] = in_a[(5 + i) * columns + 7 + j];
  compare(b, in_b, "copy_patch transposed");
  double dot = NGA_Ddot_patch(a, 'n', one_lo, one_hi, b, 'n', other_lo, other_hi), expected = 0;
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 20; ++j)
      expected += in_a[(5 + i) * columns + 7 + j] * in_b[(30 + i) * columns + 20 + j];
  EXPECT(fabs(dot - expected) < 1e-6 * fabs(expected), "dot of patches is %.10g, not %.10g", dot, expected);
  double two = 2, minus = -1, seven = 7, half = 0.5;
  NGA_Add_patch(&two, a, one_lo, one_hi, &minus, b, other_lo, other_hi, b, one_lo, one_hi);
  double* sums = malloc(30 * 20 * sizeof *sums);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 20; ++j)
      sums[i * 20 + j] = 2 * in_a[(5 + i) * columns + 7 + j] - in_b[(30 + i) * columns + 20 + j];
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 20; ++j) in_b[(5 + i) * columns + 7 + j] = sums[i * 20 + j];
  free(sums);
  compare(b, in_b, "add_patch");
  int fill_lo[2] = {0, 40}, fill_hi[2] = {59, 47}, zero_lo[2] = {10, 42}, zero_hi[2] = {20, 44};
  NGA_Fill_patch(b, fill_lo, fill_hi, &seven);
  NGA_Scale_patch(b, other_lo, fill_hi, &half);
  NGA_Zero_patch(b, zero_lo, zero_hi);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double* v = &in_b[i * columns + j];
      if (j >= 40) *v = 7;
      if (i >= 30 && j >= 20) *v *= 0.5;
      if (i >= 10 && i <= 20 && j >= 42 && j <= 44) *v = 0;
    }
  compare(b, in_b, "fill, scale and zero");
}

int program_strided_patches(void) {
  begin();
  int a = NGA_Create(C_DBL, 2, dims, "a", NULL), b = NGA_Create(C_DBL, 2, dims, "b", NULL);
  double *in_a = malloc(rows * columns * sizeof *in_a), *in_b = malloc(rows * columns * sizeof *in_b);
  with_gaps(a, in_a);
  whole_patches(a, b, in_a, in_b);
  GA_Destroy(a);
  GA_Destroy(b);
  free(in_a);
  free(in_b);
  return verdict("strided_patches");
}
