// What a worker keeps for meetings: the ports it has opened, who spawned it, how often it asked for the lock.
//
// Part of JoinedWorlds; the calls of worlds use it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "worlds/bridge/bridge.h"
#include "worlds/connect/ports/rendezvous.h"
#include "worlds/connect/ports/rendezvous_watch.h"

namespace comex::runtime {
class Runtime;
}

namespace comex::worlds {

inline constexpr int no_group = -1;

class Ports {
 public:
  std::string add(Listener listener);
  bool remove(const std::string& name);
  // Kept for as long as it is used, even if it is closed meanwhile. Null: no such port here.
  std::shared_ptr<Listener> find(const std::string& name);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Listener>> open_;
};

// Worlds that are lost: noted by the watch's thread, told where the program's own thread waits or begins
// something with another world, since that one may call MPI.
class Losses {
 public:
  // A world on this bridge, and what has become of it.
  void note(BridgeId bridge, WorldId world, std::string how);
  bool is_news(WorldId world);  // the first time that is asked
  void tell(runtime::Runtime& runtime) {
    if (has_any_.load(std::memory_order_relaxed)) [[unlikely]]
      tell_all(runtime);
  }

 private:
  struct Loss {
    BridgeId bridge;
    WorldId world;
    std::string how;
  };
  void tell_all(runtime::Runtime& runtime);

  std::atomic<bool> has_any_{false};
  std::mutex mutex_;
  std::vector<Loss> noted_;
  std::set<WorldId> told_;
};

struct Meetings {
  Ports ports;
  std::atomic<int> parent{no_group};  // the inter-group with the world that spawned this one
  std::atomic<std::uint64_t> asked{0};
  Losses losses;
  LifeWatch watch;  // over the bridges; destroyed first, since it notes losses
};

}  // namespace comex::worlds
