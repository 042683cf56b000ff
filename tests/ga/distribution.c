/* Who holds what: distribution, locate and locate_region of regular, irregular, chunked and small arrays tell
 * the same story; hosts are numbered truly when they are uneven; direct access shows exactly the own block.
 */
#include "ga_test.h"

static void story(int g, int ndim, int* dims, const char* what) {
  struct patch all = whole(ndim, dims);
  const long total = volume(&all);
  int *owner = malloc((size_t)total * sizeof *owner), at[GA_MAX_DIM];
  for (long n = 0; n < total; ++n) owner[n] = -1;
  for (int w = 0; w < job.workers; ++w) {
    struct patch block = {.ndim = ndim};
    NGA_Distribution(g, w, block.lo, block.hi);
    if (block.lo[0] < 0 || block.hi[0] < block.lo[0]) continue;
    memcpy(at, block.lo, sizeof at);
    do {
      int* known = &owner[place(ndim, dims, at)];
      EXPECT(*known == -1, "%s: both %d and %d hold an element", what, *known, w);
      *known = w;
    } while (advance(&block, at));
  }
  memcpy(at, all.lo, sizeof at);
  do {
    const int said = NGA_Locate(g, at), held = owner[place(ndim, dims, at)];
    EXPECT(said == held, "%s: %d holds an element, it is said to be at %d", what, held, said);
  } while (advance(&all, at));

  /* every block of a located region is the holder's part of the region */
  unsigned seed = 21;
  int *map = malloc((size_t)job.workers * 2 * GA_MAX_DIM * sizeof *map),
      *procs = malloc((size_t)job.workers * sizeof *procs);
  for (int round = 0; round < 5; ++round) {
    struct patch p = draw_patch(&seed, ndim, dims);
    const int pieces = NGA_Locate_region(g, p.lo, p.hi, map, procs);
    long elements = 0;
    for (int n = 0; n < pieces; ++n) {
      struct patch piece = {.ndim = ndim};
      memcpy(piece.lo, map + 2 * ndim * n, (size_t)ndim * sizeof *map);
      memcpy(piece.hi, map + 2 * ndim * n + ndim, (size_t)ndim * sizeof *map);
      elements += volume(&piece);
      EXPECT(owner[place(ndim, dims, piece.lo)] == procs[n], "%s: a piece is said to be at %d", what,
             procs[n]);
      EXPECT(owner[place(ndim, dims, piece.hi)] == procs[n], "%s: a piece is said to end at %d", what,
             procs[n]);
    }
    EXPECT(elements == volume(&p), "%s: the pieces hold %ld of %ld", what, elements, volume(&p));
  }
  free(map);
  free(procs);

  /* through the own block's pointer, and seen by everybody */
  struct patch mine = {.ndim = ndim};
  int ld[GA_MAX_DIM];
  NGA_Distribution(g, job.me, mine.lo, mine.hi);
  GA_Zero(g);
  if (mine.lo[0] >= 0 && mine.hi[0] >= mine.lo[0]) {
    long* p;
    NGA_Access(g, mine.lo, mine.hi, &p, ld);
    memcpy(at, mine.lo, sizeof at);
    do {
      long offset = at[0] - mine.lo[0];
      for (int d = 1; d < ndim; ++d) offset = offset * ld[d - 1] + at[d] - mine.lo[d];
      p[offset] = 1000 * place(ndim, dims, at) + job.me;
    } while (advance(&mine, at));
    NGA_Release_update(g, mine.lo, mine.hi);
  }
  GA_Sync();
  long* values = malloc((size_t)total * sizeof *values);
  dense(&all, ld);
  NGA_Get(g, all.lo, all.hi, values, ld);
  for (long n = 0; n < total; ++n)
    EXPECT(values[n] == 1000 * n + owner[n], "%s: element %ld is %ld, its holder is %d", what, n, values[n],
           owner[n]);
  free(values);
  free(owner);
  GA_Destroy(g);
}

static void irregular(void) {
  /* the first worker a single row, all others the same number of rows */
  int dims[2] = {1 + 5 * (job.workers > 1 ? job.workers - 1 : 1), 7}, blocks[2] = {job.workers, 1};
  int* map = malloc(((size_t)job.workers + 1) * sizeof *map);
  for (int w = 0; w < job.workers; ++w) map[w] = w == 0 ? 0 : 1 + 5 * (w - 1);
  map[job.workers] = 0;
  int g = NGA_Create_irreg(C_LONG, 2, dims, "irregular", blocks, map), lo[2], hi[2];
  NGA_Distribution(g, job.me, lo, hi);
  EXPECT(lo[0] == map[job.me], "my rows begin at %d, not at %d", lo[0], map[job.me]);
  EXPECT(job.me != 0 || job.workers == 1 || hi[0] == 0, "the first block ends at %d", hi[0]);
  free(map);
  story(g, 2, dims, "irregular");
}

static void hosts(void) {
  const int count = GA_Cluster_nnodes();
  int sum = 0;
  for (int h = 0; h < count; ++h) {
    const int on_host = GA_Cluster_nprocs(h);
    sum += on_host;
    for (int n = 0; n < on_host; ++n)
      EXPECT(GA_Cluster_proc_nodeid(GA_Cluster_procid(h, n)) == h, "worker %d of host %d is said to be on %d",
             n, h, GA_Cluster_proc_nodeid(GA_Cluster_procid(h, n)));
  }
  EXPECT(sum == job.workers, "the hosts have %d workers", sum);
  EXPECT(GA_Cluster_proc_nodeid(job.me) == GA_Cluster_nodeid(), "I am on %d and said to be on %d",
         GA_Cluster_nodeid(), GA_Cluster_proc_nodeid(job.me));
}

int program_distribution(void) {
  begin();
  int line[1] = {101}, plane[2] = {31, 47}, cube[3] = {9, 14, 11}, tiny[2] = {1, 2}, rows[2] = {31, -1},
      chunk[2] = {1, 47};
  hosts();
  story(NGA_Create(C_LONG, 1, line, "line", NULL), 1, line, "line");
  story(NGA_Create(C_LONG, 2, plane, "plane", NULL), 2, plane, "plane");
  story(NGA_Create(C_LONG, 2, plane, "rows", chunk), 2, plane, "rows");
  story(NGA_Create(C_LONG, 2, plane, "columns", rows), 2, plane, "columns");
  story(NGA_Create(C_LONG, 3, cube, "cube", NULL), 3, cube, "cube");
  story(NGA_Create(C_LONG, 2, tiny, "tiny", NULL), 2, tiny, "tiny");
  irregular();
  return verdict("distribution");
}
