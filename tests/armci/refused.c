/* What ARMCI itself refuses, chosen by the first argument; each ends the job with one line. */
#include <armci.h>
#include <message.h>
#include <stdlib.h>
#include <sys/mman.h>

static char* last_before_nothing(char letter) {
  const size_t page = 65536;
  char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) abort();
  pages[page - 1] = letter;
  return pages + page - 1;
}

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  void* at[64];
  void* none[1] = {NULL};
  int stride[1] = {8}, count[2] = {8, 2};
  long word = 0;
  armci_giov_t pairs;
  armci_hdl_t aggregate;
  char nonsense[] = {'d', 'i', 'v', 'i', 'd', 'e', 'd', ' ', 'b', 'y'}, unprintable[] = "ma\nx", plus[] = "+";
  const armci_size_t too_large = (armci_size_t)1 << 50;
  void* mine;
  ARMCI_Group world;
  int wrong = 0;
  ARMCI_Malloc(at, 64);
  ARMCI_SET_AGGREGATE_HANDLE(&aggregate);
  pairs.src_ptr_array = none;
  pairs.dst_ptr_array = at;
  pairs.ptr_array_len = 1;
  pairs.bytes = 8;
  switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0:
      armci_msg_lgop(&word, 1, nonsense);
      break;
    case 1:
      armci_msg_gop_scope(SCOPE_ALL, &word, 1, plus, 12345);
      break;
    case 2:
      armci_msg_bcast(&word, sizeof word, armci_msg_nproc());
      break;
    case 3:
      armci_msg_bcast_scope(12345, &word, sizeof word, 0);
      break;
    case 4:
      armci_msg_sel(&word, 2, plus, ARMCI_LONG, 1);
      break;
    case 5:
      ARMCI_Rmw(12345, &word, at[0], 1, 0);
      break;
    case 6:
      ARMCI_Acc(12345, &word, &word, at[0], 8, 0);
      break;
    case 7:
      armci_domain_nprocs(ARMCI_DOMAIN_SMP, 12345);
      break;
    case 8:
      ARMCI_Put(&word, at[0], 8, armci_msg_nproc());
      break;
    case 9:
      ARMCI_Put(&word, (char*)at[0] + (1 << 28), 8, 0);
      break;
    case 10:
      ARMCI_Malloc(at, -1);
      break;
    case 11:
      armci_msg_abort(7);
      break;
    /* What an aggregate handle does not even hold: named by the call that brought it. */
    case 12:
      ARMCI_NbAcc(ARMCI_ACC_LNG, NULL, &word, at[0], 8, 0, &aggregate);
      break;
    case 13:
      ARMCI_NbPutValueLong(1, NULL, 0, &aggregate);
      break;
    case 14:
      ARMCI_NbPutS(&word, NULL, at[0], stride, count, 1, 0, &aggregate);
      break;
    case 15:
      ARMCI_NbPutV(&pairs, 1, 0, &aggregate);
      break;
    case 16:
      dassertp(1, word != 0, ("%d of %s", 3, "four"));
      break;
    case 17:
      armci_die("no way on", 8);
      break;
    case 19:
      ARMCI_Malloc(at, too_large);
      break;
    case 20:
      ARMCI_Group_get_world(&world);
      ARMCI_Malloc_group(at, too_large, &world);
      break;
    case 21:
      ARMCI_Malloc_memdev(at, 8, "nowhere");
      break;
    case 22:
      ARMCI_Group_get_world(&world);
      ARMCI_Malloc_group_memdev(at, 8, &world, "nowhere");
      break;
    case 23:
      ARMCI_Free(&word);
      break;
    case 24:
      ARMCI_Free_local(&word);
      break;
    case 25:
      ARMCI_Lock(12345, 0);
      break;
    case 26:
      ARMCI_Group_create(-1, &stride[0], &world);
      break;
    case 27:
      ARMCI_Fence(armci_msg_nproc());
      break;
    case 28:
      ARMCI_GetValueLong(at[0], armci_msg_nproc());
      break;
    case 29:
      ARMCI_PutS_flag(&word, stride, at[0], stride, count, 1, count, 1, armci_msg_nproc());
      break;
    case 30:
      armci_msg_group_igop(count, 1, unprintable, (ARMCI_Group_get_world(&world), &world));
      break;
    /* Nothing but one letter of what it might be called can be read. */
    case 32:
      armci_msg_lgop(&word, 1, last_before_nothing('m'));
      break;
    case 33:
      armci_msg_igop(&wrong, 1, last_before_nothing('a'));
      break;
    case 34:
      armci_msg_reduce(&word, 1, last_before_nothing('|'), ARMCI_LONG);
      break;
    case 35:
      armci_msg_sel(&word, sizeof word, last_before_nothing('m'), ARMCI_LONG, 1);
      break;
    case 36:
      ARMCI_Finalize();
      armci_notify(0);
      break;
    /* One that fails and ends nothing: told once. */
    case 31:
      for (int i = 0; i < 3; ++i) wrong += ARMCI_Malloc_local(too_large) != NULL;
      mine = ARMCI_Malloc_local(64);
      wrong += mine == NULL || ARMCI_Free_local(mine) != 0;
      ARMCI_Finalize();
      MPI_Finalize();
      return wrong;
    default:
      ARMCI_Error("the program's own words", 9);
      break;
  }
  return 0; /* no way to end: the tests want none of these to come here */
}
