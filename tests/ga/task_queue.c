/* Task queues on read_inc: every ticket is drawn once and only once, while others draw, accumulate and read;
 * several counters of both types with different steps; a queue that waits with a fence before the next one.
 */
#include "ga_test.h"

enum { tasks = 300, width = 40 };

static void one_queue(void) {
  int one = 1, extents[2] = {tasks, width}, zero = 0;
  int counter = NGA_Create(C_LONG, 1, &one, "counter", NULL);
  int work = NGA_Create(C_DBL, 2, extents, "work", NULL);
  int done = NGA_Create(C_INT, 1, extents, "done", NULL);
  GA_Zero(counter);
  GA_Zero(work);
  GA_Zero(done);
  long task, before = -1;
  while ((task = NGA_Read_inc(counter, &zero, 1)) < tasks) {
    EXPECT(task > before, "ticket %ld came after %ld", task, before);
    before = task;
    double row[width], alpha = 1;
    int lo[2] = {(int)task, 0}, hi[2] = {(int)task, width - 1}, ld = width, me = 1, at = (int)task;
    for (int j = 0; j < width; ++j) row[j] = (double)task * j;
    NGA_Acc(work, lo, hi, row, &ld, &alpha);
    lo[0] = hi[0] = (int)(tasks - 1 - task); /* and a part of the opposite row */
    hi[1] = 2;
    NGA_Acc(work, lo, hi, row, &ld, &alpha);
    int factor = 1;
    NGA_Acc(done, &at, &at, &me, &one, &factor);
  }
  GA_Sync();
  long next = NGA_Read_inc(counter, &zero, 0);
  EXPECT(next == tasks + job.workers, "the counter ended at %ld", next);
  int times[tasks], first = 0, last = tasks - 1, ld = width;
  NGA_Get(done, &first, &last, times, &one);
  for (int t = 0; t < tasks; ++t) EXPECT(times[t] == 1, "task %d was done %d times", t, times[t]);
  for (int t = job.me; t < tasks; t += job.workers) {
    double row[width];
    int lo[2] = {t, 0}, hi[2] = {t, width - 1};
    NGA_Get(work, lo, hi, row, &ld);
    for (int j = 0; j < width; ++j) {
      const double expected = (double)t * j + (j <= 2 ? (double)(tasks - 1 - t) * j : 0);
      EXPECT(row[j] == expected, "row %d column %d is %g", t, j, row[j]);
    }
  }
  GA_Destroy(counter);
  GA_Destroy(work);
  GA_Destroy(done);
}

/* Counters spread over everybody, drawn at random; what was drawn must add up. */
static void many_counters(int type) {
  int count = 5 * job.workers, zero = 0, last = count - 1, one = 1;
  int g = NGA_Create(type, 1, &count, "counters", NULL);
  GA_Zero(g);
  long* drawn = calloc((size_t)count, sizeof *drawn);
  unsigned seed = 7u + (unsigned)job.me;
  for (int n = 0; n < 200; ++n) {
    int at = draw(&seed, count);
    const long step = 1 + n % 4, before = NGA_Read_inc(g, &at, step);
    EXPECT(before >= drawn[at], "counter %d was at %ld after %ld of mine", at, before, drawn[at]);
    drawn[at] += step;
  }
  GA_Lgop(drawn, count, "+");
  GA_Sync();
  if (type == C_INT) {
    int* seen = malloc((size_t)count * sizeof *seen);
    NGA_Get(g, &zero, &last, seen, &one);
    for (int n = 0; n < count; ++n)
      EXPECT(seen[n] == drawn[n], "counter %d is %d instead of %ld", n, seen[n], drawn[n]);
    free(seen);
  } else {
    long* seen = malloc((size_t)count * sizeof *seen);
    NGA_Get(g, &zero, &last, seen, &one);
    for (int n = 0; n < count; ++n)
      EXPECT(seen[n] == drawn[n], "counter %d is %ld instead of %ld", n, seen[n], drawn[n]);
    free(seen);
  }
  free(drawn);
  GA_Destroy(g);
}

int program_task_queue(void) {
  begin();
  for (int queue = 0; queue < 3; ++queue) one_queue();
  many_counters(C_INT);
  many_counters(C_LONG);
  return verdict("task_queue");
}
