/* Reductions against a plain model: every operation, type and scope, over the world and over a group, by gop,
 * reduce and sel. And the names of operations, which end where the known name ends. */
#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

char* at_edge(const char* name) {
  static char* edge = NULL;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), length = strlen(name);
  if (edge == NULL) {
    char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) abort();
    edge = pages + page;
  }
  return memcpy(edge - length, name, length);
}

/* A copy that begins in one page and ends in the next one. */
static char* over_edge(const char* name) {
  static char* edge = NULL;
  if (edge == NULL) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (edge == MAP_FAILED) abort();
    edge += page;
  }
  return memcpy(edge - 1, name, strlen(name));
}

/* From whole_only on of integers only; the last four are other names of the four before. */
enum { operations = 14, whole_only = 6, other_names = 10 };
static const char* const names[operations] = {"+",   "*",  "max", "min", "absmax", "absmin", "or",
                                              "and", "||", "&&",  "bor", "band",   "lor",    "land"};
static const int types[] = {ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE};
static const int scopes[] = {SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS};

static size_t bytes_of(int type) {
  if (type == ARMCI_INT) return sizeof(int);
  if (type == ARMCI_LONG) return sizeof(long);
  if (type == ARMCI_LONG_LONG) return sizeof(long long);
  return type == ARMCI_FLOAT ? sizeof(float) : sizeof(double);
}

static void set(void* x, int type, int i, long long value) {
  if (type == ARMCI_INT) ((int*)x)[i] = (int)value;
  if (type == ARMCI_LONG) ((long*)x)[i] = (long)value;
  if (type == ARMCI_LONG_LONG) ((long long*)x)[i] = value;
  if (type == ARMCI_FLOAT) ((float*)x)[i] = (float)value;
  if (type == ARMCI_DOUBLE) ((double*)x)[i] = (double)value;
}

static long long get(const void* x, int type, int i) {
  if (type == ARMCI_INT) return ((const int*)x)[i];
  if (type == ARMCI_LONG) return ((const long*)x)[i];
  if (type == ARMCI_LONG_LONG) return ((const long long*)x)[i];
  return (long long)(type == ARMCI_FLOAT ? ((const float*)x)[i] : ((const double*)x)[i]);
}

/* What a rank of the world brings: of both signs, and all floating-point results are exact. */
static long long brought(int rank, int i) {
  return (rank * 5 + i * 3) % 7 - 3;
}

static long long absolute(long long value) {
  return value < 0 ? -value : value;
}

static long long combined(int operation, long long a, long long b) {
  switch (operation < other_names ? operation : operation - 4) {
    case 0:
      return a + b;
    case 1:
      return a * b;
    case 2:
    case 4:
      return a > b ? a : b;
    case 3:
    case 5:
      return a < b ? a : b;
    case 6:
      return a | b;
    case 7:
      return a & b;
    case 8:
      return a || b;
    default:
      return a && b;
  }
}

struct team {
  int ranks[64];
  int size;
  int has_me;
};

/* The ranks of a scope of a group, whose ranks of the world are 0, step, 2 * step, ... or, from 1, likewise.
 */
static struct team team_of(int scope, int step) {
  struct team team = {{0}, 0, 0};
  int before = -1, mine = armci_domain_my_id(ARMCI_DOMAIN_SMP);
  for (int rank = me % step; rank < nproc; rank += step) {
    int domain = armci_domain_id(ARMCI_DOMAIN_SMP, rank);
    int is_first = domain != before;
    before = domain;
    if (scope == SCOPE_NODE && domain != mine) continue;
    if (scope == SCOPE_MASTERS && !is_first) continue;
    team.ranks[team.size++] = rank;
    team.has_me |= rank == me;
  }
  return team;
}

static long long expected(int operation, const struct team* team, int i) {
  long long result = 0;
  int is_truth = (operation < other_names ? operation : operation - 4) >= 8;
  for (int k = 0; k < team->size; ++k) {
    long long value = brought(team->ranks[k], i);
    if (operation == 4 || operation == 5) value = absolute(value);
    if (is_truth) value = value != 0;
    if (k == 0) result = value;
    if (k > 0) result = combined(operation, result, value);
  }
  return result;
}

/* x has a place too many, which stays. */
static void fill(void* x, int type, int count) {
  for (int i = 0; i < count; ++i) set(x, type, i, brought(me, i));
  set(x, type, count, 77);
}

static void check_result(const void* x, int type, int operation, const struct team* team, int count) {
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    long long right = team == NULL ? brought(me, i) : expected(operation, team, i);
    wrong += get(x, type, i) != right;
  }
  if (wrong > 0)
    fprintf(stderr, "%s of type %d, %d elements: %d wrong\n", names[operation], type, count, wrong);
  CHECK(wrong == 0);
  CHECK(get(x, type, count) == 77);
}

