/* Calls every ARMCI function and checks what it did. Usage: PROGRAM WORKERS-OF-EACH-DOMAIN
 * [HOST-OF-EACH-WORKER], such as 2,2 or 1,1,1,1 0,1,0,1. */
#include "check.h"

int me, nproc, failures;

int neighbour(int steps) {
  return (me + steps) % nproc;
}

int main(int argc, char** argv) {
  CHECK(ARMCI_Initialized() == 0);
  ARMCI_Init_args(&argc, &argv);
  ARMCI_Init(); /* the second one changes nothing */
  CHECK(ARMCI_Initialized() == 1);
  me = armci_msg_me();
  nproc = armci_msg_nproc();

  test_contiguous();
  test_accumulate();
  test_nonblocking();
  test_values();
  test_flags();
  test_strided();
  test_vector();
  test_drawn();
  test_aggregate();
  test_atomics();
  test_memory();
  test_groups();
  test_default_group();
  test_broadcast();
  test_gop();
  test_select();
  test_names();
  test_reductions();
  test_point_to_point();
  test_fences();
  test_scopes();
  test_domains(argc > 1 ? argv[1] : "1", argc > 2 ? argv[2] : NULL);
  test_own();

  armci_msg_igop(&failures, 1, "+");
  if (me == 0) printf("%d workers, %d failures\n", nproc, failures);
  fflush(stdout);
  ARMCI_Finalize();
  ARMCI_Finalize();
  CHECK(ARMCI_Initialized() == 0);

  /* Once more, from the start. */
  ARMCI_Init();
  CHECK(ARMCI_Initialized() == 1 && armci_msg_nproc() == nproc);
  test_handles_of_before();
  test_groups();
  armci_msg_igop(&failures, 1, "+");
  ARMCI_Finalize();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
