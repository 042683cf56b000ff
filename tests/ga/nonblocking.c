/* Non-blocking gets, puts and accumulates beside computation: double buffering, many handles at once waited
 * for in another order or tested until they are done, handles used again. */
#include "ga_test.h"

enum { blocks = 48, size = 160, many = 24 };
static int dims[2] = {blocks, size};

static double formula(int i, int j) {
  return i * 0.25 + j;
}

static double work_on(const double* block) {
  double sum = 0;
  for (int j = 0; j < size; ++j) sum += sqrt(block[j] + 1);
  return sum;
}

/* The next block travels while the present one is worked on. */
static void pipeline(int g) {
  double buffers[2][size], sum = 0, expected = 0;
  ga_nbhdl_t handles[2];
  int ld = size;
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < size; ++j) expected += sqrt(formula(i, j) + 1);
  for (int i = 0; i <= blocks; ++i) {
    int lo[2] = {(i + job.me) % blocks, 0}, hi[2] = {(i + job.me) % blocks, size - 1};
    if (i < blocks) NGA_NbGet(g, lo, hi, buffers[i % 2], &ld, &handles[i % 2]);
    if (i == 0) continue;
    NGA_NbWait(&handles[(i - 1) % 2]);
    sum += work_on(buffers[(i - 1) % 2]);
  }
  EXPECT(fabs(sum - expected) < 1e-6 * expected, "the pipeline computed %.12g instead of %.12g", sum,
         expected);
  GA_Sync();
}

static void many_at_once(int g) {
  static double rows[many][size];
  ga_nbhdl_t handles[many];
  int ld = size;
  for (int n = 0; n < many; ++n) {
    int lo[2] = {(n * 7 + job.me) % blocks, n}, hi[2] = {(n * 7 + job.me) % blocks, size - 1};
    NGA_NbGet(g, lo, hi, rows[n], &ld, &handles[n]);
  }
  for (int n = many - 1; n >= 0; --n) {
    if (n % 3 != 0)
      NGA_NbWait(&handles[n]);
    else
      while (NGA_NbTest(&handles[n]) == 0) continue;
    const int i = (n * 7 + job.me) % blocks;
    for (int j = n; j < size; ++j)
      EXPECT(rows[n][j - n] == formula(i, j), "get %d of row %d, element %d is %g", n, i, j, rows[n][j - n]);
  }
  GA_Sync();
}

static void puts_and_accumulates(int g) {
  static double rows[blocks][size];
  ga_nbhdl_t handles[blocks];
  double two = 2;
  int ld = size;
  for (int i = job.me; i < blocks; i += job.workers) {
    int lo[2] = {i, 0}, hi[2] = {i, size - 1};
    for (int j = 0; j < size; ++j) rows[i][j] = -formula(i, j);
    NGA_NbPut(g, lo, hi, rows[i], &ld, &handles[i]);
  }
  for (int i = job.me; i < blocks; i += job.workers) {
    NGA_NbWait(&handles[i]);
    for (int j = 0; j < size; ++j) rows[i][j] = 1e30; /* the buffer is ours again */
  }
  GA_Sync();
  static double ones[blocks][size];
  for (int i = 0; i < blocks; ++i) {
    const int row = (i + job.me * 5) % blocks;
    int lo[2] = {row, 0}, hi[2] = {row, size - 1};
    for (int j = 0; j < size; ++j) ones[i][j] = j;
    NGA_NbAcc(g, lo, hi, ones[i], &ld, &two, &handles[i]);
  }
  for (int i = 0; i < blocks; ++i) NGA_NbWait(&handles[i]);
  GA_Sync();
  double row[size];
  for (int i = 0; i < blocks; ++i) {
    int lo[2] = {i, 0}, hi[2] = {i, size - 1};
    NGA_Get(g, lo, hi, row, &ld);
    for (int j = 0; j < size; ++j)
      EXPECT(row[j] == -formula(i, j) + 2.0 * j * job.workers, "row %d element %d is %g", i, j, row[j]);
  }
  GA_Sync();
}

/* A get of everything spans every owner behind one handle. */
static void across_owners(int g) {
  double* all = malloc(sizeof(double) * blocks * size);
  int lo[2] = {0, 0}, hi[2] = {blocks - 1, size - 1}, ld = size;
  ga_nbhdl_t handle;
  for (int round = 0; round < 3; ++round) {
    memset(all, 0xff, sizeof(double) * blocks * size);
    NGA_NbGet(g, lo, hi, all, &ld, &handle);
    NGA_NbWait(&handle);
    for (int n = 0; n < blocks * size; ++n)
      EXPECT(all[n] == formula(n / size, n % size), "element %d of everything is %g", n, all[n]);
  }
  free(all);
  GA_Sync();
}

int program_nonblocking(void) {
  begin();
  int chunk[2] = {1, size};
  int g = NGA_Create(C_DBL, 2, dims, "blocks", chunk), ld = size;
  for (int i = job.me; i < blocks; i += job.workers) {
    double row[size];
    int lo[2] = {i, 0}, hi[2] = {i, size - 1};
    for (int j = 0; j < size; ++j) row[j] = formula(i, j);
    NGA_Put(g, lo, hi, row, &ld);
  }
  GA_Sync();
  pipeline(g);
  many_at_once(g);
  across_owners(g);
  puts_and_accumulates(g);
  GA_Destroy(g);
  return verdict("nonblocking");
}
