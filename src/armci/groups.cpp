// The group calls: create and free, ranks, the default group.
#include "armci/state.h"

using namespace comex::armci;

namespace {

void create(int n, int* pid_list, comex_group_t parent, ARMCI_Group* group_out) {
  comex_group_t made = COMEX_GROUP_NULL;
  end_at_death(comex_group_create_without_limit(n, pid_list, parent, &made));
  if (made != COMEX_GROUP_NULL) state().add_teams(made);
  fill_group(made, group_out);
}

}  // namespace

COMEX_PROFILED(Group_create) void PARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out) {
  const comex::runtime::CallName called(__func__);
  create(n, pid_list, state().default_group.load(), group_out);
}

COMEX_PROFILED(Group_create_child)
void PARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out, ARMCI_Group* parent) {
  const comex::runtime::CallName called(__func__);
  create(n, pid_list, handle_of(parent), group_out);
}

COMEX_PROFILED(Group_free) void PARMCI_Group_free(ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  const comex_group_t handle = handle_of(group);
  if (handle == COMEX_GROUP_NULL) return;
  keep_memory_of(handle);
  state().remove_teams(handle);
  forget_group(handle);
  comex_group_t gone = handle;
  state().default_group.compare_exchange_strong(gone, COMEX_GROUP_WORLD);
  end_at_death(comex_group_free(handle));
  fill_group(COMEX_GROUP_NULL, group);
}

COMEX_PROFILED(Group_rank) int PARMCI_Group_rank(ARMCI_Group* group, int* rank) {
  const comex::runtime::CallName called(__func__);
  const comex_group_t handle = handle_of(group);
  *rank = -1;
  pass();
  return handle == COMEX_GROUP_NULL ? COMEX_FAILURE : comex_group_rank(handle, rank);
}

COMEX_PROFILED(Group_size) void PARMCI_Group_size(ARMCI_Group* group, int* size) {
  const comex::runtime::CallName called(__func__);
  comex_group_size(handle_of(group), size);
}

COMEX_PROFILED(Group_set_default) void PARMCI_Group_set_default(ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  state().default_group.store(handle_of(group));
}

COMEX_PROFILED(Group_get_default) void PARMCI_Group_get_default(ARMCI_Group* group_out) {
  const comex::runtime::CallName called(__func__);
  fill_group(state().default_group.load(), group_out);
}

COMEX_PROFILED(Group_get_world) void PARMCI_Group_get_world(ARMCI_Group* group_out) {
  const comex::runtime::CallName called(__func__);
  pass();
  fill_group(COMEX_GROUP_WORLD, group_out);
}

COMEX_PROFILED(Absolute_id) int PARMCI_Absolute_id(ARMCI_Group* group, int group_rank) {
  const comex::runtime::CallName called(__func__);
  int world_rank = -1;
  comex_group_translate_world(handle_of(group), group_rank, &world_rank);
  return world_rank;
}
