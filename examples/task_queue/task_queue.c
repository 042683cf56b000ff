/*
 * A task queue: a counter on worker 0 hands out ranges of numbers, whoever is free takes the next one, counts
 * its primes and accumulates the number into the table of worker 0. The next task is asked for while the
 * present one is worked on.
 *
 *   comexrun -n 3 task_queue [TASKS]
 */
#include <comex/comex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { range = 10000 }; /* numbers in a task */

static void must(int code, const char* what) {
  if (code != COMEX_SUCCESS) comex_error(what, 1);
}

static long primes_from(long first) {
  long found = 0;
  for (long number = first; number < first + range; ++number) {
    int is_prime = number > 1;
    for (long divisor = 2; is_prime && divisor * divisor <= number; ++divisor)
      is_prime = number % divisor != 0;
    found += is_prime;
  }
  return found;
}

/* Returns how many tasks this worker has done. */
static long work(long* counter, long* table, long tasks) {
  long task, next, done = 0, one = 1;
  must(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &task, counter, 1, 0, COMEX_GROUP_WORLD), "task_queue: rmw");
  while (task < tasks) {
    comex_request_t request;
    must(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &next, counter, 1, 0, COMEX_GROUP_WORLD, &request),
         "task_queue: nbrmw");
    long found = primes_from(task * range);
    must(comex_acc(COMEX_ACC_LNG, &one, &found, &table[task], (int)sizeof found, 0, COMEX_GROUP_WORLD),
         "task_queue: acc");
    must(comex_wait(&request), "task_queue: wait");
    task = next;
    ++done;
  }
  return done;
}

int main(int argc, char** argv) {
  int me, workers;
  MPI_Init(&argc, &argv);
  must(comex_init(), "task_queue: init"); /* progress ranks stay in here and serve the others */
  must(comex_group_rank(COMEX_GROUP_WORLD, &me), "task_queue: rank");
  must(comex_group_size(COMEX_GROUP_WORLD, &workers), "task_queue: size");
  long tasks = argc > 1 ? atol(argv[1]) : 100;
  if (tasks < 1) comex_error("task_queue: TASKS must be 1 or more", 2);

  /* On worker 0: the counter, then a number for each task. */
  void** address = malloc((size_t)workers * sizeof *address);
  if (address == NULL) comex_error("task_queue: out of memory", 1);
  size_t bytes = me == 0 ? (size_t)(tasks + 1) * sizeof(long) : 0;
  must(comex_malloc(address, bytes, COMEX_GROUP_WORLD), "task_queue: malloc");
  long *counter = address[0], *table = counter + 1;
  if (me == 0) memset(counter, 0, bytes);
  must(comex_barrier(COMEX_GROUP_WORLD), "task_queue: barrier");

  long done = work(counter, table, tasks);
  must(comex_barrier(COMEX_GROUP_WORLD), "task_queue: barrier"); /* all that was accumulated is there */
  printf("worker %d did %ld of %ld tasks\n", me, done, tasks);
  int is_right = 1;
  if (me == 0) {
    long primes = 0;
    for (long task = 0; task < tasks; ++task) primes += table[task];
    is_right = *counter == tasks + workers && (tasks != 100 || primes == 78498);
    printf("%ld primes below %ld: %s\n", primes, tasks * range, is_right ? "right" : "WRONG");
  }
  must(comex_free(address[me], COMEX_GROUP_WORLD), "task_queue: free");
  free(address);
  must(comex_finalize(), "task_queue: finalize");
  MPI_Finalize();
  return is_right ? 0 : 1;
}
