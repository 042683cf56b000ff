/* Arguments that calls of ARMCI refuse by themselves, before they ask ComEx. */
#include <iterator.h>
#include <message.h>

#include "refused_arguments.h"

static long words[8];
static char plus[] = "+", max[] = "max", land[] = "land";

static void domain_of_nobody(void) {
  armci_domain_id(ARMCI_DOMAIN_SMP, armci_msg_nproc());
}
static void domain_of_a_negative_rank(void) {
  armci_domain_id(ARMCI_DOMAIN_SMP, -1);
}
static void size_of_a_negative_domain(void) {
  armci_domain_nprocs(ARMCI_DOMAIN_SMP, -7);
}
static void negative_member_of_a_domain(void) {
  armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 0, -1);
}
static void member_beyond_a_domain(void) {
  armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 0, 999);
}

static void iterate(int levels, int runs) {
  int strides[9] = {8, 8, 8, 8, 8, 8, 8, 8, 8}, counts[10] = {8, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  stride_info_t info;
  for (int level = 1; level <= levels; ++level) counts[level] = runs;
  armci_stride_info_init(&info, words, levels, strides, counts);
}
static void iterator_of_negative_levels(void) {
  iterate(-1, 1);
}
static void iterator_of_nine_levels(void) {
  iterate(9, 1);
}
static void iterator_of_too_many_runs(void) {
  iterate(2, 1 << 20);
}
static void iterator_of_more_runs_than_a_long_counts(void) {
  iterate(4, 1 << 16);
}

static void write_patch(int levels, int count, int runs) {
  int strides[9] = {8, 8, 8, 8, 8, 8, 8, 8, 8}, counts[10] = {8, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  char packed[64];
  counts[0] = count;
  for (int level = 1; level <= levels; ++level) counts[level] = runs;
  armci_write_strided(words, levels, strides, counts, packed);
}
static void patch_of_negative_levels(void) {
  write_patch(-1, 8, 1);
}
static void patch_of_nine_levels(void) {
  write_patch(9, 8, 1);
}
static void patch_of_negative_bytes(void) {
  write_patch(0, -8, 1);
}
static void patch_of_negative_rows(void) {
  write_patch(1, 8, -1);
}
static void patch_of_more_runs_than_a_long_counts(void) {
  write_patch(4, 8, 1 << 16);
}

/* Two rows that lie backwards on one side. */
static int backwards[1] = {-16}, forwards[1] = {16}, two_rows[2] = {8, 2};
static void* own_memory(void) {
  void* parts[64];
  ARMCI_Malloc(parts, 64);
  return parts[0];
}
static void put_of_negative_strides(void) {
  ARMCI_PutS(words, backwards, own_memory(), forwards, two_rows, 1, 0);
}
static void get_to_negative_strides(void) {
  ARMCI_GetS(own_memory(), forwards, words, backwards, two_rows, 1, 0);
}
static void accumulate_to_negative_strides(void) {
  long scale = 1;
  ARMCI_AccS(ARMCI_ACC_LNG, &scale, words, forwards, own_memory(), backwards, two_rows, 1, 0);
}

static void message_to_nobody(void) {
  armci_msg_snd(3, words, sizeof *words, armci_msg_nproc());
}
static void message_from_a_negative_rank(void) {
  int length;
  armci_msg_rcv(3, words, sizeof *words, &length, -1);
}
static void message_of_negative_length(void) {
  armci_msg_snd(3, words, -1, 0);
}
static void message_from_nowhere(void) {
  armci_msg_snd(3, NULL, 8, 0);
}
static void message_of_a_negative_tag(void) {
  armci_msg_snd(-5, words, 8, 0);
}
static void receive_of_negative_length(void) {
  armci_msg_rcv(3, words, -1, NULL, 0);
}
static void receive_to_nowhere(void) {
  armci_msg_rcv(3, NULL, 8, NULL, 0);
}
static void receive_of_a_negative_tag(void) {
  armci_msg_rcv(-5, words, 8, NULL, 0);
}
static void receive_from_any_to_nowhere(void) {
  armci_msg_rcvany(3, NULL, 8, NULL);
}
static void receive_from_any_of_a_negative_tag(void) {
  armci_msg_rcvany(-5, words, 8, NULL);
}

static void notice_to_nobody(void) {
  armci_notify(armci_msg_nproc());
}
static void notice_to_a_negative_rank(void) {
  armci_notify(-1);
}

static void local_memory_of_negative_bytes(void) {
  ARMCI_Malloc_local(-1);
}

static void broadcast_to(int first, int count) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  armci_grp_clus_brdcst(words, 8, first, count, &world);
}
static void broadcast_from_a_negative_rank(void) {
  broadcast_to(-1, 1);
}
static void broadcast_to_more_than_there_are(void) {
  broadcast_to(0, armci_msg_nproc() + 1);
}

static void selection_of_an_unknown_type(void) {
  armci_msg_sel(words, sizeof *words, max, 12345, 1);
}
static void selection_without_room_for_its_value(void) {
  armci_msg_sel(words, 2, max, ARMCI_LONG, 1);
}
static void reduction_of_a_negative_count(void) {
  armci_msg_lgop(words, -1, plus);
}
static void reduction_of_reals_by_a_logical_operation(void) {
  double value = 1;
  armci_msg_dgop(&value, 1, land);
}

int main(int argc, char** argv) {
  static const struct refused_call calls[] = {
      {"armci_domain_id", domain_of_nobody},
      {"armci_domain_id", domain_of_a_negative_rank},
      {"armci_domain_nprocs", size_of_a_negative_domain},
      {"armci_domain_glob_proc_id", negative_member_of_a_domain},
      {"armci_domain_glob_proc_id", member_beyond_a_domain},
      {"armci_stride_info_init", iterator_of_negative_levels},
      {"armci_stride_info_init", iterator_of_nine_levels},
      {"armci_stride_info_init", iterator_of_too_many_runs},
      {"armci_stride_info_init", iterator_of_more_runs_than_a_long_counts},
      {"armci_write_strided", patch_of_negative_levels},
      {"armci_write_strided", patch_of_nine_levels},
      {"armci_write_strided", patch_of_negative_bytes},
      {"armci_write_strided", patch_of_negative_rows},
      {"armci_write_strided", patch_of_more_runs_than_a_long_counts},
      {"ARMCI_PutS", put_of_negative_strides},
      {"ARMCI_GetS", get_to_negative_strides},
      {"ARMCI_AccS", accumulate_to_negative_strides},
      {"armci_msg_snd", message_to_nobody},
      {"armci_msg_rcv", message_from_a_negative_rank},
      {"armci_msg_snd", message_of_negative_length},
      {"armci_msg_snd", message_from_nowhere},
      {"armci_msg_snd", message_of_a_negative_tag},
      {"armci_msg_rcv", receive_of_negative_length},
      {"armci_msg_rcv", receive_to_nowhere},
      {"armci_msg_rcv", receive_of_a_negative_tag},
      {"armci_msg_rcvany", receive_from_any_to_nowhere},
      {"armci_msg_rcvany", receive_from_any_of_a_negative_tag},
      {"armci_notify", notice_to_nobody},
      {"armci_notify", notice_to_a_negative_rank},
      {"ARMCI_Malloc_local", local_memory_of_negative_bytes},
      {"armci_grp_clus_brdcst", broadcast_from_a_negative_rank},
      {"armci_grp_clus_brdcst", broadcast_to_more_than_there_are},
      {"armci_msg_sel_scope", selection_without_room_for_its_value},
      {"armci_msg_sel_scope", selection_of_an_unknown_type},
      {"armci_msg_lgop", reduction_of_a_negative_count},
      {"armci_msg_dgop", reduction_of_reals_by_a_logical_operation},
  };
  return make_refused(argc, argv, calls, (int)(sizeof calls / sizeof *calls));
}
