// Domains, and which workers share a host's memory even if they are in several domains.
#include <algorithm>

#include "armci/state.h"

using namespace comex::armci;

namespace {

const Domains& domains() {
  if (!state().is_open) comex_error("a domain is asked for outside of init and finalize", 1);
  return state().domains;
}

std::size_t checked_proc(int proc) {
  domains();
  if (proc < 0 || proc >= state().size) comex_error("a domain is asked of a rank that there is not", proc);
  return static_cast<std::size_t>(proc);
}

const std::vector<int>& members_of(int id) {
  const Domains& all = domains();
  const int which = id == -1 ? all.id_of[static_cast<std::size_t>(state().me)] : id;
  if (which < 0 || static_cast<std::size_t>(which) >= all.members.size()) {
    comex_error("a domain is named that there is not", id);
  }
  return all.members[static_cast<std::size_t>(which)];
}

// Returns whether any two members reach each other's memory by loads and stores; the same on all of them.
int some_share_memory(comex_group_t group) {
  int size = 0;
  if (comex_initialized() == 0 || group == COMEX_GROUP_NULL) return 0;
  comex_group_size(group, &size);
  std::vector<int> hosts(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) comex_host_of(rank, group, &hosts[static_cast<std::size_t>(rank)]);
  std::ranges::sort(hosts);
  return std::ranges::adjacent_find(hosts) == hosts.end() ? 0 : 1;
}

}  // namespace

COMEX_C int armci_domain_nprocs(armci_domain_t, int id) {
  const comex::runtime::CallName called(__func__);
  return static_cast<int>(members_of(id).size());
}

COMEX_C int armci_domain_id(armci_domain_t, int glob_proc_id) {
  const comex::runtime::CallName called(__func__);
  return state().domains.id_of[checked_proc(glob_proc_id)];
}

COMEX_C int armci_domain_glob_proc_id(armci_domain_t, int id, int loc_proc_id) {
  const comex::runtime::CallName called(__func__);
  const std::vector<int>& members = members_of(id);
  if (loc_proc_id < 0 || static_cast<std::size_t>(loc_proc_id) >= members.size()) {
    comex_error("a domain has no such member", loc_proc_id);
  }
  return members[static_cast<std::size_t>(loc_proc_id)];
}

COMEX_C int armci_domain_my_id(armci_domain_t) {
  const comex::runtime::CallName called(__func__);
  return domains().id_of[static_cast<std::size_t>(state().me)];
}

COMEX_C int armci_domain_count(armci_domain_t) {
  const comex::runtime::CallName called(__func__);
  return static_cast<int>(domains().members.size());
}

COMEX_C int armci_domain_same_id(armci_domain_t, int proc) {
  const comex::runtime::CallName called(__func__);
  const std::vector<int>& id_of = domains().id_of;
  return id_of[checked_proc(proc)] == id_of[static_cast<std::size_t>(state().me)] ? 1 : 0;
}

COMEX_PROFILED(Same_node) int PARMCI_Same_node(int proc) {
  const comex::runtime::CallName called(__func__);
  int here = 0;
  int there = 0;
  comex_host_of(state().me, COMEX_GROUP_WORLD, &here);
  comex_host_of(static_cast<int>(checked_proc(proc)), COMEX_GROUP_WORLD, &there);
  return here == there ? 1 : 0;
}

COMEX_PROFILED(Uses_shm) int PARMCI_Uses_shm(void) {
  const comex::runtime::CallName called(__func__);
  return some_share_memory(COMEX_GROUP_WORLD);
}

COMEX_PROFILED(Uses_shm_grp) int PARMCI_Uses_shm_grp(ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  return some_share_memory(handle_of(group));
}
