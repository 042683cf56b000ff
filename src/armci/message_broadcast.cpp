// The calls for barriers, broadcasts and the binary tree.
#include "armci/export.h"
#include "armci/messages.h"

using namespace comex::armci;

namespace {

void broadcast_over(int scope, void* buffer, int len, int root, comex_group_t group) {
  broadcast_from(root, enter_collective(scope, group), buffer, checked_count(len));
}

}  // namespace

COMEX_C void parmci_msg_barrier(void) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_barrier(collective_group()));
}
COMEX_WEAK_NAME(armci_msg_barrier, parmci_msg_barrier);

COMEX_C void parmci_msg_group_barrier(ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  end_at_death(comex_barrier(handle_of(group)));
}
COMEX_WEAK_NAME(armci_msg_group_barrier, parmci_msg_group_barrier);

COMEX_C void armci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right) {
  const comex::runtime::CallName called(__func__);
  const GroupTeams& teams = state().teams_of(collective_group());
  const Team& team = teams.team(scope);
  const auto name = [&](int index) {
    return index < 0 || index >= team.size() ? -1 : teams.world_rank(team, index);
  };
  *Root = name(0);
  *Up = *Left = *Right = -1;
  if (!team.has_me()) return;
  if (team.index > 0) *Up = name((team.index - 1) / 2);
  *Left = name(2 * team.index + 1);
  *Right = name(2 * team.index + 2);
}

COMEX_C void armci_msg_bcast_scope(int scope, void* buffer, int len, int root) {
  const comex::runtime::CallName called(__func__);
  broadcast_over(scope, buffer, len, root, collective_group());
}

COMEX_C void armci_msg_bcast(void* buffer, int len, int root) {
  const comex::runtime::CallName called(__func__);
  broadcast_over(SCOPE_ALL, buffer, len, root, collective_group());
}

COMEX_C void armci_msg_brdcst(void* buffer, int len, int root) {
  const comex::runtime::CallName called(__func__);
  broadcast_over(SCOPE_ALL, buffer, len, root, collective_group());
}

COMEX_C void armci_msg_group_bcast_scope(int scope, void* buffer, int len, int root, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  broadcast_over(scope, buffer, len, root, handle_of(group));
}

COMEX_C void armci_msg_clus_brdcst(void* buffer, int len) {
  const comex::runtime::CallName called(__func__);
  const std::size_t count = checked_count(len);
  const CollectiveContext scene = enter_collective(SCOPE_NODE, collective_group());
  if (scene.takes_part()) broadcast(*scene.team, buffer, count, 0);
}

COMEX_C void armci_grp_clus_brdcst(void* buffer, int len, int grp_master, int grp_clus_nproc,
                                   ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  const Team& all = state().teams_of(handle_of(group)).team(SCOPE_ALL);
  Team some{all.comm, all.tag, {}, all.index - grp_master, all.world_of};
  for (int rank = grp_master; rank < grp_master + grp_clus_nproc; ++rank) some.ranks.push_back(rank);
  if (grp_master < 0 || grp_master + grp_clus_nproc > all.size()) {
    comex_error("a broadcast to ranks that the group does not have", grp_master);
  }
  if (some.index < 0 || some.index >= some.size()) return;
  broadcast(some, buffer, checked_count(len), 0);
}
