/* Classic programs ask the messages before ARMCI_Init, and end ARMCI, the messages and MPI in whatever order.
 * By argument, a word of letters: what ends the program; x: a handler of its end. */
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ARMCI_MPI
#include <mp3.h>
#define START(argc, argv) MP_INIT(argc, argv)
#define END() MP_FINALIZE()
#else
#define START(argc, argv) armci_msg_init(&(argc), &(argv))
#define END() armci_msg_finalize()
#endif

static int messages_work(void) {
  int me = armci_msg_me(), nproc = armci_msg_nproc(), length = 0, bad = me < 0 || me >= nproc;
  int word = me == nproc - 1 ? 17 : 0, came = -1, largest = me;
  char sum[] = "+", max[] = "max";
  double one = 1;
  armci_msg_bcast(&word, sizeof word, nproc - 1);
  bad += word != 17;
  armci_msg_barrier();
  armci_msg_dgop(&one, 1, sum);
  bad += one != nproc;
  armci_msg_igop(&largest, 1, max);
  bad += largest != nproc - 1;
  if (nproc == 1) return bad;
  if (me == 0) armci_msg_snd(3, &nproc, sizeof nproc, 1);
  if (me == 1) armci_msg_rcv(3, &came, sizeof came, &length, 0);
  return bad + (me == 1 && (came != nproc || length != (int)sizeof came));
}

/* The handler of a program that ends by returning; a progress rank that has called START runs it, too. */
static void end_all(void) {
  int ended = 0;
  ARMCI_Finalize();
  MPI_Finalized(&ended);
  if (!ended) MPI_Finalize();
}

int main(int argc, char** argv) {
  int ended = 0, bad, before = -1;
  const int ends_at_exit = argc > 1 && strchr(argv[1], 'x') != NULL;
  if (ends_at_exit && atexit(end_all) != 0) return 1;
  START(argc, argv);
  before = armci_msg_me();
  bad = messages_work();
  for (const char* step = argc > 1 ? argv[1] : ""; *step != 0; ++step) {
    if (*step == 'I') ARMCI_Init();
    if (*step == 'a') ARMCI_Init_args(&argc, &argv);
    if (*step == 'w') bad += messages_work() + (before != armci_msg_me()) + (ARMCI_Initialized() != 1);
    if (*step == 'A') ARMCI_Finalize();
    if (*step == 'E') END();
    if (*step == 'M') MPI_Finalize();
  }
  MPI_Finalized(&ended);
  bad += ended == ends_at_exit;
  if (bad != 0) fprintf(stderr, "rank %d: %d wrong\n", before, bad);
  return bad;
}
