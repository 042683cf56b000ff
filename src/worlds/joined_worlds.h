// A worker's part in other worlds: the bridges that lead to them, and its state for meetings.
//
// The runtime owns it as its OtherWorlds; `worlds` and `calls` get it by joined_worlds(). Init passes
// joiner() to the runtime.
#pragma once

#include "runtime/other_worlds.h"
#include "runtime/runtime.h"
#include "worlds/bridge/bridges.h"
#include "worlds/connect/meetings.h"

namespace comex::worlds {

class JoinedWorlds final : public runtime::OtherWorlds {
 public:
  explicit JoinedWorlds(runtime::Runtime& runtime) : runtime_(runtime) {}

  bool find(Lpid lpid, runtime::Reach& found) const override;
  TransportRank rank_on(BridgeId bridge, Lpid lpid) const override;
  op::ControlMessages& control_of(BridgeId bridge) override;
  std::string why_lost(BridgeId bridge) override;
  void tell_losses() override { meetings.losses.tell(runtime_); }
  void part_after_death(std::uint32_t dead_workers) override { meetings.watch.break_all(dead_workers); }
  void start_fence_all(nb::Completion& completion) override;
  void on_group_removed(int handle) override;
  void leave() override { leave_all_bridges(runtime_); }

  void on_world_freed(WorldId world) override {
    bridges.freed(world);
    meetings.losses.forget(world);
  }

  Bridges bridges;
  Meetings meetings;

 private:
  runtime::Runtime& runtime_;
};

// For a runtime that was initialized with joiner(), as all are outside of tests.
inline JoinedWorlds& joined_worlds(const runtime::Runtime& runtime) {
  return static_cast<JoinedWorlds&>(runtime.other_worlds());
}

const runtime::WorldJoiner& joiner();

}  // namespace comex::worlds
