// The steps that the message collectives share: their teams, the fence and barrier before them, the root.
#pragma once

#include "armci/state.h"
#include "armci/tree.h"

namespace comex::armci {

// The place of a collective with a scope, once its fence and barrier are done.
struct CollectiveContext {
  const GroupTeams* teams;
  const Team* team;
  bool takes_part() const { return team->has_me(); }
};
CollectiveContext enter_collective(int scope, comex_group_t group);

void broadcast_from(int world_root, const CollectiveContext& scene, void* bytes, std::size_t count);
void reduce_for_all(const CollectiveContext& scene, void* x, std::size_t elements,
                    const Reduction& reduction);
std::size_t checked_count(int n);  // a negative count ends the job

}  // namespace comex::armci
