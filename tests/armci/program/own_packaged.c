/* What only the packaged flavour has. */
#include <armcix.h>

#include "check.h"

static void check_group(ARMCI_Group* group, int size, int rank) {
  int comm_rank = -1, comm_size = -1;
  CHECK(group->size == size && group->rank == rank);
  MPI_Comm_rank(group->comm, &comm_rank);
  MPI_Comm_size(group->comm, &comm_size);
  CHECK(comm_rank == rank && comm_size == size);
  for (int i = 0; i < size; ++i) CHECK(ARMCI_Absolute_id(group, i) == group->grp_to_abs[i]);
  CHECK(group->abs_to_grp[me] == rank && group->grp_to_abs[rank] == me);
}

static void test_split(void) {
  ARMCI_Group world, half, copy, some;
  int sum = 1;
  ARMCI_Group_get_world(&world);
  check_group(&world, nproc, me);
  /* By parity, the order turned round */
  int members = (nproc + 1 - me % 2) / 2;
  CHECK(ARMCIX_Group_split(&world, me % 2, -me, &half) == 0);
  check_group(&half, members, members - 1 - me / 2);
  CHECK(ARMCIX_Group_dup(&half, &copy) == 0);
  check_group(&copy, members, members - 1 - me / 2);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, copy.comm);
  CHECK(sum == members);
  ARMCI_Group_free(&copy);
  ARMCI_Group_free(&half);
  /* The others are in no group. */
  CHECK(ARMCIX_Group_split(&world, me == 0 ? 3 : -1, 0, &some) == 0);
  CHECK((some.comm == MPI_COMM_NULL) == (me != 0));
  CHECK(some.size == (me == 0) && some.rank == (me == 0 ? 0 : -1));
  if (me == 0) ARMCI_Group_free(&some);
}

static void test_mutexes(void) {
  enum { rounds = 20 };
  ARMCI_Group world;
  void** at = malloc((size_t)nproc * sizeof *at);
  ARMCI_Group_get_world(&world);
  ARMCI_Malloc(at, 8);
  memset(at[me], 0, 8);
  ARMCI_Create_mutexes(1);
  armcix_mutex_hdl_t few = ARMCIX_Create_mutexes_hdl(me + 1, &world);
  armcix_mutex_hdl_t more = ARMCIX_Create_mutexes_hdl(3, &world);
  int owner = nproc - 1, held = 0;
  for (int i = 0; i < rounds; ++i) {
    if (i % 2 == 0) ARMCIX_Lock_hdl(few, owner, owner);
    while (i % 2 == 1 && ARMCIX_Trylock_hdl(few, owner, owner) != 0) ARMCIX_Progress();
    ARMCI_PutValueLong(ARMCI_GetValueLong(at[0], 0) + 1, at[0], 0);
    ARMCI_Fence(0);
    ARMCIX_Unlock_hdl(few, owner, owner);
  }
  armci_msg_barrier();
  CHECK(ARMCI_GetValueLong(at[0], 0) == (long)nproc * rounds);
  /* One of all gets what everybody tries; other mutexes are free. */
  armci_msg_barrier();
  int got = ARMCIX_Trylock_hdl(more, 2, 0) == 0;
  armci_msg_barrier();
  held = got;
  char plus[] = "+";
  armci_msg_igop(&held, 1, plus);
  CHECK(held == 1);
  if (got) {
    CHECK(ARMCIX_Trylock_hdl(more, 2, 0) != 0);
    CHECK(ARMCIX_Trylock_hdl(more, 1, 0) == 0);
    ARMCIX_Unlock_hdl(more, 1, 0);
    ARMCIX_Unlock_hdl(more, 2, 0);
  }
  CHECK(ARMCIX_Destroy_mutexes_hdl(more) == 0);
  CHECK(ARMCIX_Destroy_mutexes_hdl(few) == 0);
  CHECK(ARMCIX_Destroy_mutexes_hdl(NULL) != 0);
  ARMCI_Destroy_mutexes();
  ARMCI_Free(at[me]);
  free(at);
}

/* The owner of a mutex is named by its rank in the world, whatever its rank in the group. */
static void test_mutexes_of_half(void) {
  ARMCI_Group world, half;
  ARMCI_Group_get_world(&world);
  CHECK(ARMCIX_Group_split(&world, me % 2, -me, &half) == 0);
  armcix_mutex_hdl_t mutexes = ARMCIX_Create_mutexes_hdl(me + 1, &half);
  const int highest = half.grp_to_abs[0], lowest = half.grp_to_abs[half.size - 1];
  ARMCIX_Lock_hdl(mutexes, highest, highest);
  if (highest != lowest) {
    ARMCIX_Lock_hdl(mutexes, lowest, lowest);
    ARMCIX_Unlock_hdl(mutexes, lowest, lowest);
  }
  ARMCIX_Unlock_hdl(mutexes, highest, highest);
  MPI_Barrier(half.comm);
  int got = ARMCIX_Trylock_hdl(mutexes, highest, highest) == 0, all = got;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, half.comm);
  CHECK(all == 1);
  if (got) ARMCIX_Unlock_hdl(mutexes, highest, highest);
  ARMCI_Group_free(&half); /* the mutexes outlive it */
  CHECK(ARMCIX_Destroy_mutexes_hdl(mutexes) == 0);
}

void test_own(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  test_split();
  test_mutexes();
  test_mutexes_of_half();
  ARMCI_Malloc(at, 8);
  ARMCI_Access_begin(at[me]);
  *(long*)at[me] = me;
  ARMCI_Access_end(at[me]);
  armci_msg_barrier();
  CHECK(ARMCI_GetValueLong(at[neighbour(1)], neighbour(1)) == neighbour(1));
  armci_msg_barrier();
  ARMCI_Free(at[me]);
  free(at);
}
