// A worker's state for meetings: its open ports, its parent, and a count of its requests for the lock.
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
#include "worlds/connect/ports/framed_socket.h"
#include "worlds/connect/ports/life_watch.h"

namespace comex::runtime {
class Runtime;
}

namespace comex::worlds {

inline constexpr int no_group = -1;

class Ports {
 public:
  std::string add(Listener listener);
  bool remove(const std::string& name);
  // The caller may use it even if it is closed meanwhile. Null: there is no such port here.
  std::shared_ptr<Listener> find(const std::string& name);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Listener>> open_;
};

// The lost worlds. The watch's thread notes them. The program's own thread handles them where it waits or
// begins something with another world, because that thread may call MPI.
class Losses {
 public:
  // Notes a world on this bridge and what has happened to it.
  void note(BridgeId bridge, WorldId world, std::string how);
  bool is_news(WorldId world);  // true at the first call for this world
  void forget(WorldId world);   // its number may be used again
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
  std::atomic<std::uint32_t> spawns{0};  // jobs that this process has spawned in this world
  Losses losses;
  LifeWatch watch;  // over the bridges; destroyed first, because it notes losses
};

}  // namespace comex::worlds
