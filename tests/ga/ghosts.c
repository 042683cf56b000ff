/* Ghost cells: updated borders hold the neighbours' elements around the torus, a stencil computed on them
 * equals the serial one; and patches that wrap around: periodic put, get and acc. */
#include "ga_test.h"

enum { rows = 26, columns = 34, edge = 2 };
static int dims[2] = {rows, columns};

static int wrap(int i, int n) {
  return (i % n + n) % n;
}
static double start(int i, int j) {
  return 10.0 * wrap(i, rows) + wrap(j, columns) * wrap(j, columns);
}

static void fill_own(int g) {
  int lo[2], hi[2], ld;
  NGA_Distribution(g, job.me, lo, hi);
  if (lo[0] > hi[0] || lo[1] > hi[1]) return;
  double* mine;
  NGA_Access(g, lo, hi, &mine, &ld);
  for (int i = lo[0]; i <= hi[0]; ++i)
    for (int j = lo[1]; j <= hi[1]; ++j) mine[(i - lo[0]) * ld + j - lo[1]] = start(i, j);
  NGA_Release_update(g, lo, hi);
}

/* What is around the own block, corners too. */
static void check_borders(int g, const char* after) {
  int lo[2], hi[2], extents[2], ld;
  double* p;
  NGA_Distribution(g, job.me, lo, hi);
  if (lo[0] > hi[0] || lo[1] > hi[1]) return;
  NGA_Access_ghosts(g, extents, &p, &ld);
  EXPECT(extents[0] == hi[0] - lo[0] + 1 + 2 * edge && extents[1] == hi[1] - lo[1] + 1 + 2 * edge,
         "a block with ghosts is %d x %d", extents[0], extents[1]);
  for (int i = 0; i < extents[0]; ++i)
    for (int j = 0; j < extents[1]; ++j)
      EXPECT(p[i * ld + j] == start(lo[0] - edge + i, lo[1] - edge + j),
             "after %s (%d,%d) of the block at (%d,%d) is %g", after, i, j, lo[0], lo[1], p[i * ld + j]);
  NGA_Release_ghosts(g);
}

static void stencil(int from, int to) {
  int lo[2], hi[2], extents[2], ld, to_ld;
  double *p, *q;
  NGA_Distribution(from, job.me, lo, hi);
  if (lo[0] <= hi[0] && lo[1] <= hi[1]) {
    NGA_Access_ghosts(from, extents, &p, &ld);
    NGA_Access(to, lo, hi, &q, &to_ld);
    for (int i = 0; i <= hi[0] - lo[0]; ++i)
      for (int j = 0; j <= hi[1] - lo[1]; ++j) {
        const double* here = p + (i + edge) * ld + j + edge;
        q[i * to_ld + j] = here[-ld] + here[ld] + here[-1] + here[1] - 4 * here[0] + here[2 * ld] - here[-2];
      }
    NGA_Release_update(to, lo, hi);
    NGA_Release_ghosts(from);
  }
  GA_Sync();
  double* all = malloc(sizeof(double) * rows * columns);
  int begin_at[2] = {0, 0}, end_at[2] = {rows - 1, columns - 1}, row = columns;
  NGA_Get(to, begin_at, end_at, all, &row);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const double expected = start(i - 1, j) + start(i + 1, j) + start(i, j - 1) + start(i, j + 1) -
                              4 * start(i, j) + start(i + 2, j) - start(i, j - 2);
      EXPECT(fabs(all[i * columns + j] - expected) < 1e-9, "the stencil at (%d,%d) is %g", i, j,
             all[i * columns + j]);
    }
  free(all);
  GA_Sync();
}

