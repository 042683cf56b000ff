/* What few programs know of: arrays declared read-only (copied to each host), arrays laid over another's
 * memory, fields of one's own element type, a group as default with ghosts inside. */
#include "ga_test.h"

enum { rows = 21, columns = 30 };
static int dims[2] = {rows, columns};

static void fill(int g, double factor) {
  double row[columns];
  int ld = columns;
  for (int i = job.me; i < rows; i += job.workers) {
    int lo[2] = {i, 0}, hi[2] = {i, columns - 1};
    for (int j = 0; j < columns; ++j) row[j] = factor * (i * columns + j);
    NGA_Put(g, lo, hi, row, &ld);
  }
  GA_Sync();
}
static void compare(int g, double factor, const char* what) {
  double all[rows * columns];
  unsigned seed = 9u + (unsigned)job.me;
  for (int round = 0; round < 6; ++round) {
    struct patch p = draw_patch(&seed, 2, dims);
    int ld, at[2] = {p.lo[0], p.lo[1]};
    dense(&p, &ld);
    NGA_Get(g, p.lo, p.hi, all, &ld);
    long n = 0;
    do {
      const double expected = factor * (double)place(2, dims, at);
      EXPECT(all[n] == expected, "%s: (%d,%d) is %g", what, at[0], at[1], all[n]);
      ++n;
    } while (advance(&p, at));
  }
  GA_Sync();
}

/* Global Arrays finds a worker's part of its host's copy as if all hosts had equally many. */
static int hosts_are_even(void) {
  for (int h = 1; h < GA_Cluster_nnodes(); ++h)
    if (GA_Cluster_nprocs(h) != GA_Cluster_nprocs(0)) return 0;
  return 1;
}

static void read_only(void) {
  int g = NGA_Create(C_DBL, 2, dims, "to be read", NULL);
  fill(g, 1);
  NGA_Set_property(g, "read_only");
  compare(g, 1, "read only");
  compare(g, 1, "read only, again");
  NGA_Unset_property(g);
  compare(g, 1, "not read only any more");
  fill(g, 2);
  compare(g, 2, "written again");
  GA_Destroy(g);
}

static void laid_over(void) {
  int big[2] = {2 * rows, columns};
  int parent = NGA_Create(C_DBL, 2, big, "parent", NULL), g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_array_name(g, "child");
  EXPECT(GA_Overlay(g, parent), "the child was not laid over its parent");
  fill(g, 3);
  compare(g, 3, "overlay");
  GA_Destroy(g);
  GA_Destroy(parent);
}

struct particle {
  double mass;
  int charge, spin;
};

static void fields(void) {
  const int type = NGA_Register_type(sizeof(struct particle)), each = 9;
  int count = each * job.workers, lo = each * job.me, hi = lo + each - 1, first = 0, last = count - 1, ld = 1;
  int g = NGA_Create(type, 1, &count, "particles", NULL);
  struct particle mine[9];
  int charges[9];
  for (int n = 0; n < each; ++n) {
    mine[n] = (struct particle){lo + n, 0, -n};
    charges[n] = 7 * (lo + n);
  }
  NGA_Put(g, &lo, &hi, mine, &ld);
  GA_Sync();
  const int other = (job.me + 1) % job.workers;
  int from = each * other, to = from + each - 1;
  for (int n = 0; n < each; ++n) charges[n] = 7 * (from + n);
  NGA_Put_field(g, &from, &to, (int)offsetof(struct particle, charge), (int)sizeof(int), charges, &ld);
  GA_Sync();
  struct particle* all = malloc((size_t)count * sizeof *all);
  int* spins = malloc((size_t)count * sizeof *spins);
  NGA_Get(g, &first, &last, all, &ld);
  NGA_Get_field(g, &first, &last, (int)offsetof(struct particle, spin), (int)sizeof(int), spins, &ld);
  for (int n = 0; n < count; ++n)
    EXPECT(
        all[n].mass == n && all[n].charge == 7 * n && all[n].spin == -(n % each) && spins[n] == all[n].spin,
        "particle %d is %g %d %d, its spin alone %d", n, all[n].mass, all[n].charge, all[n].spin, spins[n]);
  GA_Sync();
  free(all);
  free(spins);
  GA_Destroy(g);
  NGA_Deregister_type(type);
}

static void ghosts_in_a_group(void) {
  const int half = GA_Pgroup_split_irreg(GA_Pgroup_get_world(), job.me % 2);
  GA_Pgroup_set_default(half);
  int width[2] = {1, 1}, lo[2], hi[2], extents[2], ld;
  int g = NGA_Create_ghosts(C_DBL, 2, dims, width, "ghosts of a group", NULL);
  double value = 5 + job.me % 2, *p;
  GA_Fill(g, &value);
  GA_Update_ghosts(g);
  NGA_Distribution(g, GA_Nodeid(), lo, hi);
  if (lo[0] <= hi[0] && lo[1] <= hi[1]) {
    NGA_Access_ghosts(g, extents, &p, &ld);
    for (int i = 0; i < extents[0]; ++i)
      for (int j = 0; j < extents[1]; ++j)
        EXPECT(p[i * ld + j] == value, "a ghost of the group's array is %g", p[i * ld + j]);
    NGA_Release_ghosts(g);
  }
  GA_Destroy(g);
  GA_Sync();
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  GA_Sync();
}

int program_properties(void) {
  begin();
  if (hosts_are_even()) read_only();
  laid_over();
  fields();
  ghosts_in_a_group();
  return verdict("properties");
}
