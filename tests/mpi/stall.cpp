// Waits that last: worker 1 waits for a mutex that worker 0 holds, then worker 0 in a barrier for worker 1.
// Or, where workers serve themselves, worker 0 for a get from worker 1, or a fence, which is in no call.
//
// Or all calls whose waits are made of others: worker 1 in a malloc over a group, then in finalize, and
// worker 2 in wait_until, while worker 0 is late.
//
// Or the members of a group, of whom the last is late.
//
// Usage: stall [SECONDS [get | fence | calls | members]]   how long one keeps the other waiting. stall_test
// looks at what is printed.
#include <comex/comex.h>
#include <unistd.h>

#include <cstdlib>

namespace {

void lock_and_meet(int me, unsigned seconds) {
  comex_create_mutexes(1);
  if (me == 0) comex_lock(0, 0);
  comex_barrier(COMEX_GROUP_WORLD);
  if (me == 1) comex_lock(0, 0);
  if (me == 0) sleep(seconds);
  if (me <= 1) comex_unlock(0, 0);
  if (me == 1) sleep(seconds);
  comex_barrier(COMEX_GROUP_WORLD);
}

void get_from_one_that_sleeps(int me, unsigned seconds, bool puts) {
  void* words[2] = {};
  comex_malloc(words, sizeof(long), COMEX_GROUP_WORLD);
  comex_barrier(COMEX_GROUP_WORLD);
  int members[] = {1, 0};
  comex_group_t reversed{};
  comex_group_create(2, members, COMEX_GROUP_WORLD, &reversed);
  comex_barrier(COMEX_GROUP_WORLD);
  MPI_Comm workers = MPI_COMM_NULL;
  comex_group_comm(COMEX_GROUP_WORLD, &workers);
  if (me == 1) {  // out of the barrier, where it would have served
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, workers);
    sleep(seconds);
  }
  if (me == 0) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, workers, MPI_STATUS_IGNORE);
    long word = 0;
    comex_request_t handle{};
    if (puts) {
      comex_nbput(&word, words[1], sizeof word, 0, reversed, nullptr);
      comex_fence_all(COMEX_GROUP_WORLD);
    }
    comex_nbget(words[1], &word, sizeof word, 0, reversed, &handle);
    comex_wait(&handle);
  }
  comex_barrier(COMEX_GROUP_WORLD);
}

void come_late_to_calls(int me, unsigned seconds) {
  void* words[3] = {};
  comex_malloc(words, sizeof(long), COMEX_GROUP_WORLD);
  long* const word = static_cast<long*>(words[2]);
  if (me == 2) *word = 0;
  int members[] = {0, 1};
  comex_group_t pair{};
  comex_group_create(2, members, COMEX_GROUP_WORLD, &pair);
  comex_barrier(COMEX_GROUP_WORLD);
  if (me == 0) sleep(seconds);
  void* blocks[2] = {};
  if (me < 2) comex_malloc(blocks, 100, pair);
  long one = 1;
  if (me == 0) comex_put(&one, word, sizeof one, 2, COMEX_GROUP_WORLD);
  if (me == 2) comex_wait_until(word, COMEX_CMP_EQ, 1);
  comex_barrier(COMEX_GROUP_WORLD);
  if (me == 0) sleep(seconds);
}

// Of four members the last one is late; not all of the others wait for it, but for each other.
void meet_in_a_group(int me, unsigned seconds) {
  int members[] = {0, 1, 2, 3};
  comex_group_t group{};
  comex_group_create(4, members, COMEX_GROUP_WORLD, &group);
  if (me == 3) sleep(seconds);
  comex_barrier(group);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned seconds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 3;
  MPI_Init(&argc, &argv);
  if (comex_init() != COMEX_SUCCESS) return EXIT_FAILURE;
  int me = 0;
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  if (argc > 2 && argv[2][0] == 'c') {
    come_late_to_calls(me, seconds);
  } else if (argc > 2 && argv[2][0] == 'm') {
    meet_in_a_group(me, seconds);
  } else if (argc > 2) {
    get_from_one_that_sleeps(me, seconds, argv[2][0] == 'f');
  } else {
    lock_and_meet(me, seconds);
  }
  comex_finalize();
  MPI_Finalize();
  return EXIT_SUCCESS;
}
