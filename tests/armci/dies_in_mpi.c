/* With COMEX_ON_FAILURE=continue a worker dies where MPI makes a communicator of ARMCI's own for a new group,
 * in which MPI holds the others for ever. */
#include <armci.h>
#include <message.h>
#include <signal.h>
#include <stdio.h>

static int dies;

__attribute__((visibility("default"))) int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  if (dies) raise(SIGKILL);
  return MPI_Comm_dup(comm, made);
}

int main(int argc, char** argv) {
  int all[3] = {0, 1, 2};
  ARMCI_Group group;
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  dies = armci_msg_me() == 1;
  ARMCI_Group_create(3, all, &group);
  printf("the dead have made a group\n");
  fflush(stdout);
  return 0;
}
