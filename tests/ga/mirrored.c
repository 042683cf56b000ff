/* Mirrored arrays (one copy a host, merged on request) and arrays that only some workers hold: restricted to
 * a list, to a range. */
#include "ga_test.h"

enum { rows = 24, columns = 18 };
static int dims[2] = {rows, columns};

static void mirrored(void) {
  const int mirror = GA_Pgroup_get_mirror(), hosts = GA_Cluster_nnodes(), host = GA_Cluster_nodeid();
  int g = NGA_Create_config(C_DBL, 2, dims, "mirrored", NULL, mirror);
  EXPECT(hosts == 1 || GA_Is_mirrored(g), "the array is not mirrored");
  EXPECT(GA_Pgroup_nnodes(mirror) == GA_Cluster_nprocs(host), "the mirror group has %d, the host %d",
         GA_Pgroup_nnodes(mirror), GA_Cluster_nprocs(host));
  GA_Zero(g);
  /* the first worker of each host writes a row of its host's copy, everyone adds to another */
  double row[columns], alpha = 1;
  int lo[2] = {host % rows, 0}, hi[2] = {host % rows, columns - 1}, ld = columns;
  for (int j = 0; j < columns; ++j) row[j] = 100 * (host + 1) + j;
  if (GA_Cluster_procid(host, 0) == job.me) NGA_Put(g, lo, hi, row, &ld);
  lo[0] = hi[0] = rows - 1;
  for (int j = 0; j < columns; ++j) row[j] = j;
  NGA_Acc(g, lo, hi, row, &ld, &alpha);
  GA_Sync();
  NGA_Get(g, lo, hi, row, &ld);
  for (int j = 0; j < columns; ++j)
    EXPECT(row[j] == (double)j * GA_Cluster_nprocs(host), "this host's copy has %g at %d before the merge",
           row[j], j);
  GA_Sync();
  int equal = 1;
  for (int h = 1; h < hosts; ++h) equal &= GA_Cluster_nprocs(h) == GA_Cluster_nprocs(0);
  if (!equal) { /* Global Arrays merges block by block, so the hosts' blocks must be the same */
    GA_Destroy(g);
    return;
  }
  int plain = NGA_Create(C_DBL, 2, dims, "plain", NULL);
  double* all = malloc(sizeof(double) * rows * columns);
  GA_Merge_mirrored(g);
  GA_Copy(g, plain);
  int g_of[2] = {g, plain};
  for (int which = 0; which < 2; ++which) {
    int begin_at[2] = {0, 0}, end_at[2] = {rows - 1, columns - 1};
    NGA_Get(g_of[which], begin_at, end_at, all, &ld);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        double expected = i < hosts ? 100 * (i + 1) + j : 0;
        if (i == rows - 1) expected += (double)j * job.workers;
        EXPECT(all[i * columns + j] == expected, "%s array after the merge: (%d,%d) is %g",
               which ? "copied" : "mirrored", i, j, all[i * columns + j]);
      }
  }
  GA_Sync();
  free(all);
  GA_Destroy(plain);
  GA_Destroy(g);
}

static void use(int g, int holders, const int* list, const char* what) {
  int held = 0, ld = columns;
  for (int w = 0; w < job.workers; ++w) {
    int lo[2], hi[2], listed = 0;
    NGA_Distribution(g, w, lo, hi);
    for (int n = 0; n < holders; ++n) listed |= list[n] == w;
    const int some = lo[0] >= 0 && hi[0] >= lo[0] && hi[1] >= lo[1];
    EXPECT(listed || !some, "%s: %d holds [%d:%d,%d:%d] and is not listed", what, w, lo[0], hi[0], lo[1],
           hi[1]);
    if (some) held += (hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1);
  }
  EXPECT(held == rows * columns, "%s: %d elements are held", what, held);
  double row[columns], alpha = 3;
  GA_Zero(g);
  for (int i = job.me; i < rows; i += job.workers) {
    int lo[2] = {i, 0}, hi[2] = {i, columns - 1};
    for (int j = 0; j < columns; ++j) row[j] = i + j;
    NGA_Put(g, lo, hi, row, &ld);
  }
  GA_Sync();
  int lo[2] = {0, 2}, hi[2] = {rows - 1, 2}, one = 1;
  double column[rows];
  for (int i = 0; i < rows; ++i) column[i] = 1;
  NGA_Acc(g, lo, hi, column, &one, &alpha);
  GA_Sync();
  NGA_Get(g, lo, hi, column, &one);
  for (int i = 0; i < rows; ++i)
    EXPECT(column[i] == i + 2 + 3.0 * job.workers, "%s: row %d of column 2 is %g", what, i, column[i]);
  int at[2] = {rows / 2, columns / 2}, owner = NGA_Locate(g, at), listed = 0;
  for (int n = 0; n < holders; ++n) listed |= list[n] == owner;
  EXPECT(listed, "%s: the middle is said to be at %d", what, owner);
  GA_Sync();
}

static void restricted(void) {
  int *list = malloc((size_t)job.workers * sizeof *list), count = 0;
  for (int w = job.workers - 1; w >= 0; w -= 2) list[count++] = w;
  int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_array_name(g, "restricted");
  GA_Set_restricted(g, list, count);
  EXPECT(GA_Allocate(g), "the restricted array was not allocated");
  use(g, count, list, "list");
  GA_Destroy(g);
  count = 0;
  const int first = job.workers / 2;
  for (int w = first; w < job.workers; ++w) list[count++] = w;
  g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_array_name(g, "range");
  GA_Set_restricted_range(g, first, job.workers - 1);
  EXPECT(GA_Allocate(g), "the array restricted to a range was not allocated");
  use(g, count, list, "range");
  GA_Destroy(g);
  free(list);
}

int program_mirrored(void) {
  begin();
  mirrored();
  restricted();
  return verdict("mirrored");
}
