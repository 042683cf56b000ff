/* A program in the manner of ARMCI's examples, by mp3.h alone. */
#include <armci.h>
#include <mp3.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int me = -1, nproc = -1;
  MP_INIT(argc, argv);
  MP_PROCS(&nproc);
  MP_MYID(&me);
  ARMCI_INIT(argc, argv);
  double since = MP_TIMER();
  int bad = me != armci_msg_me() || nproc != armci_msg_nproc() || MP_TIMER() < since;
  MP_BARRIER();
  if (me == 0) printf("%d workers, %d wrong\n", nproc, bad);
  ARMCI_Finalize();
  MP_FINALIZE();
  return bad;
}
