// Links each process of a bridge to one of every other world on it, and watches over the links, so that it
// learns of that world's death, which MPI does not report.
//
// A link is a connection without data until one side parts or ends. An end without a word means that the
// other side has died. If the network refuses a link, the bridge works without it. Links are made where
// worlds join, while all of both sides are present. Each process with bridges has one watch, which its owner
// asks between two rounds of its loop. Any thread may call. Used by worlds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "worlds/agreement/deadline.h"
#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {

enum class LinkEnd : unsigned char {
  none,         // it died
  parted,       // both sides part: not reported
  ended,        // it has finalized without parting
  broken,       // a process of its world has died, and it goes on alone
  broken_here,  // the same of this world; never sent
  left,         // no end: the other side watches no more, and goes on
};

using LivenessLinks = std::multimap<WorldId, FramedSocket>;

// The link with a world on a bridge has ended.
struct EndedLink {
  BridgeId bridge;
  WorldId world;
  LinkEnd how;
};

class LifeWatch {
 public:
  LifeWatch() = default;
  // Ends all remaining links with LinkEnd::ended, those whose watch has ended with LinkEnd::parted.
  ~LifeWatch();
  LifeWatch(const LifeWatch&) = delete;
  LifeWatch& operator=(const LifeWatch&) = delete;

  // Watches over the links of a bridge. `dead_workers`: of this world, as all of it that meet know.
  void add(BridgeId bridge, LivenessLinks&& links, std::uint32_t dead_workers = 0);
  // Ends the watch over a bridge's links: their ends are not reported afterwards. If all part, the links end;
  // otherwise the other side still learns how this process ends, until it watches no more either.
  void end(BridgeId bridge, bool all_part);
  // So many workers of this world have died: ends the links, also later ones, that were made when fewer had,
  // with LinkEnd::broken. Each is reported here as broken_here, unless its end was reported before.
  void break_all(std::uint32_t dead_workers);

  // Returns the ends that were not reported before. It looks at the links at most once in 10 ms, and costs a
  // load while there are none.
  std::vector<EndedLink> take_ended();

 private:
  struct LivenessLink {
    BridgeId bridge;
    WorldId world;
    FramedSocket channel;
    std::uint32_t dead_workers;
    bool is_watched = true;  // until its end is reported
    bool is_watched_there = true;
  };
  void report(LivenessLink& link, LinkEnd how);
  void break_links();
  void look();

  std::atomic<bool> has_links_{false};
  std::mutex mutex_;
  std::vector<LivenessLink> links_;
  std::vector<EndedLink> ended_;
  std::uint32_t dead_workers_ = 0;
  std::chrono::steady_clock::time_point next_look_;
};

struct MadeLinks {
  LivenessLinks links;
  std::string trouble;  // where one of the others has not let it in
};
// Makes the links that this process is to have: it connects to `others`, and so many are expected at the
// listener. Each begins as in port_handshake.h; the hello of the connecting side shows the cookie of the port
// and its world. All are made at once, because two processes may wait for each other; fewer at the deadline.
// Who comes to the listener without the cookie is dropped.
MadeLinks make_links(WorldId mine, std::span<const std::pair<WorldId, PortName>> others, Listener& listener,
                     std::uint32_t expected, const Deadline& deadline);

// Which processes of several worlds hold links. Every process is linked to at least one of each other world.
// Of two worlds, each process of the larger one connects to a process of the smaller, which take turns; if
// both are equal, the world with the higher number connects. All ranks decide the same from the same list.
struct LivenessPlan {
  std::vector<std::uint32_t> connects_to;  // ranks, one of each smaller world
  std::uint32_t awaits = 0;                // number of processes that connect to this rank
};
// Pure. `worlds` has the world of each rank.
LivenessPlan plan_links(std::span<const WorldId> worlds, std::uint32_t me);

}  // namespace comex::worlds
