/* Threads of a worker: calls of Global Arrays one at a time, under a lock of the program's, beside calls of
 * ARMCI at any time; and why the lock: the library hands requests out of a table of its process, unguarded.
 */
#include "ga_test.h"

#include <armci.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

enum { threads = 4, rounds = 200, width = 4, blocks = 64 };

static int table, answers, counter;
static void** there; /* of ARMCI_Malloc: a row of words for each thread of each worker */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void count_wrong(long wrong) {
  pthread_mutex_lock(&guard);
  job.wrong += wrong;
  pthread_mutex_unlock(&guard);
}

/* Tasks of a counter: a block of 1 to 4 ints is read, and written to another array. */
static long next_task(void) {
  int zero = 0;
  pthread_mutex_lock(&one_at_a_time);
  long task = NGA_Read_inc(counter, &zero, 1);
  pthread_mutex_unlock(&one_at_a_time);
  return task;
}

static void do_task(long task, int* back, int* lo, int* hi) {
  int ld = 1;
  *lo = (int)(task % blocks) * width;
  *hi = *lo + (int)(task % width);
  for (int i = 0; i < width; ++i) back[i] = -1;
  pthread_mutex_lock(&one_at_a_time);
  NGA_Get(table, lo, hi, back, &ld);
  pthread_mutex_unlock(&one_at_a_time);
  if (task % 3 == 0) sched_yield();
  pthread_mutex_lock(&one_at_a_time);
  NGA_Put(answers, lo, hi, back, &ld);
  pthread_mutex_unlock(&one_at_a_time);
}

static void* work(void* argument) {
  const int thread = (int)(size_t)argument;
  const long tasks = (long)rounds * threads * job.workers;
  long wrong = 0, round = 0;
  for (long task = next_task(); task < tasks; task = next_task(), ++round) {
    int back[width], lo, hi;
    do_task(task, back, &lo, &hi);
    for (int i = 0; lo + i <= hi; ++i) wrong += back[i] != 7 * (lo + i);

    const int to = (int)(task % job.workers);
    long* const word = (long*)there[to] + job.me * threads + thread;
    long sent = round, got = -1;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_Put(&sent, word, sizeof sent, to);
    ARMCI_NbGet(word, &got, sizeof got, to, &handle);
    ARMCI_Wait(&handle);
    wrong += got != round;
  }
  count_wrong(wrong);
  return NULL;
}

static void all_threads(void) {
  pthread_t running[threads];
  for (size_t t = 0; t < threads; ++t) pthread_create(&running[t], NULL, work, (void*)t);
  for (int t = 0; t < threads; ++t) pthread_join(running[t], NULL);
  EXPECT(job.wrong == 0, "%ld words were not what had been written", job.wrong);
  GA_Sync();
  int lo = 0, hi = blocks * width - 1, ld = 1, all[blocks * width];
  NGA_Get(answers, &lo, &hi, all, &ld);
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i <= block % width; ++i)
      EXPECT(all[block * width + i] == 7 * (block * width + i), "answer %d of block %d", i, block);
  GA_Sync();
}

/* Without the lock, three threads stopped in the middle of taking a request: where the library has chosen one
 * and not marked it yet. The second and the third get the same. */
static int step;
static armci_hdl_t* request_of[3];
static __thread int script; /* 1 to 3 in a thread that has its part */

static void reach(int number) {
  pthread_mutex_lock(&guard);
  if (step < number) step = number;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&guard);
}
static void await(int number) { /* a library that lets in one at a time never gets there */
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 5;
  pthread_mutex_lock(&guard);
  while (step < number && pthread_cond_timedwait(&changed, &guard, &end) == 0) continue;
  pthread_mutex_unlock(&guard);
}

/* The linker gives the library these in place of ARMCI's. */
void __real_ARMCI_INIT_HANDLE(armci_hdl_t* handle);
void __wrap_ARMCI_INIT_HANDLE(armci_hdl_t* handle) {
  const int mine = script != 0 && request_of[script - 1] == NULL ? script : 0;
  if (mine != 0) request_of[mine - 1] = handle;
  if (mine == 1) reach(1), await(2);
  if (mine == 2) reach(2), await(4);
  if (mine == 3) reach(4);
  __real_ARMCI_INIT_HANDLE(handle);
}
int __real_ARMCI_NbGet(void* from, void* to, int bytes, int proc, armci_hdl_t* handle);
int __wrap_ARMCI_NbGet(void* from, void* to, int bytes, int proc, armci_hdl_t* handle) {
  if (script == 1) reach(3);
  return __real_ARMCI_NbGet(from, to, bytes, proc, handle);
}
int __real_ARMCI_NbGetS(void* from, int* from_stride, void* to, int* to_stride, int* count, int levels,
                        int proc, armci_hdl_t* handle);
int __wrap_ARMCI_NbGetS(void* from, int* from_stride, void* to, int* to_stride, int* count, int levels,
                        int proc, armci_hdl_t* handle) {
  if (script == 1) reach(3);
  return __real_ARMCI_NbGetS(from, from_stride, to, to_stride, count, levels, proc, handle);
}

static void* get_in_turn(void* argument) {
  script = (int)(size_t)argument;
  if (script == 2) await(1);
  if (script == 3) await(3);
  int lo = script, hi = script, back = -1, ld = 1;
  NGA_Get(table, &lo, &hi, &back, &ld);
  return NULL;
}

static void three_at_once(void) {
  pthread_t running[3];
  for (size_t t = 0; t < 3; ++t) pthread_create(&running[t], NULL, get_in_turn, (void*)(t + 1));
  for (int t = 0; t < 3; ++t) pthread_join(running[t], NULL);
  EXPECT(request_of[0] != request_of[1], "the first two have one request");
  EXPECT(request_of[1] != NULL && request_of[1] == request_of[2],
         "the library guards its requests: a program needs no lock any more");
  GA_Sync();
}

int main(int argc, char** argv) {
  int level, dim = blocks * width, one = 1, lo, hi, ld = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  GA_Initialize();
  begin();
  if (!MA_init(C_DBL, 1 << 20, 1 << 20)) GA_Error("MA_init failed", 1);
  if (level != MPI_THREAD_MULTIPLE) GA_Error("MPI has no MPI_THREAD_MULTIPLE", level);
  table = NGA_Create(C_INT, 1, &dim, "table", NULL);
  answers = NGA_Create(C_INT, 1, &dim, "answers", NULL);
  counter = NGA_Create(C_LONG, 1, &one, "counter", NULL);
  GA_Zero(answers);
  GA_Zero(counter);
  NGA_Distribution(table, job.me, &lo, &hi);
  if (hi >= lo) {
    int* mine;
    NGA_Access(table, &lo, &hi, &mine, &ld);
    for (int i = lo; i <= hi; ++i) mine[i - lo] = 7 * i;
    NGA_Release_update(table, &lo, &hi);
  }
  there = malloc((size_t)job.workers * sizeof *there);
  ARMCI_Malloc(there, job.workers * threads * (armci_size_t)sizeof(long));
  GA_Sync();
  all_threads();
  three_at_once();
  ARMCI_Free(there[job.me]);
  free(there);
  GA_Destroy(table);
  GA_Destroy(answers);
  GA_Destroy(counter);
  const int status = verdict("threads");
  GA_Terminate();
  MPI_Finalize();
  return status;
}
