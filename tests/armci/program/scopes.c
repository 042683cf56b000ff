/* Collectives of groups and of hosts, and the fences that come before collectives. */
#include "check.h"

/* A write without a fence is there for everybody after any of them. */
void test_fences(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  int from = neighbour(nproc - 1), to = neighbour(1), word = 0;
  char plus[] = "+", max[] = "max";
  ARMCI_Group world;
  long payload[2] = {me, me};
  ARMCI_Group_get_world(&world);
  ARMCI_Malloc(at, 4096);
  volatile long* mine = at[me];
  memset(at[me], 0, 4096);
  ARMCI_Barrier();
  for (int which = 0; which < 9; ++which) {
    long* value = malloc(4096);
    for (int i = 0; i < 512; ++i) value[i] = me * 100 + which;
    ARMCI_NbPut(value, at[to], 4096, to, NULL);
    switch (which) {
      case 0:
        armci_msg_barrier();
        break;
      case 1:
        armci_msg_group_barrier(&world);
        break;
      case 2:
        armci_msg_bcast(&word, sizeof word, 0);
        break;
      case 3:
        armci_msg_igop(&word, 1, plus);
        break;
      case 4:
        armci_msg_reduce(&word, 1, plus, ARMCI_INT);
        break;
      case 5:
        armci_msg_sel(payload, sizeof payload, max, ARMCI_LONG, 1);
        break;
      case 6:
        armci_msg_group_igop(&word, 1, plus, &world);
        break;
      case 7:
        armci_msg_group_bcast_scope(SCOPE_ALL, &word, sizeof word, 0, &world);
        break;
      default:
        ARMCI_Barrier();
        break;
    }
    CHECK(mine[0] == from * 100 + which && mine[511] == from * 100 + which);
    armci_msg_barrier();
    free(value);
  }
  ARMCI_Free(at[me]);
  free(at);
}

static void test_group_messages(void) {
  int n = 0, rank = 0, word;
  int* list = malloc((size_t)nproc * sizeof *list);
  char *plus = at_edge("+"), max[] = {'m', 'a', 'x', '!'};
  ARMCI_Group half;
  for (int r = me % 2; r < nproc; r += 2) list[n++] = r;
  ARMCI_Group_create(n, list, &half);
  ARMCI_Group_rank(&half, &rank);
  int ones[3] = {1, 1, 1};
  long lone = me;
  long long llone = 1;
  float fone = 1;
  double done = 1;
  armci_msg_group_igop(ones, 3, plus, &half);
  armci_msg_group_lgop(&lone, 1, max, &half);
  armci_msg_group_llgop(&llone, 1, plus, &half);
  armci_msg_group_fgop(&fone, 1, plus, &half);
  armci_msg_group_dgop(&done, 1, plus, &half);
  CHECK(ones[0] == n && ones[2] == n && lone == list[n - 1]);
  CHECK(llone == n && fone == (float)n && done == n);
  word = 1;
  armci_msg_group_gop_scope(SCOPE_ALL, &word, 1, plus, ARMCI_INT, &half);
  CHECK(word == n);
  /* The root is a rank of the world. */
  word = me;
  armci_msg_group_bcast_scope(SCOPE_ALL, &word, sizeof word, list[n - 1], &half);
  CHECK(word == list[n - 1]);
  void** at = calloc((size_t)n, sizeof *at);
  at[rank] = &list[rank];
  armci_exchange_address_grp(at, n, &half);
  for (int i = 0; i < n; ++i) CHECK(at[i] != NULL);
  CHECK(at[rank] == &list[rank]);
  word = me;
  armci_grp_clus_brdcst(&word, sizeof word, 0, n, &half);
  CHECK(word == list[0]);
  ARMCI_Group_free(&half);
  free(at);
  free(list);
}

void test_scopes(void) {
  const armci_domain_t smp = ARMCI_DOMAIN_SMP;
  int here = armci_domain_nprocs(smp, -1), host = armci_domain_my_id(smp), hosts = armci_domain_count(smp);
  int first = armci_domain_glob_proc_id(smp, host, 0), last = armci_domain_glob_proc_id(smp, host, here - 1);
  char *plus = at_edge("+"), max[] = {'m', 'a', 'x', 'y', 'z'};
  int word = 1, root, up, left, right;
  armci_msg_gop_scope(SCOPE_NODE, &word, 1, plus, ARMCI_INT);
  CHECK(word == here);
  word = me;
  armci_msg_bcast_scope(SCOPE_NODE, &word, sizeof word, last);
  CHECK(word == last);
  long pair[2] = {me, me * 3L};
  armci_msg_sel_scope(SCOPE_NODE, pair, sizeof pair, max, ARMCI_LONG, 1);
  CHECK(pair[0] == last && pair[1] == last * 3L);
  armci_msg_bintree(SCOPE_NODE, &root, &up, &left, &right);
  CHECK(root == first && (up == -1) == (me == first));
  long lone = 1;
  long long llone = 1;
  float fone = 1;
  double done = 1;
  word = me;
  armci_msg_clus_brdcst(&word, sizeof word);
  CHECK(word == first);
  word = 1;
  armci_msg_clus_igop(&word, 1, plus);
  armci_msg_clus_lgop(&lone, 1, plus);
  armci_msg_clus_llgop(&llone, 1, plus);
  armci_msg_clus_fgop(&fone, 1, plus);
  armci_msg_clus_dgop(&done, 1, plus);
  CHECK(word == here && lone == here && llone == here && fone == (float)here && done == here);
  /* The first of each host; a call of another does nothing. */
  word = 1;
  armci_msg_gop_scope(SCOPE_MASTERS, &word, 1, plus, ARMCI_INT);
  CHECK(word == (me == first ? hosts : 1));
  word = me;
  armci_msg_bcast_scope(SCOPE_MASTERS, &word, sizeof word, 0);
  CHECK(word == (me == first ? 0 : me));
  armci_msg_barrier();
  test_group_messages();
}
