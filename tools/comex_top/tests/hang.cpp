// comex_top_hang KIND: a job that hangs in that way, for ever. 4 workers; `top_why_test.py` says what is to
// be found.
#include <comex/comex.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int me = -1;
int size = 0;
std::vector<void*> memory;
char own[4096];
constexpr int large_bytes = 64 << 20;
std::vector<char> large(large_bytes);

void barrier() {
  comex_barrier(COMEX_GROUP_WORLD);
}
[[noreturn]] void compute() {
  std::atomic<unsigned long> steps = 0;
  for (;;) ++steps;
}
[[noreturn]] void sleep_on() {
  for (;;) pause();
}
void get_from(int target) {
  comex_get(memory[static_cast<std::size_t>(target)], own, sizeof own, target, COMEX_GROUP_WORLD);
}

// Its server has the header, and some of the body at most: the rest needs calls.
[[noreturn]] void compute_with_a_body_under_way() {
  comex_request_t handle = 0;
  comex_nbput(large.data(), memory[2], large_bytes, 2, COMEX_GROUP_WORLD, &handle);
  compute();
}

// Each locks the mutex of its own, and then the next one's.
void lock_in_a_circle(int members) {
  if (me < members) comex_lock(0, me);
  barrier();
  if (me < members) comex_lock(0, (me + 1) % members);
  barrier();
}

// The same by two threads, while the workers themselves wait for a word.
void lock_in_threads() {
  if (me < 2) comex_lock(0, me);
  barrier();
  if (me >= 2) return;
  std::thread([] { comex_lock(0, 1 - me); }).detach();
  comex_wait_until(static_cast<long*>(memory[static_cast<std::size_t>(me)]), COMEX_CMP_EQ, 7);
}

void barrier_of_part() {
  int members[] = {0, 2};
  comex_group_t part = COMEX_GROUP_NULL;
  comex_group_create(2, members, COMEX_GROUP_WORLD, &part);
  if (me == 2) sleep_on();
  if (me == 0) comex_barrier(part);
  sleep_on();
}

// All are members; 0 and 3 come. With two hosts nobody waits for 1 directly.
void barrier_of_all() {
  int members[] = {0, 1, 2, 3};
  comex_group_t all = COMEX_GROUP_NULL;
  comex_group_create(4, members, COMEX_GROUP_WORLD, &all);
  if (me == 0 || me == 3) comex_barrier(all);
  sleep_on();
}

void receive_what_nobody_sends() {
  MPI_Comm workers = MPI_COMM_NULL;
  comex_group_comm(COMEX_GROUP_WORLD, &workers);
  MPI_Recv(own, 1, MPI_BYTE, 0, 77, workers, MPI_STATUS_IGNORE);
}

void hold_and(void (*then)()) {
  if (me == 1) comex_lock(0, 0);
  barrier();
  if (me == 1) then();
  comex_lock(0, 0);
}

void stop() {
  raise(SIGSTOP);
}

[[noreturn]] void test_on(int target) {
  void* const there = memory[static_cast<std::size_t>(target)];
  comex_request_t handles[] = {0, 0};
  comex_nbget(memory[0], own, 8, 0, COMEX_GROUP_WORLD, &handles[0]);
  comex_nbget(there, own, sizeof own, target, COMEX_GROUP_WORLD, &handles[1]);
  for (int is_pending = 1, tests = 0;; ++tests) comex_test(&handles[tests % 2], &is_pending);
}

// Worker 0 does it, when the test has stopped the progress rank that it needs, or made it busy: a line from
// standard input says so.
void ask_a_stopped_server(std::string_view how) {
  std::printf("worker %d has met the others\n", me);
  std::fflush(stdout);
  if (me != 0) sleep_on();
  char letter = 0;
  while (read(STDIN_FILENO, &letter, 1) != 1) {
  }
  const int target = size - 1;
  void* const there = memory[static_cast<std::size_t>(target)];
  if (how == "server_get") get_from(target);
  if (how == "server_lock") comex_lock(0, target);
  if (how == "server_fence") {
    comex_put(own, there, 8, target, COMEX_GROUP_WORLD);
    comex_fence_proc(target, COMEX_GROUP_WORLD);
  }
  if (how == "server_credits") {  // until the server would have to grant new ones
    for (;;) {
      comex_request_t handle = 0;
      comex_nbput(own, there, sizeof own, target, COMEX_GROUP_WORLD, &handle);
    }
  }
  if (how == "server_test") test_on(target);
  if (how == "server_handle") {
    comex_request_t handle = 0;
    comex_nbget(there, own, sizeof own, target, COMEX_GROUP_WORLD, &handle);
    comex_wait(&handle);
  }
}

