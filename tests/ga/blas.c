/* Products of distributed matrices in four types and with every combination of transposed operands, products
 * of patches, against the serial product; block-cyclic operands too. Numbers are small integers, so all types
 * agree. */
#include "ga_test.h"

static long a_at(int i, int k) {
  return (i * 3 + k * 5) % 7 - 3;
}
static long b_at(int k, int j) {
  return (k * 2 + j * 3) % 5 - 2;
}

/* Puts the element (i,j) of the operand at (j,i) where it is to be transposed. */
static int operand(int type, int rows, int columns, int turned, long (*at)(int, int), int cyclic) {
  int dims[2] = {turned ? columns : rows, turned ? rows : columns}, block[2] = {5, 4}, ld = dims[1];
  int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, type);
  GA_Set_array_name(g, "operand");
  if (cyclic) GA_Set_block_cyclic(g, block);
  GA_Allocate(g);
  char* row = malloc((size_t)dims[1] * size_of(type));
  for (int i = job.me; i < dims[0]; i += job.workers) {
    int lo[2] = {i, 0}, hi[2] = {i, dims[1] - 1};
    for (int j = 0; j < dims[1]; ++j) {
      const union element e = factor_of(type, turned ? at(j, i) : at(i, j));
      memcpy(row + (size_t)j * size_of(type), &e, size_of(type));
    }
    NGA_Put(g, lo, hi, row, &ld);
  }
  free(row);
  GA_Sync();
  return g;
}

static void multiply(int type, char ta, char tb, int m, int n, int k, int a, int b, int c) {
  switch (type) {
    case C_FLOAT:
      GA_Sgemm(ta, tb, m, n, k, 2, a, b, -1, c);
      break;
    case C_DBL:
      GA_Dgemm(ta, tb, m, n, k, 2, a, b, -1, c);
      break;
    case C_SCPL: {
      SingleComplex alpha = {2, 0}, beta = {-1, 0};
      GA_Cgemm(ta, tb, m, n, k, alpha, a, b, beta, c);
      break;
    }
    default: {
      DoubleComplex alpha = {2, 0}, beta = {-1, 0};
      GA_Zgemm(ta, tb, m, n, k, alpha, a, b, beta, c);
    }
  }
}

static double real_part(int type, const char* buffer, int n) {
  switch (type) {
    case C_FLOAT:
      return ((const float*)buffer)[n];
    case C_DBL:
      return ((const double*)buffer)[n];
    case C_SCPL:
      return ((const float*)buffer)[2 * n];
    default:
      return ((const double*)buffer)[2 * n];
  }
}

static void whole_product(int type, int m, int n, int k, int ta, int tb, int cyclic) {
  int a = operand(type, m, k, ta, a_at, cyclic), b = operand(type, k, n, tb, b_at, 0);
  int dims[2] = {m, n}, lo[2] = {0, 0}, hi[2] = {m - 1, n - 1}, ld = n;
  int c = NGA_Create(type, 2, dims, "product", NULL);
  union element ten = factor_of(type, 10);
  GA_Fill(c, &ten);
  multiply(type, ta ? 't' : 'n', tb ? 't' : 'n', m, n, k, a, b, c);
  char* all = malloc((size_t)m * (size_t)n * size_of(type));
  NGA_Get(c, lo, hi, all, &ld);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      long sum = 0;
      for (int q = 0; q < k; ++q) sum += a_at(i, q) * b_at(q, j);
      EXPECT(real_part(type, all, i * n + j) == (double)(2 * sum - 10),
             "%s %d%d%d: (%d,%d) is %g instead of %ld", name_of(type), ta, tb, cyclic, i, j,
             real_part(type, all, i * n + j), 2 * sum - 10);
    }
  free(all);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

static void product_of_patches(void) {
  int dims[2] = {40, 40}, alo[2] = {3, 5}, ahi[2] = {22, 28}, blo[2] = {10, 2}, bhi[2] = {33, 31},
      clo[2] = {1, 7}, chi[2] = {20, 36}, ld = 40, lo[2] = {0, 0}, hi[2] = {39, 39};
  int a = operand(C_DBL, 40, 40, 0, a_at, 0), b = operand(C_DBL, 40, 40, 0, b_at, 0);
  int c = NGA_Create(C_DBL, 2, dims, "patch of product", NULL);
  double one = 1, zero = 0, five = 5, *all = malloc(1600 * sizeof *all);
  GA_Fill(c, &five);
  NGA_Matmul_patch('n', 'n', &one, &zero, a, alo, ahi, b, blo, bhi, c, clo, chi);
  NGA_Get(c, lo, hi, all, &ld);
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j) {
      double expected = 5;
      if (i >= 1 && i <= 20 && j >= 7 && j <= 36) {
        expected = 0;
        for (int q = 0; q < 24; ++q) expected += (double)(a_at(3 + i - 1, 5 + q) * b_at(10 + q, 2 + j - 7));
      }
      EXPECT(all[i * 40 + j] == expected, "matmul_patch (%d,%d) is %g instead of %g", i, j, all[i * 40 + j],
             expected);
    }
  free(all);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

int program_blas(void) {
  begin();
  for (int turned = 0; turned < 4; ++turned) whole_product(C_DBL, 61, 47, 53, turned % 2, turned / 2, 0);
  whole_product(C_FLOAT, 33, 29, 41, 1, 0, 0);
  whole_product(C_SCPL, 31, 37, 23, 0, 1, 0);
  whole_product(C_DCPL, 31, 37, 23, 1, 1, 0);
  whole_product(C_DBL, 30, 28, 26, 0, 0, 1);
  product_of_patches();
  return verdict("blas");
}