static void wrapped_patches(int g) {
  int lo[2] = {-3, columns - 5}, hi[2] = {4, columns + 6}, ld = 12;
  double buffer[8 * 12], two = 2;
  NGA_Periodic_get(g, lo, hi, buffer, &ld);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 12; ++j)
      EXPECT(buffer[i * 12 + j] == start(lo[0] + i, lo[1] + j), "periodic get at %d,%d gave %g", i, j,
             buffer[i * 12 + j]);
  GA_Sync();
  for (int n = 0; n < 8 * 12; ++n) buffer[n] = n;
  NGA_Periodic_acc(g, lo, hi, buffer, &ld, &two);
  GA_Sync();
  NGA_Periodic_get(g, lo, hi, buffer, &ld);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 12; ++j)
      EXPECT(buffer[i * 12 + j] == start(lo[0] + i, lo[1] + j) + 2.0 * job.workers * (i * 12 + j),
             "periodic acc at %d,%d led to %g", i, j, buffer[i * 12 + j]);
  GA_Sync();
  if (job.me == job.workers - 1) {
    for (int n = 0; n < 8 * 12; ++n) buffer[n] = -n;
    NGA_Periodic_put(g, lo, hi, buffer, &ld);
  }
  GA_Sync();
  int corner[2] = {rows - 3, columns - 5}, end[2] = {rows - 1, columns - 1};
  double seen[3 * 5];
  int seen_ld = 5;
  NGA_Get(g, corner, end, seen, &seen_ld);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      EXPECT(seen[i * 5 + j] == -(i * 12 + j), "periodic put at %d,%d left %g", i, j, seen[i * 5 + j]);
  GA_Sync();
}

/* Three dimensions, integers, one direction after the other. */
static void directions(void) {
  int extents[3] = {12, 10, 14}, width[3] = {1, 2, 1}, lo[3], hi[3], around[3], ld[2];
  int g = NGA_Create_ghosts(C_INT, 3, extents, width, "cube with ghosts", NULL), *p;
  NGA_Distribution(g, job.me, lo, hi);
  const int mine = lo[0] <= hi[0] && lo[1] <= hi[1] && lo[2] <= hi[2];
  if (mine) {
    NGA_Access(g, lo, hi, &p, ld);
    for (int i = lo[0]; i <= hi[0]; ++i)
      for (int j = lo[1]; j <= hi[1]; ++j)
        for (int k = lo[2]; k <= hi[2]; ++k)
          p[((i - lo[0]) * ld[0] + j - lo[1]) * ld[1] + k - lo[2]] = (i * 100 + j) * 100 + k;
    NGA_Release_update(g, lo, hi);
  }
  GA_Sync();
  for (int d = 0; d < 3; ++d) {
    NGA_Update_ghost_dir(g, d, 1, 1);
    NGA_Update_ghost_dir(g, d, -1, 1);
  }
  GA_Sync();
  if (mine) {
    NGA_Access_ghosts(g, around, &p, ld);
    for (int i = 0; i < around[0]; ++i)
      for (int j = 0; j < around[1]; ++j)
        for (int k = 0; k < around[2]; ++k) {
          const int gi = wrap(lo[0] - 1 + i, 12), gj = wrap(lo[1] - 2 + j, 10), gk = wrap(lo[2] - 1 + k, 14);
          const int seen = p[(i * ld[0] + j) * ld[1] + k];
          const int outside = (i < 1) + (i >= around[0] - 1) + (j < 2) + (j >= around[1] - 2) + (k < 1) +
                              (k >= around[2] - 1);
          EXPECT(outside > 1 || seen == (gi * 100 + gj) * 100 + gk, "ghost (%d,%d,%d) is %d", gi, gj, gk,
                 seen);
        }
    NGA_Release_ghosts(g);
  }
  GA_Destroy(g);
}

int program_ghosts(void) {
  begin();
  int width[2] = {edge, edge};
  int g = NGA_Create_ghosts(C_DBL, 2, dims, width, "with ghosts", NULL);
  int result = GA_Duplicate(g, "result");
  EXPECT(GA_Has_ghosts(g), "the array has no ghosts");
  fill_own(g);
  GA_Update_ghosts(g);
  check_borders(g, "update");
  GA_Sync();
  stencil(g, result);
  GA_Zero(result);
  fill_own(result);
  ga_nbhdl_t handle;
  GA_Sync();
  NGA_Update_ghosts_nb(result, &handle);
  NGA_NbWait(&handle);
  GA_Sync();
  check_borders(result, "a non-blocking update");
  GA_Sync();
  wrapped_patches(g);
  directions();
  GA_Destroy(g);
  GA_Destroy(result);
  return verdict("ghosts");
}
