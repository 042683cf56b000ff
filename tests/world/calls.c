/* A program that knows MPI_COMM_WORLD and nothing else. It takes the number of ranks it must find there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

#define CHECK(claim)                      \
  do {                                    \
    if (!(claim)) fail(__LINE__, #claim); \
  } while (0)

static void fail(int line, const char* claim) {
  fprintf(stderr, "calls.c:%d: rank %d of %d: not so: %s\n", line, rank, size, claim);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void collectives(void) {
  int sum = -1, above = -1, root_says = rank == size - 1 ? 77 : 0, all[64];
  MPI_Request request;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Bcast(&root_says, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  CHECK(root_says == 77);
  MPI_Scan(&rank, &above, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(above == rank * (rank + 1) / 2);
  MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; i++) CHECK(all[i] == i);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void messages(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int got = -1, flag = 0;
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Status status, both[2];
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &status);
  CHECK(got == before && status.MPI_SOURCE == before);
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&size, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, both);
  CHECK(got == size);
  MPI_Send_init(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Mprobe(before, 3, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  CHECK(got == before);
  MPI_Iprobe(before, 99, MPI_COMM_WORLD, &flag, &status);
  CHECK(!flag);
}

static void communicators(void) {
  MPI_Comm half, copy, grid, both, made;
  MPI_Group group, first;
  int result = -1, half_size = -1, copy_size = -1, zero = 0, mine = -1, periodic = 1, length = 0;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_size(half, &half_size);
  CHECK(half_size == (size + 1 - rank % 2) / 2);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_size(copy, &copy_size);
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  CHECK(copy_size == size && result == MPI_CONGRUENT);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_IDENT);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_size(group, &copy_size);
  CHECK(copy_size == size);
  MPI_Group_incl(group, 1, &zero, &first);
  MPI_Comm_create(MPI_COMM_WORLD, first, &made);
  CHECK((made == MPI_COMM_NULL) == (rank != 0));
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &grid);
  MPI_Cart_rank(grid, &rank, &mine);
  CHECK(mine == rank);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
  MPI_Comm_remote_size(both, &mine);
  CHECK(mine == size - half_size);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(copy)) == copy);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  MPI_Comm_size(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)), &mine);
  CHECK(mine == size);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
  MPI_Comm_free(&both);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Group_free(&group);
  MPI_Group_free(&first);
}

static void attributes(void) {
  const int keys[] = {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM};
  MPI_Comm copy;
  int found = 0, mine, *value = NULL, own = 4711, is_told, *told = NULL;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    PMPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &told, &is_told); /* of the real world */
    MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &value, &found);
    CHECK(found == is_told && (!found || *value == *told));
  }
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  CHECK(found && *value >= 32767);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_get_attr(copy, MPI_TAG_UB, &value, &found);
  CHECK(found && *value >= 32767);
  MPI_Comm_free(&copy);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &mine, NULL);
  MPI_Comm_get_attr(MPI_COMM_WORLD, mine, &value, &found);
  CHECK(!found);
  MPI_Comm_set_attr(MPI_COMM_WORLD, mine, &own);
  MPI_Comm_get_attr(MPI_COMM_WORLD, mine, &value, &found);
  CHECK(found && value == &own);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, mine);
  MPI_Comm_free_keyval(&mine);
}

/* Windows want shared memory, or a network that does them. */
static int everybody_is_here(void) {
  MPI_Comm here;
  int beside = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &beside);
  MPI_Comm_free(&here);
  return beside == size;
}

static void windows_and_files(int on_one_host) {
  char name[64];
  MPI_Offset bytes = 0;
  MPI_File file;
  int shared = rank;
  if (on_one_host) {
    MPI_Win window;
    /* MPICH 4.0.2 confuses the parts of windows smaller than a page, with or without libcomex_world. */
    const MPI_Aint page = 4096;
    int *memory = NULL, seen = -1;
    MPI_Win_allocate(page, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    *memory = 10 * rank;
    MPI_Win_fence(0, window);
    MPI_Get(&seen, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(seen == 10 * ((rank + 1) % size));
    MPI_Win_free(&window);
  }
  snprintf(name, sizeof name, "world_calls.%ld", (long)getpid()); /* other jobs test beside this one */
  MPI_Bcast(name, (int)sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file) == MPI_SUCCESS);
  MPI_File_write_at_all(file, (MPI_Offset)rank * (MPI_Offset)sizeof(int), &shared, 1, MPI_INT,
                        MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(file, &bytes);
  CHECK(bytes == (MPI_Offset)size * (MPI_Offset)sizeof(int));
  MPI_File_close(&file);
}

static void errors(void) {
  int number = 1;
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  CHECK(handler == MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&number, 1, MPI_INT, size, 0, MPI_COMM_WORLD) != MPI_SUCCESS); /* no such rank here */
  CHECK(MPI_Type_contiguous(-1, MPI_INT, NULL) != MPI_SUCCESS); /* an error of no communicator */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}

#if MPI_VERSION >= 4
/* A group that comes from a session must not hold progress ranks: they would not join. */
static void sessions(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm made;
  int members = -1, sum = -1, result = -1;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_size(group, &members);
  CHECK(members == size);
  MPI_Comm_create_from_group(group, "calls.c", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Comm_compare(made, MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_free(&made);
  MPI_Group_free(&group);
  MPI_Group_from_session_pset(session, "mpi://SELF", &group);
  MPI_Group_size(group, &members);
  CHECK(members == 1);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}

static void calls_since_mpi_4(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int sum = -1, got = -1;
  MPI_Count many = 1;
  MPI_Request request, ways[2];
  MPI_Status status, both[2];
  MPI_Allreduce_c(&rank, &sum, many, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Allreduce_init(&rank, &got, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, &status);
  MPI_Request_free(&request);
  CHECK(got == size - 1);
  MPI_Isendrecv(&rank, 1, MPI_INT, next, 6, &got, 1, MPI_INT, before, 6, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK(got == before);
  MPI_Psend_init(&rank, 1, many, MPI_INT, next, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &ways[0]);
  MPI_Precv_init(&got, 1, many, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &ways[1]);
  got = -1;
  MPI_Startall(2, ways);
  MPI_Pready(0, ways[0]);
  MPI_Waitall(2, ways, both);
  CHECK(got == before);
  MPI_Request_free(&ways[0]);
  MPI_Request_free(&ways[1]);
  sessions();
}
#else
static void calls_since_mpi_4(void) {}
#endif

int main(int argc, char** argv) {
  int provided = -1;
  const int threaded = argc > 2 && strcmp(argv[2], "thread") == 0;
  if (threaded) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(!threaded || provided >= MPI_THREAD_FUNNELED);
  CHECK(argc > 1 && size == atoi(argv[1]));
  CHECK(rank >= 0 && rank < size);
  collectives();
  messages();
  communicators();
  attributes();
  windows_and_files(everybody_is_here());
  errors();
  calls_since_mpi_4();
  collectives();
  if (rank == 0) printf("%d ranks: right\n", size);
  MPI_Finalize();
  return 0;
}
