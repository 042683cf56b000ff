/* Processor groups: lists, splits, regular and by colour; sums, broadcasts and arrays inside; default groups;
 * arrays of one group read from another; each worker alone. */
#include "ga_test.h"

static void sums_inside(int group, const char* what) {
  const int size = GA_Pgroup_nnodes(group), rank = GA_Pgroup_nodeid(group);
  EXPECT(GA_Pgroup_absolute_id(group, rank) == job.me, "%s: rank %d is %d in the world", what, rank,
         GA_Pgroup_absolute_id(group, rank));
  long ranks = rank, big = job.me;
  double reals[3] = {rank, 1, -rank};
  GA_Pgroup_lgop(group, &ranks, 1, "+");
  GA_Pgroup_lgop(group, &big, 1, "max");
  GA_Pgroup_dgop(group, reals, 3, "+");
  EXPECT(ranks == (long)size * (size - 1) / 2, "%s: ranks sum up to %ld", what, ranks);
  EXPECT(big == GA_Pgroup_absolute_id(group, size - 1) || big > job.me, "%s: the largest is %ld", what, big);
  EXPECT(reals[0] == (double)ranks && reals[1] == size && reals[2] == (double)-ranks, "%s: sums %g %g %g",
         what, reals[0], reals[1], reals[2]);
  int word[5] = {0};
  if (rank == size - 1)
    for (int n = 0; n < 5; ++n) word[n] = 10 * job.me + n;
  GA_Pgroup_brdcst(group, word, sizeof word, size - 1);
  const int root = GA_Pgroup_absolute_id(group, size - 1);
  for (int n = 0; n < 5; ++n) EXPECT(word[n] == 10 * root + n, "%s: broadcast gave %d", what, word[n]);
  GA_Pgroup_sync(group);
}

static void array_inside(int group, const char* what) {
  const int size = GA_Pgroup_nnodes(group), rank = GA_Pgroup_nodeid(group);
  int dims[2] = {4 * size, 15};
  int g = NGA_Create_config(C_DBL, 2, dims, "inside", NULL, group);
  EXPECT(GA_Get_pgroup(g) == group, "%s: the array has group %d", what, GA_Get_pgroup(g));
  double block[4 * 15], alpha = 0.5;
  int lo[2] = {4 * rank, 0}, hi[2] = {4 * rank + 3, 14}, ld = 15;
  for (int n = 0; n < 4 * 15; ++n) block[n] = 1000 * rank + n;
  NGA_Put(g, lo, hi, block, &ld);
  GA_Pgroup_sync(group);
  const int next = (rank + 1) % size;
  lo[0] = 4 * next;
  hi[0] = lo[0] + 3;
  NGA_Get(g, lo, hi, block, &ld);
  for (int n = 0; n < 4 * 15; ++n)
    EXPECT(block[n] == 1000 * next + n, "%s: element %d is %g", what, n, block[n]);
  GA_Pgroup_sync(group);
  lo[0] = 0;
  hi[0] = 3;
  for (int n = 0; n < 4 * 15; ++n) block[n] = 2;
  NGA_Acc(g, lo, hi, block, &ld, &alpha);
  GA_Pgroup_sync(group);
  double sum = 0;
  NGA_Get(g, lo, hi, block, &ld);
  for (int n = 0; n < 4 * 15; ++n) sum += block[n] - n;
  EXPECT(sum == 60.0 * size, "%s: accumulated %g", what, sum);
  int at = 0;
  NGA_Distribution(g, rank, lo, hi);
  if (lo[0] <= hi[0]) at = NGA_Locate(g, lo);
  EXPECT(lo[0] > hi[0] || at == rank, "%s: rank %d's block is said to be at %d", what, rank, at);
  GA_Destroy(g);
}

/* All make an array of the world, though a smaller group of each is the default. */
static void array_of_the_world(void) {
  const int world = GA_Pgroup_get_world();
  int shared = GA_Create_handle(), dims[1] = {job.workers}, next = (job.me + 1) % job.workers, seen = -1;
  GA_Set_data(shared, 1, dims, C_INT);
  GA_Set_pgroup(shared, world);
  EXPECT(GA_Allocate(shared), "an array of the world was not made");
  NGA_Put(shared, &job.me, &job.me, &job.me, NULL);
  GA_Pgroup_sync(world);
  NGA_Get(shared, &next, &next, &seen, NULL);
  EXPECT(seen == next, "element %d of the world's array is %d", next, seen);
  GA_Destroy(shared);
}

static void as_default(int group) {
  GA_Pgroup_set_default(group);
  EXPECT(GA_Pgroup_get_default() == group, "the default group was not taken");
  const int size = GA_Nnodes();
  EXPECT(size == GA_Pgroup_nnodes(group) && GA_Nodeid() == GA_Pgroup_nodeid(group), "I am %d of %d",
         GA_Nodeid(), size);
  int one = 1, zero = 0;
  int counter = NGA_Create(C_LONG, 1, &one, "counter of the group", NULL);
  GA_Zero(counter);
  for (int n = 0; n < 10; ++n) NGA_Read_inc(counter, &zero, 1);
  GA_Sync();
  const long seen = NGA_Read_inc(counter, &zero, 0);
  EXPECT(seen == 10L * size, "the group's counter is %ld", seen);
  double x = 1;
  GA_Dgop(&x, 1, "+");
  EXPECT(x == size, "the default group has sum %g", x);
  GA_Destroy(counter);
  array_of_the_world();
  GA_Sync();
  GA_Pgroup_set_default(GA_Pgroup_get_world());
}

/* Groups from lists: the even and the odd ones, told in falling order too. */
static void from_lists(void) {
  const int parity = job.me % 2;
  int *list = malloc((size_t)job.workers * sizeof *list), count = 0;
  for (int w = parity; w < job.workers; w += 2) list[count++] = w;
  int group = GA_Pgroup_create(list, count);
  EXPECT(GA_Pgroup_nnodes(group) == count && GA_Pgroup_nodeid(group) == job.me / 2,
         "I am %d of %d in my list", GA_Pgroup_nodeid(group), GA_Pgroup_nnodes(group));
  sums_inside(group, "list");
  array_inside(group, "list");
  as_default(group);
  free(list);
  GA_Sync();
  GA_Pgroup_destroy(group);
}

int program_groups(void) {
  begin();
  const int world = GA_Pgroup_get_world();
  EXPECT(GA_Pgroup_nnodes(world) == job.workers, "the world has %d", GA_Pgroup_nnodes(world));
  sums_inside(world, "world");
  from_lists();
  if (job.workers > 1) {
    int halves = GA_Pgroup_split(world, 2);
    sums_inside(halves, "split");
    array_inside(halves, "split");
    as_default(halves);
    GA_Sync();
  }
  int coloured = GA_Pgroup_split_irreg(world, job.me % 3);
  EXPECT(GA_Pgroup_nnodes(coloured) == (job.workers - job.me % 3 + 2) / 3, "a colour has %d members",
         GA_Pgroup_nnodes(coloured));
  sums_inside(coloured, "colour");
  array_inside(coloured, "colour");
  GA_Sync();
  int alone = GA_Pgroup_create(&job.me, 1);
  sums_inside(alone, "alone");
  array_inside(alone, "alone");
  as_default(alone);
  GA_Sync();
  return verdict("groups");
}
