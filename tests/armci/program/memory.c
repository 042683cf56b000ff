/* Allocations of other kinds, and domains. */
#include "check.h"

void test_memory(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  char there[16] = "", text[16] = "abc";
  /* Sizes that differ; nobody gets memory of 0 bytes. */
  CHECK(ARMCI_Malloc(at, me == 0 ? 0 : 100 * me) == 0);
  CHECK(at[0] == NULL);
  for (int i = 1; i < nproc; ++i) CHECK(at[i] != NULL);
  CHECK(ARMCI_Free(at[me]) == 0);
  CHECK(ARMCI_Malloc(at, 0) == 0);
  for (int i = 0; i < nproc; ++i) CHECK(at[i] == NULL);
  CHECK(ARMCI_Free(at[me]) == 0);
  CHECK(ARMCI_Malloc_memdev(at, 100, NULL) == 0);
  CHECK(ARMCI_Put(text, at[neighbour(1)], 4, neighbour(1)) == 0);
  ARMCI_Barrier();
  CHECK(strcmp(at[me], "abc") == 0);
  CHECK(ARMCI_Free_memdev(at[me]) == 0);
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  CHECK(ARMCI_Malloc_group(at, 100, &world) == 0);
  CHECK(ARMCI_Free_group(at[me], &world) == 0);
  CHECK(ARMCI_Malloc_group(at, 0, &world) == 0);
  CHECK(at[me] == NULL);
  CHECK(ARMCI_Free_group(NULL, &world) == 0);
  CHECK(ARMCI_Malloc_group_memdev(at, 100, &world, NULL) == 0);
  CHECK(ARMCI_Free_group(at[me], &world) == 0);
  /* Local memory is reachable from afar. */
  memset(at, 0, (size_t)nproc * sizeof *at);
  at[me] = ARMCI_Malloc_local(32);
  CHECK(at[me] != NULL);
  strcpy(at[me], "local");
  armci_exchange_address(at, nproc);
  for (int i = 0; i < nproc; ++i) CHECK(at[i] != NULL);
  CHECK(ARMCI_Get(at[neighbour(1)], there, 6, neighbour(1)) == 0);
  CHECK(strcmp(there, "local") == 0);
  armci_msg_barrier();
  CHECK(ARMCI_Free_local(at[me]) == 0);
  ARMCI_Copy(text, there, 4);
  CHECK(strcmp(there, "abc") == 0);
  ARMCI_Set_shm_limit(1000000);
  ARMCI_Cleanup();
  free(at);
}

static int host_of(const char* hosts, int proc) {
  return hosts == NULL ? armci_domain_id(ARMCI_DOMAIN_SMP, proc) : hosts[2 * proc];
}

void test_domains(const char* members, const char* hosts) {
  const armci_domain_t smp = ARMCI_DOMAIN_SMP;
  int domains = armci_domain_count(smp), total = 0, expected = 0;
  for (const char* at = members; *at != '\0'; ++expected) {
    char* end;
    long workers = strtol(at, &end, 10);
    CHECK(armci_domain_nprocs(smp, expected) == workers);
    at = *end == ',' ? end + 1 : end;
  }
  CHECK(domains == expected);
  for (int id = 0; id < domains; ++id) {
    for (int local = 0; local < armci_domain_nprocs(smp, id); ++local, ++total) {
      int proc = armci_domain_glob_proc_id(smp, id, local);
      CHECK(armci_domain_id(smp, proc) == id);
      CHECK(armci_domain_same_id(smp, proc) == (id == armci_domain_my_id(smp)));
      CHECK(ARMCI_Same_node(proc) == (host_of(hosts, proc) == host_of(hosts, me)));
    }
  }
  CHECK(total == nproc);
  CHECK(armci_domain_nprocs(smp, -1) == armci_domain_nprocs(smp, armci_domain_my_id(smp)));
  CHECK(ARMCI_Same_node(me) == 1);
  /* Memory is shared where two have the same host. */
  int shared = 0;
  for (int proc = 0; proc < nproc; ++proc) shared |= proc != me && ARMCI_Same_node(proc);
  armci_msg_igop(&shared, 1, "max");
  ARMCI_Group world, alone;
  ARMCI_Group_get_world(&world);
  CHECK(ARMCI_Uses_shm() == shared && ARMCI_Uses_shm_grp(&world) == shared);
  ARMCI_Group_create(1, &me, &alone);
  CHECK(ARMCI_Uses_shm_grp(&alone) == 0);
  ARMCI_Group_free(&alone);
  /* What shares a host shares memory: a store is seen there without any message. */
  void** at = malloc((size_t)nproc * sizeof *at);
  ARMCI_Malloc(at, sizeof(int));
  *(int*)at[me] = me + 1;
  armci_msg_barrier();
  for (int proc = 0; proc < nproc; ++proc) {
    if (ARMCI_Same_node(proc)) CHECK(*(int*)at[proc] == proc + 1);
  }
  armci_msg_barrier();
  ARMCI_Free(at[me]);
  free(at);
}
