/* Initialised and finalised twice, as programs on TCGMSG are: TCGMSG, then Global Arrays on the same runtime;
 * ARMCI in between, with handles that are kept across ARMCI_WaitAll and waited for again. */
#include "ga_test.h"

#include <armci.h>
#include <tcgmsg.h>

enum { count = 64 };

/* Blocks straight through ARMCI, beside an array. */
static void kept_handles(void) {
  void** bases = malloc((size_t)job.workers * sizeof *bases);
  double sent[count], seen[count];
  armci_hdl_t puts[4], gets[2];
  EXPECT(ARMCI_Malloc(bases, sizeof sent * (size_t)job.workers) == 0, "ARMCI_Malloc failed");
  memset(bases[job.me], 0, sizeof sent * (size_t)job.workers);
  ARMCI_Barrier();
  const int next = (job.me + 1) % job.workers;
  for (int n = 0; n < count; ++n) sent[n] = 100 * job.me + n;
  double* target = (double*)bases[next] + job.me * count;
  for (int h = 0; h < 4; ++h) {
    ARMCI_INIT_HANDLE(&puts[h]);
    ARMCI_NbPut(sent + 16 * h, target + 16 * h, 16 * (int)sizeof *sent, next, &puts[h]);
  }
  ARMCI_WaitAll();
  for (int h = 0; h < 4; ++h) EXPECT(ARMCI_Wait(&puts[h]) == 0, "a put's handle was refused after WaitAll");
  ARMCI_AllFence();
  for (int h = 0; h < 2; ++h) {
    ARMCI_INIT_HANDLE(&gets[h]);
    ARMCI_NbGet(target + 32 * h, seen + 32 * h, 32 * (int)sizeof *seen, next, &gets[h]);
  }
  EXPECT(ARMCI_Wait(&gets[1]) == 0, "a get's handle was refused");
  ARMCI_WaitAll();
  EXPECT(ARMCI_Wait(&gets[0]) == 0 && ARMCI_Wait(&gets[1]) == 0, "a get's handle was refused after WaitAll");
  for (int n = 0; n < count; ++n) EXPECT(seen[n] == sent[n], "element %d is %g", n, seen[n]);
  for (int h = 0; h < 2; ++h) { /* the same handles once more */
    ARMCI_NbGet(target + 32 * h, seen + 32 * h, 32 * (int)sizeof *seen, next, &gets[h]);
    ARMCI_Wait(&gets[h]);
  }
  ARMCI_Barrier();
  const int before = (job.me + job.workers - 1) % job.workers;
  const double* mine = (double*)bases[job.me] + before * count;
  for (int n = 0; n < count; ++n) EXPECT(mine[n] == 100 * before + n, "my element %d is %g", n, mine[n]);
  ARMCI_Barrier();
  ARMCI_Free(bases[job.me]);
  free(bases);
}

static void an_array(void) {
  int extent = 10 * job.workers, first = 0, last = extent - 1, one = 1;
  int g = NGA_Create(C_LONG, 1, &extent, "array", NULL);
  long *values = malloc((size_t)extent * sizeof *values), unit = 1;
  GA_Zero(g);
  for (int n = 0; n < extent; ++n) values[n] = n;
  NGA_Acc(g, &first, &last, values, &one, &unit);
  GA_Sync();
  NGA_Get(g, &first, &last, values, &one);
  for (int n = 0; n < extent; ++n)
    EXPECT(values[n] == (long)n * job.workers, "element %d is %ld", n, values[n]);
  GA_Destroy(g);
  free(values);
}

int main(int argc, char** argv) {
  tcg_pbegin(argc, argv);
  EXPECT(ARMCI_Init() == 0, "a second ARMCI_Init failed");
  GA_Initialize();
  job.me = GA_Nodeid();
  job.workers = GA_Nnodes();
  MA_init(C_DBL, 1 << 16, 1 << 16);
  EXPECT(tcg_nodeid() == job.me && tcg_nnodes() == job.workers,
         "TCGMSG says %ld of %ld, Global Arrays %d of %d", tcg_nodeid(), tcg_nnodes(), job.me, job.workers);
  an_array();
  kept_handles();

  long sum = job.me + 1, word[3] = {0}, length = 0, from = 0;
  tcg_igop(11, &sum, 1, "+");
  EXPECT(sum == (long)job.workers * (job.workers + 1) / 2, "TCGMSG's sum is %ld", sum);
  if (job.me == 0) word[2] = 7;
  tcg_brdcst(12, word, sizeof word, 0);
  EXPECT(word[2] == 7, "TCGMSG's broadcast gave %ld", word[2]);
  if (job.workers > 1 && job.me == 0) {
    tcg_rcv(13, word, sizeof word, &length, 1, &from, 1);
    EXPECT(word[0] == 42 && from == 1 && length == (long)sizeof word, "TCGMSG received %ld from %ld", word[0],
           from);
  } else if (job.me == 1) {
    word[0] = 42;
    tcg_snd(13, word, sizeof word, 0, 1);
  }
  tcg_synch(14);
  long drawn = 0, tickets = 0;
  while ((drawn = tcg_nxtval(job.workers)) < 50) ++tickets;
  tcg_nxtval(-job.workers);
  tcg_igop(15, &tickets, 1, "+");
  EXPECT(tickets == 50, "TCGMSG's counter gave %ld tickets", tickets);
  an_array();
  const int status = verdict("twice");
  GA_Terminate();
  ARMCI_Finalize();
  tcg_pend();
  return status;
}
