/* Groups that come and go leave no memory behind, MPI's own included: of all workers, of a part, and of a
 * part of the default group. By argument: how many of each. */
#include <armci.h>
#include <malloc.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>

static int me, nproc, all[64];

static void of_all(void) {
  ARMCI_Group group;
  ARMCI_Group_create(nproc, all, &group);
  ARMCI_Group_free(&group);
}

static void of_a_part(void) {
  ARMCI_Group group;
  if (me >= (nproc + 1) / 2) return;
  ARMCI_Group_create((nproc + 1) / 2, all, &group);
  ARMCI_Group_free(&group);
}

/* Which has had a collective of its own. */
static void inside_another(void) {
  ARMCI_Group outer, inner, world;
  int one = 1;
  char plus[] = "+";
  ARMCI_Group_get_world(&world);
  ARMCI_Group_create(nproc, all, &outer);
  ARMCI_Group_set_default(&outer);
  ARMCI_Group_create(nproc, all, &inner);
  ARMCI_Group_set_default(&world);
  armci_msg_group_igop(&one, 1, plus, &inner);
  ARMCI_Group_free(&inner);
  ARMCI_Group_free(&outer);
}

static const struct {
  const char* what;
  void (*make_and_free)(void);
} kinds[] = {{"of all", of_all}, {"of a part", of_a_part}, {"inside another", inside_another}};

int main(int argc, char** argv) {
  int bad = 0, rounds = argc > 1 ? atoi(argv[1]) : 170;
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  me = armci_msg_me();
  nproc = armci_msg_nproc();
  for (int i = 0; i < nproc; ++i) all[i] = i;
  for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind) {
    /* A pool of messages in the network library may grow in one span of rounds; a leak grows in each. */
    size_t least = (size_t)-1;
    for (int i = 0; i < 200; ++i) kinds[kind].make_and_free();
    for (int span = 0; span < 3; ++span) {
      const size_t before = mallinfo2().uordblks;
      for (int i = 0; i < rounds; ++i) kinds[kind].make_and_free();
      const size_t after = mallinfo2().uordblks;
      const size_t left = after > before ? after - before : 0;
      if (left < least) least = left;
    }
    armci_msg_barrier();
    /* Some KiB that vary from run to run stay of very many rounds; one group takes hundreds of bytes. */
    if (least < 16384 + 2 * (size_t)rounds) continue;
    fprintf(stderr, "rank %d: %zu bytes are left of each %d groups %s\n", me, least, rounds,
            kinds[kind].what);
    ++bad;
  }
  ARMCI_Finalize();
  MPI_Finalize();
  return bad;
}
