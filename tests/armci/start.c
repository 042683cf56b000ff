/* A program that starts MPI through ARMCI, as old ones do, and ends it there. */
#include <armci.h>
#include <message.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int started = 0, ended = 0, one = 1;
  char plus[] = "+";
  armci_msg_init(&argc, &argv);
  MPI_Initialized(&started);
  ARMCI_Init();
  armci_msg_igop(&one, 1, plus);
  int bad = !started || one != armci_msg_nproc();
  if (armci_msg_me() == 0) printf("%d workers, %d wrong\n", one, bad);
  ARMCI_Finalize();
  ARMCI_Finalize();
  armci_msg_finalize();
  MPI_Finalized(&ended);
  return bad || !ended;
}
