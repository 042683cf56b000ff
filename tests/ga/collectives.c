/* Sums, products, extremes and broadcasts of every type and of many lengths, on the world; and what Global
 * Arrays computes element by element: norms, dots, select, transpose, symmetrize, diagonals, packing,
 * enumeration, scans. */
#include "ga_test.h"

static void sums(int length) {
  int* i = malloc((size_t)length * sizeof *i);
  long* l = malloc((size_t)length * sizeof *l);
  long long* ll = malloc((size_t)length * sizeof *ll);
  float* f = malloc((size_t)length * sizeof *f);
  double* d = malloc((size_t)length * sizeof *d);
  SingleComplex* c = malloc((size_t)length * sizeof *c);
  DoubleComplex* z = malloc((size_t)length * sizeof *z);
  for (int n = 0; n < length; ++n) {
    i[n] = job.me + n % 5;
    l[n] = ll[n] = (n % 2 ? -1 : 1) * (job.me + 1L + n % 9);
    f[n] = (float)(n % 2 ? -job.me : job.me + n % 3);
    d[n] = n % 2 ? job.me + 1 : -job.me - 1;
    c[n].real = (float)job.me;
    c[n].imag = (float)n;
    z[n].real = 1;
    z[n].imag = -job.me;
  }
  const int w = job.workers, ranks = w * (w - 1) / 2;
  GA_Igop(i, length, "+");
  GA_Lgop(l, length, "absmax");
  GA_Llgop(ll, length, "min");
  GA_Fgop(f, length, "max");
  GA_Dgop(d, length, "absmin");
  GA_Cgop(c, length, "+");
  GA_Zgop(z, length, "+");
  for (int n = 0; n < length; ++n) {
    const long smallest = n % 2 ? -(w + n % 9) : 1 + n % 9;
    EXPECT(i[n] == ranks + w * (n % 5), "int sum %d of %d is %d", n, length, i[n]);
    EXPECT(l[n] == w + n % 9, "long absmax %d of %d is %ld", n, length, l[n]);
    EXPECT(ll[n] == smallest, "long long min %d of %d is %lld", n, length, ll[n]);
    EXPECT(f[n] == (float)(n % 2 ? 0 : w - 1 + n % 3), "float max %d of %d is %g", n, length, (double)f[n]);
    EXPECT(fabs(d[n]) == 1, "double absmin %d of %d is %g", n, length, d[n]);
    EXPECT(c[n].real == (float)ranks && c[n].imag == (float)w * (float)n, "complex sum %d of %d is %g%+gi", n,
           length, (double)c[n].real, (double)c[n].imag);
    EXPECT(z[n].real == w && z[n].imag == -ranks, "double complex sum %d is %g%+gi", n, z[n].real, z[n].imag);
  }
  double products[3] = {2, job.me == 0 ? 3 : 1, -1};
  GA_Dgop(products, 3, "*");
  EXPECT(products[0] == pow(2, w) && products[1] == 3 && products[2] == (w % 2 ? -1 : 1), "products %g %g %g",
         products[0], products[1], products[2]);
  for (int root = 0; root < w; ++root) {
    for (int n = 0; n < length; ++n) l[n] = job.me == root ? 7L * n + root : -1;
    GA_Brdcst(l, length * (int)sizeof *l, root);
    for (int n = 0; n < length; ++n)
      EXPECT(l[n] == 7L * n + root, "broadcast of %d from %d gave %ld", n, root, l[n]);
  }
  free(i);
  free(l);
  free(ll);
  free(f);
  free(d);
  free(c);
  free(z);
}

