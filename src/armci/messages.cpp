#include "armci/messages.h"

namespace comex::armci {

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

void broadcast_from(int world_root, const CollectiveContext& scene, void* bytes, std::size_t count) {
  if (!scene.takes_part()) return;
  const int root = scene.teams->index_of_world(*scene.team, world_root);
  if (root < 0) comex_error("a broadcast's root is not in its scope", world_root);
  broadcast(*scene.team, bytes, count, root);
}

void reduce_for_all(const CollectiveContext& scene, void* x, std::size_t elements,
                    const Reduction& reduction) {
  if (!scene.takes_part()) return;
  reduce(*scene.team, x, elements, reduction, Others::spoil);
  broadcast(*scene.team, x, elements * reduction.element_bytes(), 0);
}

std::size_t checked_count(int n) {
  if (n < 0) comex_error("a collective of a negative count", n);
  return static_cast<std::size_t>(n);
}

}  // namespace comex::armci
