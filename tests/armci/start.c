/* Programs that start MPI through ARMCI, as old ones do by the messages' init, and others by the level of
 * threads. */
#include <armci.h>
#include <message.h>
#include <stdio.h>

#ifdef ARMCI_MPI
static int starts(int* argc, char*** argv) {
  int level = -1;
  (void)argc, (void)argv;
  const int result = ARMCI_Init_thread(MPI_THREAD_MULTIPLE);
  MPI_Query_thread(&level);
  return result == 0 && level == MPI_THREAD_MULTIPLE;
}
/* Of two inits and two ends, the last end counts. */
static int works_until_the_last_end(void) {
  const int me = armci_msg_me(), nproc = armci_msg_nproc(), next = (me + 1) % nproc;
  void* at[8];
  int word = 5;
  ARMCI_Init();
  ARMCI_Malloc(at, sizeof word);
  ARMCI_Finalize();
  int works = ARMCI_Initialized() == 1;
  ARMCI_Put(&word, at[next], sizeof word, next);
  ARMCI_Barrier();
  works = works && *(int*)at[me] == word;
  ARMCI_Free(at[me]);
  return works;
}
static void end(void) {
  MPI_Finalize();
}
#else
static int starts(int* argc, char*** argv) {
  int started = 0;
  armci_msg_init(argc, argv);
  MPI_Initialized(&started);
  ARMCI_Init();
  return started;
}
static int works_until_the_last_end(void) {
  return 1; /* the first end counts */
}
static void end(void) {
  armci_msg_finalize();
}
#endif

int main(int argc, char** argv) {
  int ended = 0, one = 1;
  char plus[] = "+";
  int bad = !starts(&argc, &argv);
  armci_msg_igop(&one, 1, plus);
  bad += one != armci_msg_nproc();
  if (armci_msg_me() == 0) printf("%d workers, %d wrong\n", one, bad);
  bad += !works_until_the_last_end();
  ARMCI_Finalize();
  bad += ARMCI_Initialized() != 0;
  ARMCI_Finalize();
  end();
  MPI_Finalized(&ended);
  return bad || !ended;
}
