// What a worker keeps for meetings: the ports it has opened, who spawned it, how often it asked for the lock.
//
// Part of Runtime; the calls of api/worlds use it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "api/bridge/bridge.h"
#include "core/ids.h"
#include "core/status.h"
#include "groups/worlds/rendezvous.h"
#include "groups/worlds/rendezvous_watch.h"

namespace comex::api {

inline constexpr int no_group = -1;

class Ports {
 public:
  std::string add(groups::Listener listener);
  bool remove(const std::string& name);
  // Kept for as long as it is used, even if it is closed meanwhile. Null: no such port here.
  std::shared_ptr<groups::Listener> find(const std::string& name);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<groups::Listener>> open_;
};

class Runtime;

// Worlds that are lost: noted by the watch's thread, told where the program's own thread waits or begins
// something with another world, since that one may call MPI.
class Losses {
 public:
  // A world on this bridge, and what has become of it.
  void note(BridgeId bridge, WorldId world, std::string how);
  bool is_news(WorldId world);  // the first time that is asked
  void tell(Runtime& runtime) {
    if (has_any_.load(std::memory_order_relaxed)) [[unlikely]]
      tell_all(runtime);
  }

 private:
  struct Loss {
    BridgeId bridge;
    WorldId world;
    std::string how;
  };
  void tell_all(Runtime& runtime);

  std::atomic<bool> has_any_{false};
  std::mutex mutex_;
  std::vector<Loss> noted_;
  std::set<WorldId> told_;
};

// How often a group that two processes were both called for came to nothing, as each of the two counts it.
// News of a failure bears the number of the next one, so that what is left of an earlier one is known by its
// number. A call that was refused is counted for such a group, but the other may never have called: what it
// says with a number that a refusal took may be about that call, or about the present one. Under the engine
// lock.
class Setbacks {
 public:
  struct Pair {
    std::uint32_t my_endpoint = 0;
    Gpid other;
    std::uint32_t other_endpoint = 0;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  std::uint64_t next(const Pair& pair) const {
    const Tally tally = tally_of(pair);
    return tally.common + tally.refusals + 1;
  }
  bool is_old(const Pair& pair, std::uint64_t number) const { return number <= tally_of(pair).common; }
  bool is_doubtful(const Pair& pair, std::uint64_t number) const {
    return !is_old(pair, number) && number < next(pair);
  }
  void count(const Pair& pair) { ++tallies_[pair].common; }
  void count_refusal(const Pair& pair) { ++tallies_[pair].refusals; }
  // The refusals up to that number were of calls that the other made as well.
  void share_refusals(const Pair& pair, std::uint64_t number) {
    COMEX_BUG_IF(!is_doubtful(pair, number));
    Tally& tally = tallies_[pair];
    tally.refusals -= number - tally.common;
    tally.common = number;
  }
  // They were of calls that the other did not make.
  void forget_refusals(const Pair& pair) { tallies_[pair].refusals = 0; }

 private:
  struct Tally {
    std::uint64_t common = 0;
    std::uint64_t refusals = 0;  // of this process, since then
  };
  Tally tally_of(const Pair& pair) const {
    const auto found = tallies_.find(pair);
    return found == tallies_.end() ? Tally() : found->second;
  }

  std::map<Pair, Tally> tallies_;
};

struct Meetings {
  Ports ports;
  std::atomic<int> parent{no_group};  // the inter-group with the world that spawned this one
  std::atomic<std::uint64_t> asked{0};
  std::atomic<bool> has_given_up{false};  // a group whose members may have been told so
  Setbacks setbacks;
  Losses losses;
  groups::LifeWatch watch;  // over the bridges; destroyed first, since it notes losses
};

}  // namespace comex::api
