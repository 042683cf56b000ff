// Ties each process of a bridge to one of the other side, so that it learns of that side's death.
//
// MPI tells nobody. A tie is a TCP connection of ours that is silent as long as both live (groups'
// rendezvous_watch). Without one, where the network refuses it, the bridge works all the same. Called by
// join, inside the step in which all of both sides are there.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "api/report.h"
#include "groups/worlds/rendezvous_watch.h"

namespace comex::api {

// Collective over `all`, of which the first `low` ranks are one side.
std::vector<groups::Channel> tie_sides(MPI_Comm all, int low, const Reporter& reporter);

// A tie that is watched until both sides part.
class Tie {
 public:
  explicit Tie(groups::LifeWatch& watch) : watch_(watch) {}
  void watch(std::vector<groups::Channel> channels, groups::LifeWatch::OnEnd on_end) {
    id_ = watch_.add(std::move(channels), std::move(on_end));
  }
  void part() { watch_.remove(id_, groups::Farewell::parted); }

 private:
  groups::LifeWatch& watch_;
  groups::LifeWatch::Id id_ = 0;
};

}  // namespace comex::api
