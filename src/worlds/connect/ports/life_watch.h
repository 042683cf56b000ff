// Watches over the lives of the processes that this process is linked to.
//
// A link is a connection without data until one side parts or ends. An end without a word means that the
// other side has died. A thread of its own sleeps until then, reports it once, and touches nothing else. Each
// process with bridges has one; used by worlds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/ids.h"
#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {

enum class LinkEnd : unsigned char {
  none,         // it died
  parted,       // both sides part: not reported
  ended,        // it has finalized without parting
  broken,       // a process of its world has died, and it goes on alone
  broken_here,  // the same of this world; never sent
};

class LifeWatch {
 public:
  using Id = std::uint64_t;
  // Called on the watch's thread or within break_all, once for each link.
  using OnEnd = std::function<void(LinkEnd)>;

  LifeWatch() = default;
  // Ends all remaining links with LinkEnd::ended, those whose watch has ended with LinkEnd::parted.
  ~LifeWatch();
  LifeWatch(const LifeWatch&) = delete;
  LifeWatch& operator=(const LifeWatch&) = delete;

  // `dead_workers`: of this world, as all of it that meet know.
  Id add(std::vector<FramedSocket> channels, OnEnd on_end, std::uint32_t dead_workers = 0);
  // Ends the watch over a link. Afterwards on_end is not called and not running, unless this is the watch's
  // thread. The other side is told if all part; otherwise it still learns how this process ends.
  void end(Id link, bool all_part);
  // So many workers of this world have died: ends the links, also later ones, that were made when fewer had,
  // with LinkEnd::broken. Each is reported here as broken_here, unless its end was reported before.
  void break_all(std::uint32_t dead_workers);

 private:
  struct LivenessLink {
    std::vector<FramedSocket> channels;
    OnEnd on_end;  // empty: its watch has ended
    std::uint32_t dead_workers;
    bool is_told = false;
  };
  static void say(LivenessLink& link, LinkEnd how);
  void run();
  void wake();
  std::vector<int> descriptors();
  bool look(std::vector<std::pair<OnEnd, LinkEnd>>& ended);

  std::mutex mutex_;
  std::mutex telling_;  // held while on_end is called
  std::map<Id, LivenessLink> links_;
  Id last_ = 0;
  std::uint32_t dead_workers_ = 0;
  bool is_over_ = false;
  Socket wake_pair_[2];  // a pair: a byte written to one wakes the thread that polls the other
  std::thread thread_;
};

// How a link begins: the connecting side shows the cookie of the port and its world. It is welcomed, or
// dropped where too many connect, and tries again.
Result<FramedSocket> link_to(const PortName& port, WorldId mine, std::uint64_t limit_ms);
// Waits for `expected` links, by world; drops all others. False when the time is over.
using LivenessLinks = std::map<WorldId, std::vector<FramedSocket>>;
bool await_links(Listener& listener, std::uint32_t expected, std::uint64_t limit_ms, LivenessLinks& came);

}  // namespace comex::worlds
