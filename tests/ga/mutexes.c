/* Mutexes around read-modify-write of an array, with fences: no update is lost, several mutexes at once, sets
 * created and destroyed again. */
#include <unistd.h>

#include "ga_test.h"

enum { turns = 25, mutexes = 7 };

static void one_set(int g, int count) {
  EXPECT(GA_Create_mutexes(count), "%d mutexes were not created", count);
  GA_Zero(g);
  unsigned seed = 3u + (unsigned)job.me;
  long mine[mutexes] = {0};
  for (int turn = 0; turn < turns; ++turn) {
    const int m = draw(&seed, count);
    int lo[2] = {m, 0}, hi[2] = {m, 9}, ld = 10;
    double row[10];
    GA_Lock(m);
    GA_Init_fence();
    NGA_Get(g, lo, hi, row, &ld);
    usleep(200); /* without the mutex another one reads what is about to change */
    const double first = row[0];
    for (int j = 0; j < 10; ++j) {
      EXPECT(row[j] == first * (j + 1), "under mutex %d element %d is %g while the first is %g", m, j, row[j],
             first);
      row[j] += j + 1;
    }
    NGA_Put(g, lo, hi, row, &ld);
    GA_Fence();
    GA_Unlock(m);
    ++mine[m];
  }
  GA_Lgop(mine, mutexes, "+");
  GA_Sync();
  for (int m = 0; m < count; ++m) {
    int lo[2] = {m, 9}, ld = 1;
    double last;
    NGA_Get(g, lo, lo, &last, &ld);
    EXPECT(last == 10.0 * (double)mine[m], "row %d shows %g/10 updates of %ld", m, last, mine[m]);
  }
  EXPECT(GA_Destroy_mutexes(), "%d mutexes were not destroyed", count);
}

int program_mutexes(void) {
  begin();
  int dims[2] = {mutexes, 10};
  int g = NGA_Create(C_DBL, 2, dims, "protected", NULL);
  one_set(g, 1);
  one_set(g, mutexes);
  one_set(g, 3);
  GA_Destroy(g);
  return verdict("mutexes");
}
