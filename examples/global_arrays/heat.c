/* Heat that spreads on a torus: every worker updates its own block of a distributed array; ghost cells bring
 * the neighbours' borders. Prints the hottest place now and then. The total must stay what it was: the exit
 * status says so. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include <ga.h>
#include <macdecls.h>

enum { size = 64, steps = 200 };

/* One step of every cell of the own block; ghosts lie one cell around it. Tells the sum and the hottest cell
 * of all. */
static void step(int from, int to, double* sum, double* hottest) {
  int lo[2], hi[2], with_ghosts[2], stride, to_stride;
  double *old, *new;
  *sum = *hottest = 0;
  GA_Update_ghosts(from);
  NGA_Distribution(from, GA_Nodeid(), lo, hi);
  if (lo[0] <= hi[0] && lo[1] <= hi[1]) {
    NGA_Access_ghosts(from, with_ghosts, &old, &stride);
    NGA_Access(to, lo, hi, &new, &to_stride);
    for (int i = 0; i <= hi[0] - lo[0]; ++i)
      for (int j = 0; j <= hi[1] - lo[1]; ++j) {
        const double* here = old + (i + 1) * stride + j + 1;
        const double heat = 0.6 * here[0] + 0.1 * (here[-1] + here[1] + here[-stride] + here[stride]);
        new[i * to_stride + j] = heat;
        *sum += heat;
        *hottest = fmax(*hottest, heat);
      }
    NGA_Release_update(to, lo, hi);
    NGA_Release_ghosts(from);
  }
  GA_Dgop(sum, 1, "+");
  GA_Dgop(hottest, 1, "max");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize(); /* progress ranks do not come back from here */
  MA_init(C_DBL, 1 << 16, 1 << 16);
  const int me = GA_Nodeid();
  if (me == 0) printf("%d workers\n", GA_Nnodes());

  int dims[2] = {size, size}, width[2] = {1, 1}, middle[2] = {size / 2, size / 2}, ld = 1;
  int now = NGA_Create_ghosts(C_DBL, 2, dims, width, "heat", NULL);
  int next = NGA_Create_ghosts(C_DBL, 2, dims, width, "next", NULL);
  double hot = 1000, total = 0, hottest = 0;
  GA_Zero(now);
  if (me == 0) NGA_Put(now, middle, middle, &hot, &ld);
  GA_Sync();

  for (int n = 1; n <= steps; ++n) {
    step(now, next, &total, &hottest);
    const int old = now;
    now = next;
    next = old;
    if (me == 0 && n % 50 == 0) printf("step %d: hottest %.4f, total %.4f\n", n, hottest, total);
  }
  GA_Destroy(now);
  GA_Destroy(next);
  GA_Terminate();
  MPI_Finalize();
  return fabs(total - hot) < 1e-6 ? 0 : 1;
}
