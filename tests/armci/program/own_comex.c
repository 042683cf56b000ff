/* What only the ComEx flavour has. */
#include <iterator.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static void test_memget(void) {
  armci_meminfo_t info;
  memset(&info, 0, sizeof info);
  if (me == 0) {
    ARMCI_Memget(64, &info, 0);
    CHECK(info.addr != NULL && info.size == 64 && info.cpid == 0);
    strcpy(info.addr + 8, "shared");
  }
  armci_msg_bcast(&info, sizeof info, 0);
  char* there = ARMCI_Memat(&info, 8);
  CHECK((there != NULL) == (ARMCI_Same_node(0) != 0));
  if (there != NULL) CHECK(strcmp(there, "shared") == 0);
  char got[8] = "";
  CHECK(ARMCI_Get(info.armci_addr + 8, got, 7, 0) == 0);
  CHECK(strcmp(got, "shared") == 0);
  ARMCI_Memdt(&info, 8);
  armci_msg_barrier();
  ARMCI_Memctl(&info);
}

static void test_notify(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  int to = neighbour(1), from = neighbour(nproc - 1), count = 0;
  ARMCI_Malloc(at, 8000);
  for (int round = 1; round <= 3; ++round) {
    long* values = malloc(8000);
    for (int i = 0; i < 1000; ++i) values[i] = me + round * 1000;
    CHECK(ARMCI_Put(values, at[to], 8000, to) == 0);
    CHECK(armci_notify(to) == 0);
    CHECK(armci_notify_wait(from, &count) == 0);
    CHECK(count == round);
    CHECK(((long*)at[me])[0] == from + round * 1000 && ((long*)at[me])[999] == from + round * 1000);
    armci_msg_barrier();
    free(values);
  }
  ARMCI_Free(at[me]);
  free(at);
}

static void test_iterator(void) {
  char memory[400];
  int strides[2] = {20, 100}, counts[3] = {5, 3, 2}, segments = 0;
  stride_info_t info;
  armci_stride_info_init(&info, memory, 2, strides, counts);
  CHECK(armci_stride_info_size(&info) == 6 && armci_stride_info_count(&info) == 6);
  for (; armci_stride_info_has_more(&info); armci_stride_info_next(&info), ++segments) {
    int offset = segments % 3 * 20 + segments / 3 * 100;
    CHECK(armci_stride_info_pos(&info) == segments && armci_stride_info_seg_size(&info) == 5);
    CHECK(armci_stride_info_seg_ptr(&info) == memory + offset);
    CHECK(armci_stride_info_seg_off(&info) == offset);
  }
  CHECK(segments == 6);
  armci_stride_info_destroy(&info);
  /* A count of 0 leaves no segments, however many the others would make. */
  int none[5] = {20, 100, 100, 100, 100}, large[6] = {1, 65536, 65536, 65536, 65536, 0};
  armci_stride_info_init(&info, memory, 5, none, large);
  CHECK(armci_stride_info_size(&info) == 0 && armci_stride_info_has_more(&info) == 0);
}

static void test_comm(void) {
  int rank = -1, size = -1, sum = 1;
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  MPI_Comm comm = armci_group_comm(&world);
  CHECK(comm == ARMCI_COMM_WORLD);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  CHECK(rank == me && size == nproc);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == nproc);
}

/* Collectives follow the default group: a worker outside of it takes no part. */
static void test_outside_of_the_default_group(void) {
  int first[1] = {0}, word = me;
  ARMCI_Group alone, world;
  ARMCI_Group_get_world(&world);
  ARMCI_Group_create(1, first, &alone);
  ARMCI_Group_set_default(&alone);
  armci_msg_clus_brdcst(&word, sizeof word);
  CHECK(word == me);
  ARMCI_Group_set_default(&world);
  ARMCI_Group_free(&alone);
}

/* A line is written at once, so that those of several ranks do not mix: one datagram. */
static void test_complaint(void) {
  int ends[2], errors = dup(STDERR_FILENO);
  char got[64] = "";
  if (errors < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) abort();
  dup2(ends[1], STDERR_FILENO);
  const int length = derr_printf("rank %d has", me);
  dup2(errors, STDERR_FILENO);
  const long bytes = (long)recv(ends[0], got, sizeof got - 1, 0);
  CHECK(bytes == length + 1 && got[length] == '\n' && strncmp(got, "rank ", 5) == 0);
  close(ends[0]);
  close(ends[1]);
  close(errors);
}

void test_own(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  ARMCI_Group world;
  int flag_value = 0, word = 3, stride[1] = {4}, count[2] = {4, 1}, to = neighbour(1);
  test_memget();
  test_notify();
  test_iterator();
  test_comm();
  test_outside_of_the_default_group();
  test_complaint();
  ARMCI_Group_get_world(&world);
  ARMCI_Malloc(at, 8);
  memset(at[me], 0, 8);
  armci_msg_barrier();
  CHECK(ARMCI_PutS_flag_dir(&word, stride, at[to], stride, count, 1, (int*)at[to] + 1, 9, to) == 0);
  ARMCI_GroupFence(&world);
  armci_msg_barrier();
  flag_value = ((int*)at[me])[1];
  CHECK(flag_value == 9 && *(int*)at[me] == 3);
  CHECK(ARMCI_Put1(&word, at[to], 4, to) == 0);
  armci_msg_barrier();
  ARMCI_Free(at[me]);
  CHECK(armci_sameclusnode(me) == 1);
  CHECK(mp_group_name != NULL);
  dassert(1, me >= 0);
  dassert1(1, me >= 0, me);
  dassertp(1, me >= 0, ("rank %d", me));
  dassertc(0, me < 0, ("rank %d", me), FAIL2);
  free(at);
}
