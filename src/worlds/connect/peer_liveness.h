// Links each process of a bridge to one of every other world on it, so that it learns of that world's death.
//
// MPI does not report it. A link is a TCP connection of the runtime that is silent while both live
// (ports/life_watch). If the network refuses a link, the bridge works without it. Called by join,
// inside the step in which all of both sides are present.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "runtime/report.h"
#include "worlds/connect/ports/life_watch.h"

namespace comex::worlds {

struct LinkedWorlds {
  LivenessLinks links;             // of this process, by world
  std::uint32_t dead_workers = 0;  // of its own world: the most that one of it in `all` knows
};

// Collective over `all`. `dead_workers`: of the own world, as this process knows.
LinkedWorlds link_worlds(MPI_Comm all, WorldId own, std::uint32_t dead_workers,
                         const runtime::Reporter& reporter);

// Links that are watched until the worlds part.
class WatchedLinks {
 public:
  using OnEnd = std::function<void(WorldId, LinkEnd)>;  // see LifeWatch::OnEnd

  explicit WatchedLinks(LifeWatch& watch) : watch_(watch) {}
  void watch(LinkedWorlds&& linked, const OnEnd& on_end) {
    for (auto& [world, channels] : linked.links) {
      const auto tell = [on_end, world = world](LinkEnd how) { on_end(world, how); };
      ids_.push_back(watch_.add(std::move(channels), tell, linked.dead_workers));
    }
  }
  void end(bool all_part) {
    for (const LifeWatch::Id id : ids_) {
      if (all_part) {
        watch_.remove(id, LinkEnd::parted);
      } else {
        watch_.detach(id);
      }
    }
  }

 private:
  LifeWatch& watch_;
  std::vector<LifeWatch::Id> ids_;
};

}  // namespace comex::worlds
