/* Reads rank and size of MPI_COMM_WORLD, then starts the runtime itself, ends it, goes on with MPI_COMM_WORLD
 * and starts it again. Under libcomex_world nothing of that changes who is who. At last it leaves the runtime
 * to MPI_Finalize, which first calls what the program has attached to MPI_COMM_SELF. */
#include <comex.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(claim)                      \
  do {                                    \
    if (!(claim)) fail(__LINE__, #claim); \
  } while (0)

static void fail(int line, const char* claim) {
  fprintf(stderr, "aware.c:%d: not so: %s\n", line, claim);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void one_sided(int rank, int size) {
  const int next = (rank + 1) % size;
  int mine = -1, workers = -1, sum = 0, value = 100 + rank;
  void** memory = malloc((size_t)size * sizeof *memory);
  long ticket = -1;
  CHECK(comex_group_rank(COMEX_GROUP_WORLD, &mine) == COMEX_SUCCESS && mine == rank);
  CHECK(comex_group_size(COMEX_GROUP_WORLD, &workers) == COMEX_SUCCESS && workers == size);
  CHECK(comex_malloc(memory, 64, COMEX_GROUP_WORLD) == COMEX_SUCCESS);
  *(long*)memory[rank] = 0;
  comex_barrier(COMEX_GROUP_WORLD);
  comex_rmw(COMEX_FETCH_AND_ADD_LONG, &ticket, memory[0], 1, 0, COMEX_GROUP_WORLD);
  CHECK(ticket >= 0 && ticket < size);
  comex_put(&value, (char*)memory[next] + 32, sizeof value, next, COMEX_GROUP_WORLD);
  comex_barrier(COMEX_GROUP_WORLD);
  CHECK(*(int*)((char*)memory[rank] + 32) == 100 + (rank + size - 1) % size);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == 100 * size + size * (size - 1) / 2);
  comex_free(memory[rank], COMEX_GROUP_WORLD);
  free(memory);
}

static int is_over = 0;

static int at_finalize(MPI_Comm self, int key, void* value, void* more) {
  int rank = -1, size = -1;
  (void)self, (void)key, (void)value, (void)more;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  one_sided(rank, size);
  is_over = 1;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int rank = -1, size = -1, again = -1, members = -1, key = MPI_KEYVAL_INVALID;
  MPI_Comm workers;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc > 1 && size == atoi(argv[1]));
  for (int life = 0; life < 2; life++) {
    CHECK((life == 0 ? comex_init() : comex_init_comm(MPI_COMM_WORLD)) == COMEX_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &again);
    CHECK(again == rank);
    one_sided(rank, size);
    comex_group_comm(COMEX_GROUP_WORLD, &workers);
    MPI_Comm_compare(workers, MPI_COMM_WORLD, &again);
    CHECK(again == MPI_CONGRUENT || again == MPI_IDENT);
    CHECK(comex_finalize() == COMEX_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &members);
    CHECK(members == size);
  }
  CHECK(comex_init() == COMEX_SUCCESS);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  if (rank == 0) printf("%d workers: right\n", size);
  MPI_Finalize();
  if (!is_over) return 3;
  return 0;
}
