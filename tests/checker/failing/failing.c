/* A collective step of the checker's own fails: by its code, as MPI tells it where the program has asked for
 * codes. The checker takes this MPI_Iscan, since the program's symbols come first. */
#include <comex/comex.h>
#include <mpi.h>

__attribute__((visibility("default"))) int PMPI_Iscan(const void* from, void* to, int count,
                                                      MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                                      MPI_Request* request) {
  (void)from, (void)to, (void)count, (void)type, (void)op, (void)comm;
  *request = MPI_REQUEST_NULL;
  return MPI_ERR_OTHER;
}

int main(int argc, char** argv) {
  MPI_Comm comm = MPI_COMM_NULL;
  int me = 0, sum = 0;
  MPI_Init(&argc, &argv);
  if (comex_init() != COMEX_SUCCESS) return 1;
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  comex_group_comm(COMEX_GROUP_WORLD, &comm);
  MPI_Scan(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
  comex_finalize();
  MPI_Finalize();
  return 0;
}
