/* ARMCI waits for late members of a group, and for those who free memory whose group is gone, however short
 * COMEX_MEET_S is. */
#include <armci.h>
#include <message.h>
#include <unistd.h>

static int me;

static void comes_late(int who) {
  if (me == who) sleep(2);
}

int main(int argc, char** argv) {
  void* at[3];
  int all[3] = {0, 1, 2}, sum = 1;
  char plus[] = "+";
  ARMCI_Group group, child;
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  me = armci_msg_me();
  comes_late(0); /* who leads */
  ARMCI_Group_create(3, all, &group);
  comes_late(2);
  ARMCI_Group_create_child(3, all, &child, &group);
  ARMCI_Malloc_group(at, 8, &child);
  ARMCI_Group_free(&child);
  comes_late(1);
  ARMCI_Free(at[me]);
  armci_msg_group_igop(&sum, 1, plus, &group);
  ARMCI_Group_free(&group);
  ARMCI_Finalize();
  MPI_Finalize();
  return sum != 3;
}
