// A worker that serves itself only in its calls waits for what another one sends, by one call of a table
// over and over: whichever it is, it has to serve. For comex.h and both flavours of ARMCI.
//
// The other worker puts while the calls go on. `poll_names` prints the table, which polls_test compares with
// what the library shows.
#ifndef COMEX_TESTS_POLLS_H_
#define COMEX_TESTS_POLLS_H_

#include <comex/comex.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// What is called, by the names of the functions in it, separated by blanks. Null: not one that returns at
// once whatever the others do; then `names` says so.
typedef struct {
  const char* names;
  void (*call)(void);
} Poll;

static void poll_names(const Poll* polls, int count) {
  for (int i = 0; i < count; ++i) printf("%s\n", polls[i].names);
}

// Collective over two workers that send each other messages. The first call in which nothing is served ends
// the job.
static void poll_all(const Poll* polls, int count, int me) {
  void* words[2];
  comex_malloc(words, sizeof(long), COMEX_GROUP_WORLD);
  volatile long* const word = static_cast<volatile long*>(words[me]);
  *word = 0;
  for (long i = 0; i < count; ++i) {
    long number = i + 1;
    if (polls[i].call == NULL) continue;
    comex_barrier(COMEX_GROUP_WORLD); /* so that no put is served in the polls before its own */
    if (me == 1) {
      comex_put(&number, words[0], sizeof number, 0, COMEX_GROUP_WORLD);
      comex_fence_proc(0, COMEX_GROUP_WORLD);
    } else {
      // The processor time of this process guards against hanging.
      const clock_t end = clock() + 10 * CLOCKS_PER_SEC;
      for (; *word != number; polls[i].call()) {
        if (clock() < end) continue;
        printf("nothing was served in: %s\n", polls[i].names);
        fflush(stdout);
        comex_error("a call does not serve", 1);
      }
    }
  }
  comex_barrier(COMEX_GROUP_WORLD);
  comex_free(words[me], COMEX_GROUP_WORLD);
}

#endif