void try_to_lock() {
  for (int acquired = 0, tries = 0; acquired == 0; ++tries) comex_trylock(0, tries % 2, &acquired);
}

// As hold_and, but the others do not wait in a lock.
void hold_from_who_tries() {
  if (me == 1) comex_lock(0, 0), comex_lock(0, 1);
  barrier();
  if (me == 1) compute();
  if (me == 3) try_to_lock();
}

// A group of those who live, once so many are known to have died.
comex_group_t shrunk(int dead) {
  for (int known = 0; known < dead;) comex_failed(COMEX_GROUP_WORLD, &known, nullptr);
  comex_group_t living = COMEX_GROUP_NULL;
  comex_group_shrink(COMEX_GROUP_WORLD, &living);
  return living;
}

void go_on_without_the_last() {
  if (me == 3) raise(SIGKILL);
  const comex_group_t living = shrunk(1);
  if (me == 2) comex_finalize(), _exit(0);
  if (me == 0) comex_barrier(living);
  sleep_on();
}

// The test kills the last host.
void go_on_without_a_host() {
  std::printf("worker %d has met the others\n", me);
  std::fflush(stdout);
  if (me >= 2) sleep_on();
  const comex_group_t living = shrunk(2);
  if (me == 0) comex_barrier(living);
  sleep_on();
}

void hang(std::string_view kind) {
  const bool is_one = me == 1;
  if (kind == "computes" && is_one) compute();
  if (kind == "sleeps" && is_one) sleep_on();
  if (kind == "stopped" && is_one) stop();
  if (kind == "own_mpi" && is_one) receive_what_nobody_sends();
  if (kind == "word" && is_one) comex_wait_until(static_cast<long*>(memory[1]), COMEX_CMP_EQ, 7);
  if (kind == "other_call" && is_one) comex_fence_all(COMEX_GROUP_WORLD), comex_create_mutexes(1);
  if (kind == "two_locks") lock_in_a_circle(2);
  if (kind == "four_locks") lock_in_a_circle(4);
  if (kind == "locks_of_threads") lock_in_threads();
  if (kind == "holder_computes") hold_and(compute);
  if (kind == "holder_stopped") hold_and(stop);
  if (kind == "holder_in_barrier") hold_and(barrier);
  if (kind == "holder_computes_others_try") hold_from_who_tries();
  if (kind == "part") barrier_of_part();
  if (kind == "two_of_all") barrier_of_all();
  if (kind == "locks_twice" && is_one) comex_lock(0, 2), comex_lock(0, 2);
  if (kind == "leaves" && is_one) _exit(0);
  if (kind == "after_death") go_on_without_the_last();
  if (kind == "after_loss") go_on_without_a_host();
  if (kind == "body" && me == 0) compute_with_a_body_under_way();
  if (kind == "target_computes") is_one ? compute() : get_from(1);
  if (kind.starts_with("server_")) ask_a_stopped_server(kind);
  barrier();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  std::signal(SIGUSR2, [](int) { compute(); });  // a progress rank as well; MPICH sends SIGUSR1 at a death
  const std::string_view kind = argv[1];
  if (kind == "target_computes") MPI_Init(&argc, &argv);  // without threads, which would serve
  if (comex_init_args(&argc, &argv) != COMEX_SUCCESS) return 1;
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  comex_group_size(COMEX_GROUP_WORLD, &size);
  memory.resize(static_cast<std::size_t>(size));
  comex_malloc(memory.data(), kind == "body" ? large_bytes : sizeof own, COMEX_GROUP_WORLD);
  if (kind != "other_call") comex_create_mutexes(1);
  barrier();
  hang(kind);
  sleep_on();
}
