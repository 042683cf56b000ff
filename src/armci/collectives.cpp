// The collectives of messages: barriers, broadcasts and the binary tree, global operations (gop), reductions,
// selection, and the exchange of addresses.
#include <cstring>
#include <type_traits>
#include <vector>

#include "armci/state.h"
#include "armci/tree.h"

using namespace comex::armci;

namespace {

// The place of a collective with a scope, once its fence and barrier are done.
struct CollectiveContext {
  const GroupTeams* teams;
  const Team* team;
  bool takes_part() const { return team->has_me(); }
};

CollectiveContext enter_collective(int scope, comex_group_t group) {
  GroupTeams& teams = state().teams_of(group);
  const CollectiveContext scene{&teams, &teams.team(scope)};
  if (scope == SCOPE_NODE || !scene.takes_part()) return scene;
  if (scope == SCOPE_ALL) {
    end_at_death(comex_barrier(group));
  } else {
    end_at_death(comex_fence_all(group));
    team_barrier(*scene.team);
  }
  return scene;
}

void reduce_for_all(const CollectiveContext& scene, void* x, std::size_t elements,
                    const Reduction& reduction) {
  if (!scene.takes_part()) return;
  reduce(*scene.team, x, elements, reduction, Others::spoil);
  broadcast(*scene.team, x, elements * reduction.element_bytes(), 0);
}

// A negative count ends the job.
std::size_t checked_count(int n) {
  if (n < 0) comex_error("a collective of a negative count", n);
  return static_cast<std::size_t>(n);
}

void broadcast_over(int scope, void* buffer, int len, int world_root, comex_group_t group) {
  const std::size_t count = checked_count(len);
  const CollectiveContext scene = enter_collective(scope, group);
  if (!scene.takes_part()) return;
  const int root = scene.teams->index_of_world(*scene.team, world_root);
  if (root < 0) comex_error("a broadcast's root is not in its scope", world_root);
  broadcast(*scene.team, buffer, count, root);
}

void gop_over(int scope, void* x, int n, const char* op, int type, comex_group_t group) {
  const Reduction reduction = Reduction::of(op, type);
  reduce_for_all(enter_collective(scope, group), x, checked_count(n), reduction);
}

void reduce_over(int scope, void* x, int n, const char* op, int type) {
  const Reduction reduction = Reduction::of(op, type);
  const std::size_t elements = checked_count(n);
  const CollectiveContext scene = enter_collective(scope, collective_group());
  if (scene.takes_part()) reduce(*scene.team, x, elements, reduction, Others::keep);
}

// The candidate of one rank, or the best one so far.
struct Candidate {
  double real = 0;
  long long whole = 0;
  int index = -1;  // in the team; -1: there is none
};

Candidate candidate_of(const void* x, int type, int index) {
  Candidate candidate;
  candidate.index = index;
  with_type(type, [&](auto value) {
    std::memcpy(&value, x, sizeof value);
    if constexpr (std::is_integral_v<decltype(value)>) {
      candidate.whole = value;
    } else {
      candidate.real = value;
    }
  });
  return candidate;
}

// One of the two numbers is 0 in every candidate. Of equal candidates, the higher index wins.
bool wins(const Candidate& challenger, const Candidate& holder, bool greatest) {
  if (challenger.index < 0 || holder.index < 0) return holder.index < 0;
  const bool greater = challenger.whole > holder.whole || challenger.real > holder.real;
  const bool less = challenger.whole < holder.whole || challenger.real < holder.real;
  if (greater || less) return greatest ? greater : less;
  return challenger.index > holder.index;
}

template <bool greatest>
void combine_candidates(void* into, const void* from, std::size_t candidates) {
  for (std::size_t i = 0; i < candidates; ++i) {
    Candidate& holder = static_cast<Candidate*>(into)[i];
    const Candidate& challenger = static_cast<const Candidate*>(from)[i];
    if (wins(challenger, holder, greatest)) holder = challenger;
  }
}

void select_over(int scope, void* x, int n, const char* op, int type, int contribute) {
  const ReduceOp operation = operation_named(op);
  if (operation != ReduceOp::min && operation != ReduceOp::max) {
    comex_error(("a selection is by \"min\" or \"max\", not by \"" + first_of_name(op) + "\"").c_str(), 1);
  }
  const std::size_t bytes = checked_count(n);
  const std::size_t least = with_type(type, [](auto value) { return sizeof value; });
  if (bytes < least) comex_error("a selection of fewer bytes than its value has", n);
  const CollectiveContext scene = enter_collective(scope, collective_group());
  if (!scene.takes_part()) return;
  const Team& team = *scene.team;
  Candidate best;
  if (contribute != 0) best = candidate_of(x, type, team.index);
  reduce_for_all(
      scene, &best, 1,
      {sizeof best, operation == ReduceOp::max ? combine_candidates<true> : combine_candidates<false>});
  broadcast(team, x, bytes, best.index >= 0 ? best.index : team.size() - 1);
}

void exchange(void* ptr_arr[], int n, comex_group_t group) {
  int rank = 0;
  comex_group_rank(group, &rank);
  if (rank < 0) return;  // not a member
  std::vector<long> bits(checked_count(n));
  if (rank < n) bits[static_cast<std::size_t>(rank)] = reinterpret_cast<long>(ptr_arr[rank]);
  reduce_for_all(enter_collective(SCOPE_ALL, group), bits.data(), bits.size(),
                 Reduction::of("or", ARMCI_LONG));
  for (std::size_t i = 0; i < bits.size(); ++i) ptr_arr[i] = reinterpret_cast<void*>(bits[i]);
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

COMEX_C void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
  const comex::runtime::CallName called(__func__);
  gop_over(scope, x, n, op, type, collective_group());
}

COMEX_C void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  gop_over(scope, x, n, op, type, handle_of(group));
}

