// Every call of ARMCI that returns at once makes progress where a worker serves itself: tests/mpi/polls.h.
// One source for both flavours. Usage: polls [names]
#include <armci.h>
#include <message.h>

#ifdef COMEX_ARMCI_MPI_ARMCI_H_
#include <armcix.h>
#endif

#include "../mpi/polls.h"

namespace {

constexpr int mine = 0;   // who polls
constexpr int other = 1;  // on another host, in a fence

long near_words[4];
int ints[1];
long long wholes[1];
float floats[1];
double doubles[1];
void* place[1];
long* own = nullptr;     // memory of this worker
long* theirs = nullptr;  // of the other one
int* flag = nullptr;     // of this worker
int stride[1] = {sizeof(long)};
int one_run[1] = {sizeof(long)};
int ranks[1] = {0};
int number = 0;
double one = 1;
char plus[] = "+";
char most[] = "max";
ARMCI_Group world;
ARMCI_Group alone;
ARMCI_Group got;
armci_hdl_t handle;

void* from[1];
void* to[1];
armci_giov_t pairs;

armci_giov_t* between(void* source, void* target) {
  from[0] = source;
  to[0] = target;
  pairs.src_ptr_array = from;
  pairs.dst_ptr_array = to;
  pairs.ptr_array_len = 1;
  pairs.bytes = sizeof(long);
  return &pairs;
}

#ifdef COMEX_ARMCI_MPI_ARMCI_H_
armcix_mutex_hdl_t mutexes;
const Poll polls[] = {
#include "polls.inc"
    {"ARMCI_Access_begin ARMCI_Access_end", [] { ARMCI_Access_begin(own); }},
    {"ARMCI_Access_end", [] { ARMCI_Access_end(own); }},
    {"ARMCI_INIT_HANDLE", [] { ARMCI_INIT_HANDLE(&handle); }},
    {"ARMCIX_Progress", [] { ARMCIX_Progress(); }},
    {"ARMCIX_Group_dup",
     [] {
       ARMCIX_Group_dup(&alone, &got);
       ARMCI_Group_free(&got);
     }},
    {"ARMCIX_Group_split",
     [] {
       ARMCIX_Group_split(&alone, 0, 0, &got);
       ARMCI_Group_free(&got);
     }},
    {"ARMCIX_Create_mutexes_hdl ARMCIX_Destroy_mutexes_hdl",
     [] { ARMCIX_Destroy_mutexes_hdl(ARMCIX_Create_mutexes_hdl(1, &alone)); }},
    {"ARMCIX_Lock_hdl ARMCIX_Unlock_hdl",
     [] {
       ARMCIX_Lock_hdl(mutexes, 0, 0);
       ARMCIX_Unlock_hdl(mutexes, 0, 0);
     }},
    {"ARMCIX_Trylock_hdl",
     [] {
       if (ARMCIX_Trylock_hdl(mutexes, 0, 0) == 0) ARMCIX_Unlock_hdl(mutexes, 0, 0);
     }},
    {"ARMCI_Init_thread", [] { ARMCI_Init_thread(MPI_THREAD_SINGLE); }},
    {"ARMCI_Init_thread_comm", [] { ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_WORLD); }},
};
#else
armci_meminfo_t info;
char** no_arguments = nullptr;
int no_count = 0;
const Poll polls[] = {
#include "polls.inc"
    {"ARMCI_Init_mpi_comm", [] { ARMCI_Init_mpi_comm(MPI_COMM_WORLD); }},
    {"armci_msg_init", [] { armci_msg_init(&no_count, &no_arguments); }},
    {"ARMCI_Memget ARMCI_Memctl",
     [] {
       ARMCI_Memget(64, &info, 0);
       ARMCI_Memctl(&info);
     }},
    {"ARMCI_Memat", [] { ARMCI_Memat(&info, 0); }},
    {"ARMCI_Memdt", [] { ARMCI_Memdt(&info, 0); }},
    {"ARMCI_GroupFence", [] { ARMCI_GroupFence(&alone); }},
    {"ARMCI_PutS_flag_dir",
     [] { ARMCI_PutS_flag_dir(near_words, stride, own, stride, one_run, 0, flag, 1, mine); }},
    {"armci_notify armci_notify_wait",
     [] {
       armci_notify(mine);
       armci_notify_wait(mine, &number);
     }},
    {"armci_group_comm", [] { armci_group_comm(&alone); }},
    {"armci_sameclusnode", [] { armci_sameclusnode(other); }},
    {"derr_printf",
     [] {
       static FILE* const nowhere = fopen("/dev/null", "w");
       FILE* const kept = stderr;
       stderr = nowhere;
       derr_printf("%d", number);
       stderr = kept;
     }},
    {"armci_msg_finalize dassertp_fail", nullptr},  // these end the job
    // These walk a patch of the caller's: nothing of the runtime is in them.
    {"armci_stride_info_init armci_stride_info_destroy armci_stride_info_count armci_stride_info_size",
     nullptr},
    {"armci_stride_info_pos armci_stride_info_next", nullptr},
    {"armci_stride_info_has_more armci_stride_info_seg_ptr armci_stride_info_seg_size", nullptr},
    {"armci_stride_info_seg_off", nullptr},
};
#endif

}  // namespace

int main(int argc, char** argv) {
  constexpr int count = sizeof polls / sizeof polls[0];
  if (argc > 1) {
    poll_names(polls, count);
    return 0;
  }
  MPI_Init(&argc, &argv);  // without threads
  ARMCI_Init();
  const int me = armci_msg_me();
  void* memory[2];
  ARMCI_Malloc(memory, 64 * sizeof(long));
  own = static_cast<long*>(memory[me]);
  theirs = static_cast<long*>(memory[1 - me]);
  memset(own, 0, 64 * sizeof(long));
  flag = reinterpret_cast<int*>(own + 60);
  ARMCI_Create_mutexes(1);
  ranks[0] = me;
  ARMCI_Group_create(1, ranks, &alone);
  ARMCI_Group_get_world(&world);
  ARMCI_INIT_HANDLE(&handle);
  ranks[0] = 0;
#ifdef COMEX_ARMCI_MPI_ARMCI_H_
  mutexes = ARMCIX_Create_mutexes_hdl(1, &alone);
#endif
  ARMCI_Barrier();
  poll_all(polls, count, me);
  ARMCI_Barrier();
  while (ARMCI_Initialized() != 0) ARMCI_Finalize();  // inits are among the polls
  MPI_Finalize();
  return 0;
}
