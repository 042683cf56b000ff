/* Groups: who is in them, memory over them, the default group. */
#include "check.h"

/* The ranks of one parity, the highest first. */
static int parity_list(int parity, int* list) {
  int n = 0;
  for (int rank = nproc - 1; rank >= 0; --rank) {
    if (rank % 2 == parity) list[n++] = rank;
  }
  return n;
}

static void check_members(ARMCI_Group* group, const int* list, int n) {
  int rank = -7, size = -7;
  CHECK(ARMCI_Group_rank(group, &rank) == 0);
  ARMCI_Group_size(group, &size);
  CHECK(size == n && rank >= 0 && rank < n && list[rank] == me);
  for (int i = 0; i < n; ++i) CHECK(ARMCI_Absolute_id(group, i) == list[i]);
}

static void check_memory(ARMCI_Group* group, const int* list, int n) {
  void** at = malloc((size_t)n * sizeof *at);
  int rank = 0, value = me + 100;
  ARMCI_Group_rank(group, &rank);
  CHECK(ARMCI_Malloc_group(at, sizeof(int), group) == 0);
  /* Operations name ranks of the world. */
  CHECK(ARMCI_Put(&value, at[(rank + 1) % n], sizeof(int), list[(rank + 1) % n]) == 0);
  armci_msg_group_barrier(group);
  CHECK(*(int*)at[rank] == list[(rank + n - 1) % n] + 100);
  armci_msg_group_barrier(group);
  CHECK(ARMCI_Free_group(at[rank], group) == 0);
  /* Free finds the group by itself. */
  CHECK(ARMCI_Malloc_group(at, sizeof(int), group) == 0);
  CHECK(ARMCI_Free(at[rank]) == 0);
  free(at);
}

/* Memory outlives its group, whose number may go to another one. */
static void check_outliving_memory(const int* list, int n) {
  void** at = malloc((size_t)n * sizeof *at);
  int rank = 0, alone[1] = {me};
  int* ranks = malloc((size_t)n * sizeof *ranks);
  ARMCI_Group gone, other;
  for (int i = 0; i < n; ++i) ranks[i] = list[i];
  for (int with_another = 0; with_another < 2; ++with_another) {
    ARMCI_Group_create(n, ranks, &gone);
    ARMCI_Group_rank(&gone, &rank);
    CHECK(ARMCI_Malloc_group(at, sizeof(int), &gone) == 0);
    ARMCI_Group_free(&gone);
    if (with_another) ARMCI_Group_create(1, alone, &other);
    *(int*)at[rank] = me;
    CHECK(ARMCI_Free(at[rank]) == 0);
    if (with_another) ARMCI_Group_free(&other);
  }
  free(ranks);
  free(at);
}

void test_groups(void) {
  int* list = malloc((size_t)nproc * sizeof *list);
  int n, rank = 0, size = -1;
  ARMCI_Group mine, all, pair, world;
  /* Members only */
  n = parity_list(me % 2, list);
  ARMCI_Group_create(n, list, &mine);
  check_members(&mine, list, n);
  check_memory(&mine, list, n);
  check_outliving_memory(list, n);
  /* Everybody calls, for the even ranks */
  n = parity_list(0, list);
  ARMCI_Group_create(n, list, &all);
  if (me % 2 == 0) {
    check_members(&all, list, n);
    check_memory(&all, list, n);
    ARMCI_Group_free(&all);
  } else {
    CHECK(ARMCI_Group_rank(&all, &rank) != 0 && rank == -1);
    ARMCI_Group_size(&all, &size);
    CHECK(size == 0);
  }
  /* A child: the first two ranks of the own parity's group, in their order there */
  n = parity_list(me % 2, list);
  ARMCI_Group_rank(&mine, &rank);
  if (rank < 2) {
    int first[2] = {0, 1};
    int members = n < 2 ? n : 2;
    ARMCI_Group_create_child(members, first, &pair, &mine);
    check_members(&pair, list, members);
    ARMCI_Group_free(&pair);
  }
  ARMCI_Group_free(&mine);
  ARMCI_Group_get_world(&world);
  ARMCI_Group_rank(&world, &rank);
  ARMCI_Group_size(&world, &size);
  CHECK(rank == me && size == nproc);
  free(list);
}

void test_default_group(void) {
  int* list = malloc((size_t)nproc * sizeof *list);
  void** at = malloc((size_t)nproc * sizeof *at);
  int n = parity_list(me % 2, list), rank = 0, size = 0;
  ARMCI_Group mine, now, world, first;
  ARMCI_Group_create(n, list, &mine);
  ARMCI_Group_rank(&mine, &rank);
  ARMCI_Group_set_default(&mine);
  ARMCI_Group_get_default(&now);
  ARMCI_Group_size(&now, &size);
  CHECK(size == n);
  /* Malloc, Free and Barrier are over it in one flavour; data operations still name ranks of the world. */
#ifdef ARMCI_MPI
  int ranks = nproc, mine_of_them = me;
  for (int r = 0; r < nproc; ++r) list[r] = r;
#else
  int ranks = n, mine_of_them = rank;
#endif
  int next = (mine_of_them + 1) % ranks, previous = (mine_of_them + ranks - 1) % ranks;
  CHECK(ARMCI_Malloc(at, 8) == 0);
  CHECK(ARMCI_PutValueLong(me, at[next], list[next]) == 0);
  ARMCI_Barrier();
  CHECK(*(long*)at[mine_of_them] == list[previous]);
  ARMCI_Barrier();
  CHECK(ARMCI_Free(at[mine_of_them]) == 0);
  CHECK(armci_msg_me() == me && armci_msg_nproc() == nproc);
  /* A new group's ranks are those of the default group. */
  if (rank == 0) {
    int zero[1] = {0};
    ARMCI_Group_create(1, zero, &first);
    CHECK(ARMCI_Absolute_id(&first, 0) == me);
    ARMCI_Group_free(&first);
  }
  ARMCI_Group_get_world(&world);
  ARMCI_Group_set_default(&world);
  ARMCI_Group_free(&mine);
  ARMCI_Barrier();
  free(list);
  free(at);
}