/* One operation by gop and by reduce, over a group and by the calls without one. */
static void check_both(int operation, int type, int scope, int step, ARMCI_Group* group, int count) {
  struct team team = team_of(scope, step);
  void* x = malloc(bytes_of(type) * (size_t)(count + 1));
  fill(x, type, count);
  armci_msg_group_gop_scope(scope, x, count, at_edge(names[operation]), type, group);
  check_result(x, type, operation, team.has_me ? &team : NULL, count);
#ifdef ARMCI_MPI
  team = team_of(scope, 1); /* the other calls are over the world, whatever the default group is */
#endif
  fill(x, type, count);
  armci_msg_gop_scope(scope, x, count, at_edge(names[operation]), type);
  check_result(x, type, operation, team.has_me ? &team : NULL, count);
  fill(x, type, count);
  armci_msg_reduce_scope(scope, x, count, at_edge(names[operation]), type);
  check_result(x, type, operation, me == team.ranks[0] ? &team : NULL, count);
  fill(x, type, count);
  if (scope == SCOPE_ALL) {
    armci_msg_reduce(x, count, at_edge(names[operation]), type);
    check_result(x, type, operation, me == team.ranks[0] ? &team : NULL, count);
  }
  free(x);
}

/* Of the ranks that contribute the one with the least or greatest value, the highest of several; without one
 * the last. The value is followed by who sent it. */
static void check_select(int type, int scope, int step, int is_max, int contributes_every) {
  struct team team;
  int winner = -1;
  double x[3] = {0};
#ifdef ARMCI_MPI
  step = 1;
#endif
  team = team_of(scope, step);
  for (int k = 0; k < team.size; ++k) {
    int rank = team.ranks[k];
    long long value = brought(rank, 0), best = winner < 0 ? 0 : brought(winner, 0);
    if (contributes_every == 0 || rank % contributes_every != 0) continue;
    if (winner < 0 || (is_max ? value >= best : value <= best)) winner = rank;
  }
  if (winner < 0) winner = team.ranks[team.size - 1];
  if (!team.has_me) winner = me;
  set(x, type, 0, brought(me, 0));
  memcpy(x + 1, &me, sizeof me);
  armci_msg_sel_scope(scope, x, sizeof x, at_edge(is_max ? "max" : "min"), type,
                      contributes_every != 0 && me % contributes_every == 0);
  CHECK(memcmp(x + 1, &winner, sizeof winner) == 0 && get(x, type, 0) == brought(winner, 0));
}

static void check_group(int step) {
  enum { several = 5, pieces = 70001 };
  int n = 0, list[64];
  ARMCI_Group group, world;
  for (int rank = me % step; rank < nproc; rank += step) list[n++] = rank;
  ARMCI_Group_get_world(&world);
  ARMCI_Group_create(n, list, &group);
  ARMCI_Group_set_default(&group);
  for (int t = 0; t < 5; ++t) {
    int is_whole = types[t] != ARMCI_FLOAT && types[t] != ARMCI_DOUBLE;
    for (int s = 0; s < 3; ++s) {
      for (int which = 0; which < (is_whole ? operations : whole_only); ++which) {
        check_both(which, types[t], scopes[s], step, &group, several);
      }
      for (int which = 0; which < 6; ++which) check_select(types[t], scopes[s], step, which % 2, which / 2);
    }
    check_both(4, types[t], SCOPE_ALL, step, &group, 0);
    check_both(5, types[t], SCOPE_ALL, step, &group, 1);
    check_both(4, types[t], SCOPE_ALL, step, &group, pieces);
  }
  ARMCI_Group_set_default(&world);
  armci_msg_barrier();
  ARMCI_Group_free(&group);
}

void test_reductions(void) {
  check_group(1);
  check_group(2);
}

/* What follows a name does not matter, nor that nothing can be read there. */
void test_names(void) {
  static const char* const tails[] = {"", " ", "   ", " xy", "xy", "+", "\n", "\001"};
  for (int which = 0; which < operations; ++which) {
    for (int tail = 0; tail < 8; ++tail) {
      char text[16];
      struct team all = team_of(SCOPE_ALL, 1);
      long x[2];
      sprintf(text, "%s%s", names[which], tails[tail]);
      fill(x, ARMCI_LONG, 1);
      armci_msg_lgop(x, 1, tail % 2 ? text : at_edge(text));
      check_result(x, ARMCI_LONG, which, &all, 1);
      fill(x, ARMCI_LONG, 1);
      armci_msg_lgop(x, 1, over_edge(text));
      check_result(x, ARMCI_LONG, which, &all, 1);
    }
  }
  char sum = '+';
  int word = 1;
  armci_msg_igop(&word, 1, &sum);
  CHECK(word == nproc);
  word = 1;
  armci_msg_reduce(&word, 1, &sum, ARMCI_INT);
  CHECK(word == (me == 0 ? nproc : 1));
}
