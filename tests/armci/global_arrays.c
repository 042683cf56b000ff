/* A small Global Arrays program, linked as its users do: ga-config's line behind our -L. */
#include <stdio.h>

#include <mpi.h>

#include <ga.h>
#include <macdecls.h>

enum { size = 64, tasks = 100 };

static double buf[size * size];
static int whole_lo[2] = {0, 0}, whole_hi[2] = {size - 1, size - 1}, leading[1] = {size};

static int differing(int array, double base, double slope) {
  int bad = 0;
  GA_Sync();
  NGA_Get(array, whole_lo, whole_hi, buf, leading);
  for (int i = 0; i < size * size; ++i) bad += buf[i] != base + slope * i;
  GA_Sync();
  return bad;
}

int main(int argc, char** argv) {
  int dims[2] = {size, size}, one_cell[1] = {1}, zero[1] = {0}, bad = 0;
  double one = 1, two = 2;
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 100000, 100000);
  int me = GA_Nodeid(), n = GA_Nnodes();
  int a = NGA_Create(C_DBL, 2, dims, "a", NULL), b = GA_Duplicate(a, "b"), c = GA_Duplicate(a, "c");
  GA_Fill(a, &one);
  GA_Fill(b, &one);
  GA_Dgemm('n', 'n', size, size, size, 1.0, a, b, 0.0, c);
  bad += differing(c, size, 0);
  for (int i = 0; i < size * size; ++i) buf[i] = i;
  NGA_Acc(a, whole_lo, whole_hi, buf, leading, &two);
  bad += differing(a, 1, 2.0 * n);
  for (int i = 0; i < size * size; ++i) buf[i] = -i;
  if (me == n - 1) NGA_Put(b, whole_lo, whole_hi, buf, leading);
  bad += differing(b, 0, -1);
  int counter = NGA_Create(C_LONG, 1, one_cell, "counter", NULL);
  GA_Zero(counter);
  long sum = 0, all = (long)tasks * n;
  for (int i = 0; i < tasks; ++i) sum += NGA_Read_inc(counter, zero, 1);
  char sum_of[] = {'+', ' ', 'x', 'y', 0}; /* in the manner of a Fortran literal */
  GA_Lgop(&sum, 1, sum_of);
  bad += sum != all * (all - 1) / 2;
  GA_Igop(&bad, 1, "+");
  if (me == 0) printf("%d processes, %d wrong\n", n, bad);
  GA_Destroy(counter);
  GA_Destroy(c);
  GA_Destroy(b);
  GA_Destroy(a);
  GA_Terminate();
  MPI_Finalize();
  return bad != 0;
}
