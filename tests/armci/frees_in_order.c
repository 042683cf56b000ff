/* MPI may wait for all members where a communicator is freed, as this one does. Of two groups that are left
 * to the end, the one that was made first has the lower handle on worker 1 and the higher one on worker 0. */
#include <armci.h>
#include <message.h>

__attribute__((visibility("default"))) int PMPI_Comm_free(MPI_Comm* comm) {
  MPI_Barrier(*comm);
  return MPI_Comm_free(comm);
}

int main(int argc, char** argv) {
  int both[2] = {0, 1};
  ARMCI_Group alone, first, second;
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  if (armci_msg_me() == 0) ARMCI_Group_create(1, both, &alone);
  ARMCI_Group_create(2, both, &first);
  if (armci_msg_me() == 0) ARMCI_Group_free(&alone);
  ARMCI_Group_create(2, both, &second);
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