COMEX_C void armci_msg_reduce(void* x, int n, char* op, int type) {
  const comex::runtime::CallName called(__func__);
  reduce_over(SCOPE_ALL, x, n, op, type);
}

COMEX_C void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
  const comex::runtime::CallName called(__func__);
  reduce_over(scope, x, n, op, type);
}

// Defines the global operations of one type: over all, over the caller's node, over a group.
#define COMEX_GOP(letters, Element, type)                                                        \
  COMEX_C void armci_msg_##letters##gop(Element* x, int n, char* op) {                           \
    const comex::runtime::CallName called(__func__);                                             \
    gop_over(SCOPE_ALL, x, n, op, type, collective_group());                                     \
  }                                                                                              \
  COMEX_C void armci_msg_clus_##letters##gop(Element* x, int n, char* op) {                      \
    const comex::runtime::CallName called(__func__);                                             \
    gop_over(SCOPE_NODE, x, n, op, type, collective_group());                                    \
  }                                                                                              \
  COMEX_C void armci_msg_group_##letters##gop(Element* x, int n, char* op, ARMCI_Group* group) { \
    const comex::runtime::CallName called(__func__);                                             \
    gop_over(SCOPE_ALL, x, n, op, type, handle_of(group));                                       \
  }                                                                                              \
  static_assert(true) /* takes the semicolon */

COMEX_GOP(i, int, ARMCI_INT);
COMEX_GOP(l, long, ARMCI_LONG);
COMEX_GOP(ll, long long, ARMCI_LONG_LONG);
COMEX_GOP(f, float, ARMCI_FLOAT);
COMEX_GOP(d, double, ARMCI_DOUBLE);

// Selection spreads the payload of the rank with the smallest or largest value.
COMEX_C void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute) {
  const comex::runtime::CallName called(__func__);
  select_over(scope, x, n, op, type, contribute);
}

// Defined even if the header has a macro, because a program may be compiled with another header.
COMEX_C void(armci_msg_sel)(void* x, int n, char* op, int type, int contribute) {
  const comex::runtime::CallName called(__func__);
  select_over(SCOPE_ALL, x, n, op, type, contribute);
}

COMEX_C void armci_exchange_address(void* ptr_arr[], int n) {
  const comex::runtime::CallName called(__func__);
  exchange(ptr_arr, n, collective_group());
}

COMEX_C void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group) {
  const comex::runtime::CallName called(__func__);
  exchange(ptr_arr, n, handle_of(group));
}
