/* What programs use around arrays: block-cyclic and tiled arrays block by block, memory from GA_Getmem,
 * arrays assembled of it, element types of one's own and their fields, many arrays created and destroyed
 * again. */
#include "ga_test.h"

static void blocks(int tiled) {
  int dims[2] = {45, 38}, block[2] = {7, 5}, grid[2] = {1, job.workers}, ld = 38;
  int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_INT);
  GA_Set_array_name(g, "blocks");
  if (tiled)
    GA_Set_tiled_proc_grid(g, block, grid);
  else
    GA_Set_block_cyclic(g, block);
  EXPECT(GA_Allocate(g), "the array of blocks was not allocated");
  GA_Zero(g);
  int *all = malloc(sizeof(int) * 45 * 38), lo[2] = {0, 0}, hi[2] = {44, 37}, one = 1;
  for (int i = job.me; i < 45; i += job.workers) {
    int first[2] = {i, 0}, last[2] = {i, 37};
    for (int j = 0; j < 38; ++j) all[j] = 100 * i + j;
    NGA_Put(g, first, last, all, &ld);
  }
  GA_Sync();
  for (int n = 0; n < 45 * 38; ++n) all[n] = n;
  NGA_Acc(g, lo, hi, all, &ld, &one);
  GA_Sync();
  NGA_Get(g, lo, hi, all, &ld);
  for (int n = 0; n < 45 * 38; ++n)
    EXPECT(all[n] == 100 * (n / 38) + n % 38 + n * job.workers, "%s: element %d is %d",
           tiled ? "tiled" : "cyclic", n, all[n]);
  GA_Sync();
  const int total = GA_Total_blocks(g);
  EXPECT(total == 7 * 8, "there are %d blocks", total);
  GA_Destroy(g);
  free(all);
}

static void assembled(void) {
  int dims[1] = {20 * job.workers}, first = 0, last = dims[0] - 1, one = 1;
  int g = NGA_Create(C_DBL, 1, dims, "template", NULL);
  double* memory = GA_Getmem(C_DBL, 20, GA_Pgroup_get_world());
  EXPECT(memory != NULL, "GA_Getmem gave nothing");
  GA_Sync();
  int h = GA_Assemble_duplicate(g, "assembled", memory);
  for (int n = job.me; n < dims[0]; n += job.workers) {
    double v = n + 0.5;
    NGA_Put(h, &n, &n, &v, &one);
  }
  GA_Sync();
  for (int n = 0; n < 20; ++n)
    EXPECT(memory[n] == 20 * job.me + n + 0.5, "my memory holds %g at %d", memory[n], n);
  double* all = malloc((size_t)dims[0] * sizeof *all);
  NGA_Get(h, &first, &last, all, &one);
  for (int n = 0; n < dims[0]; ++n)
    EXPECT(all[n] == n + 0.5, "the assembled array holds %g at %d", all[n], n);
  GA_Sync();
  GA_Destroy(h);
  GA_Destroy(g);
  free(all);
}

struct atom {
  double x[3];
  int charge, index;
};

static void own_type(void) {
  const int type = NGA_Register_type(sizeof(struct atom)), each = 12;
  int count = each * job.workers, one = 1, lo = each * job.me, hi = lo + each - 1, first = 0,
      last = count - 1;
  int g = NGA_Create(type, 1, &count, "atoms", NULL);
  struct atom mine[12];
  for (int n = 0; n < each; ++n) mine[n] = (struct atom){{lo + n, 2.0 * n, -1}, n, lo + n};
  NGA_Put(g, &lo, &hi, mine, &one);
  GA_Sync();
  struct atom* all = malloc((size_t)count * sizeof *all);
  NGA_Get(g, &first, &last, all, &one);
  for (int n = 0; n < count; ++n)
    EXPECT(all[n].index == n && all[n].x[0] == n && all[n].charge == n % each, "atom %d is %d at %g with %d",
           n, all[n].index, all[n].x[0], all[n].charge);
  GA_Sync();
  free(all);
  GA_Destroy(g);
  NGA_Deregister_type(type);
}

static void come_and_go(void) {
  for (int round = 0; round < 40; ++round) {
    int dims[2] = {10 + round, 20 + 100 * (round % 4)}, last[2] = {dims[0] - 1, dims[1] - 1};
    int g = NGA_Create(C_DBL, 2, dims, "passing", NULL), h = NGA_Create(C_INT, 2, dims, "too", NULL),
        three = 3, ld = 1;
    double v = round, seen = -1;
    int whole_number = -1;
    GA_Fill(g, &v);
    GA_Fill(h, &three);
    NGA_Get(g, last, last, &seen, &ld);
    NGA_Get(h, last, last, &whole_number, &ld);
    EXPECT(seen == round && whole_number == 3, "round %d: %g and %d", round, seen, whole_number);
    GA_Sync();
    GA_Destroy(round % 2 ? g : h);
    GA_Destroy(round % 2 ? h : g);
  }
}

int program_own_memory(void) {
  begin();
  blocks(0);
  blocks(1);
  assembled();
  own_type();
  come_and_go();
  return verdict("own_memory");
}
