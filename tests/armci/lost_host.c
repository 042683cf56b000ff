/* A host is lost and the others go on: ARMCI's calls that have a result return it, aggregate handles too, and
 * one that has none ends the job, since it can neither give a value nor a mutex. `value`, `lock` or `trylock`
 * says which one comes at the end. */
#include <armci.h>
#include <armcix.h>
#include <comex/extended.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void use(const char* call, armcix_mutex_hdl_t mutexes, void* there) {
  long word = 0;
  armci_hdl_t aggregate;
  ARMCI_INIT_HANDLE(&aggregate);
  ARMCI_SET_AGGREGATE_HANDLE(&aggregate);
  ARMCI_NbPut(&word, there, sizeof word, 1, &aggregate);
  const int told = ARMCI_Wait(&aggregate);
  fprintf(stderr, "aggregate %d, get %d\n", told, ARMCI_Get(there, &word, sizeof word, 1));
  if (strcmp(call, "value") == 0) printf("went on with %ld\n", ARMCI_GetValueLong(there, 1));
  if (strcmp(call, "lock") == 0) ARMCIX_Lock_hdl(mutexes, 0, 1);
  if (strcmp(call, "trylock") == 0) printf("went on with %d\n", ARMCIX_Trylock_hdl(mutexes, 0, 1));
  printf("went on\n");
  fflush(stdout);
}

int main(int argc, char** argv) {
  enum { ranks = 4, server_of_the_second_host = 3 };
  int me = 0, pid = getpid(), pids[ranks];
  void* at[ranks];
  ARMCI_Group all;
  MPI_Init(&argc, &argv);
  MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
  ARMCI_Init();
  comex_set_errors(COMEX_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  ARMCI_Malloc(at, sizeof(long));
  ARMCI_Group_get_world(&all);
  armcix_mutex_hdl_t mutexes = ARMCIX_Create_mutexes_hdl(1, &all);
  ARMCI_Barrier();
  if (me == 0) {
    int failed = 0;
    kill(pids[server_of_the_second_host], SIGKILL);
    while (failed == 0) comex_failed(COMEX_GROUP_WORLD, &failed, NULL);
    use(argv[1], mutexes, at[1]);
    _exit(0);
  }
  for (;;) comex_progress();
}
