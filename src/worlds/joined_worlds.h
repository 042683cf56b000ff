// A worker's part in other worlds: the bridges that lead to them, and its state for meetings.
//
// The runtime owns it as its OtherWorlds; `worlds` and `calls` get it by joined_worlds(). Init passes
// `joiner` to the runtime.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/other_worlds.h"
#include "runtime/runtime.h"
#include "worlds/bridge/bridges.h"
#include "worlds/connect/ports/framed_socket.h"
#include "worlds/connect/ports/life_watch.h"

namespace comex::worlds {

inline constexpr int no_group = -1;

// The open ports.
class Ports {
 public:
  void add(Listener listener);
  bool remove(const std::string& name);
  // The caller may use it even if it is closed meanwhile. Null: there is no such port here.
  std::shared_ptr<Listener> find(const std::string& name);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Listener>> open_;
};

class JoinedWorlds final : public runtime::OtherWorlds {
 public:
  explicit JoinedWorlds(runtime::Runtime& runtime) : runtime_(runtime) {}

  bool find(Lpid lpid, runtime::Reach& found) const override { return bridges.find_peer(lpid, found); }
  runtime::ControlRoute route_to(BridgeId bridge, Lpid lpid) const override;
  std::string why_lost(BridgeId bridge) override;
  void tell_losses() override;
  void part_after_death(std::uint32_t dead_workers) override { watch.break_all(dead_workers); }
  void start_fence_all(nb::Completion& completion) override;
  void on_group_removed(int handle) override { parent.compare_exchange_strong(handle, no_group); }
  void leave() override { leave_all_bridges(runtime_); }
  void drop_lives_in_child() override { bridges.arenas.drop_lives_in_child(); }
  void on_world_freed(WorldId world) override { bridges.freed(world); }

  Bridges bridges;
  Ports ports;
  std::atomic<int> parent{no_group};            // the inter-group with the world that spawned this one
  std::atomic<std::uint64_t> meeting_locks{0};  // so many there have been
  std::atomic<std::uint32_t> spawns{0};         // jobs that this process has spawned in this world
  LifeWatch watch;                              // over the bridges

 private:
  runtime::Runtime& runtime_;
};

// For a runtime that was initialized with `joiner`, as all are outside of tests.
inline JoinedWorlds& joined_worlds(const runtime::Runtime& runtime) {
  return static_cast<JoinedWorlds&>(runtime.other_worlds());
}

extern const runtime::WorldJoiner joiner;

}  // namespace comex::worlds