static void elements(void) {
  enum { size = 33 };
  int dims[2] = {size, size}, ld = size, lo[2] = {0, 0}, hi[2] = {size - 1, size - 1}, index[2];
  int a = NGA_Create(C_DBL, 2, dims, "a", NULL), b = GA_Duplicate(a, "b"), c = GA_Duplicate(a, "c");
  double x[size], all[size * size], two = 2, minus = -1, value;
  for (int i = job.me; i < size; i += job.workers) {
    int first[2] = {i, 0}, last[2] = {i, size - 1};
    for (int j = 0; j < size; ++j) x[j] = i == 20 && j == 11 ? -5000 : i * size + j;
    NGA_Put(a, first, last, x, &ld);
  }
  GA_Sync();
  NGA_Select_elem(a, "min", &value, index);
  EXPECT(value == -5000 && index[0] == 20 && index[1] == 11, "the smallest is %g at (%d,%d)", value, index[0],
         index[1]);
  NGA_Select_elem(a, "max", &value, index);
  EXPECT(value == size * size - 1 && index[0] == size - 1 && index[1] == size - 1,
         "the largest is %g at (%d,%d)", value, index[0], index[1]);
  GA_Transpose(a, b);
  GA_Add(&two, a, &minus, b, c);
  NGA_Get(c, lo, hi, all, &ld);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      const double here = i == 20 && j == 11 ? -5000 : i * size + j,
                   across = j == 20 && i == 11 ? -5000 : j * size + i;
      EXPECT(all[i * size + j] == 2 * here - across, "2a - a^T at (%d,%d) is %g", i, j, all[i * size + j]);
    }
  GA_Sync();
  GA_Copy(a, c);
  GA_Symmetrize(c);
  NGA_Get(c, lo, hi, all, &ld);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < i; ++j)
      EXPECT(all[i * size + j] == all[j * size + i], "symmetrized (%d,%d) is %g and %g", i, j,
             all[i * size + j], all[j * size + i]);
  GA_Sync();
  GA_Elem_multiply(a, b, c);
  double dot = GA_Ddot(a, b), sum = 0, norm, expected_norm = 0;
  NGA_Get(c, lo, hi, all, &ld);
  for (int n = 0; n < size * size; ++n) sum += all[n];
  EXPECT(fabs(dot - sum) < 1e-9 * fabs(sum), "the dot product is %.12g, the products sum up to %.12g", dot,
         sum);
  GA_Sync();
  GA_Norm1(b, &norm);
  NGA_Get(b, lo, hi, all, &ld);
  for (int n = 0; n < size * size; ++n) expected_norm += fabs(all[n]); /* it is that of all elements */
  EXPECT(fabs(norm - expected_norm) < 1e-9 * norm, "the norm is %g instead of %g", norm, expected_norm);
  int length = size, diagonal = NGA_Create(C_DBL, 1, &length, "diagonal", NULL), one = 1, first = 0,
      last = size - 1;
  GA_Get_diag(a, diagonal);
  NGA_Get(diagonal, &first, &last, x, &one);
  for (int i = 0; i < size; ++i) EXPECT(x[i] == i * size + i, "the diagonal at %d is %g", i, x[i]);
  GA_Destroy(diagonal);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

static void packing(void) {
  int length = 200, first = 0, last = 199, one = 1, kept = 0, start = 10, step = 3;
  int source = NGA_Create(C_INT, 1, &length, "source", NULL), mask = GA_Duplicate(source, "mask"),
      target = GA_Duplicate(source, "target");
  GA_Patch_enum(source, 0, 199, &start, &step);
  GA_Zero(mask);
  GA_Zero(target);
  for (int n = job.me; n < length; n += job.workers)
    if (n % 7 == 0) NGA_Put(mask, &n, &n, &one, &one);
  GA_Sync();
  GA_Pack(source, target, mask, 0, 199, &kept);
  EXPECT(kept == 29, "%d elements were packed", kept);
  int all[200];
  NGA_Get(target, &first, &last, all, &one);
  for (int n = 0; n < 29; ++n) EXPECT(all[n] == 10 + 3 * 7 * n, "packed element %d is %d", n, all[n]);
  GA_Sync();
  GA_Scan_add(source, target, mask, 0, 199, 0);
  NGA_Get(target, &first, &last, all, &one);
  for (int n = 0, sum = 0; n < length; ++n) {
    sum = n % 7 == 0 ? 10 + 3 * n : sum + 10 + 3 * n;
    EXPECT(all[n] == sum, "the scan at %d is %d instead of %d", n, all[n], sum);
  }
  GA_Destroy(source);
  GA_Destroy(mask);
  GA_Destroy(target);
}

int program_collectives(void) {
  begin();
  sums(1);
  sums(37);
  sums(20000);
  elements();
  packing();
  return verdict("collectives");
}
