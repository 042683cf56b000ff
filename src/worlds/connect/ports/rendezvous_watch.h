// Watches over the lives of those whom this process is connected to.
//
// Each link is a connection that says nothing until one side parts or ends: an end without a word means that
// the other side has died. A thread of its own waits for that, asleep, and tells once; it touches nothing
// else. One for each process that has bridges; used by worlds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/ids.h"
#include "worlds/connect/ports/rendezvous.h"

namespace comex::worlds {

enum class Farewell : unsigned char {
  none,    // it died
  parted,  // both sides part: not told
  ended,   // it has finalized and left its connections as they were
};

class LifeWatch {
 public:
  using Id = std::uint64_t;
  // Called on the watch's thread, once for each link.
  using OnEnd = std::function<void(Farewell)>;

  LifeWatch() = default;
  // Ends all that are left with Farewell::ended.
  ~LifeWatch();
  LifeWatch(const LifeWatch&) = delete;
  LifeWatch& operator=(const LifeWatch&) = delete;

  Id add(std::vector<FramedSocket> channels, OnEnd on_end);
  // Says it to the others; afterwards on_end is not called, nor under way unless this is the watch's thread.
  void remove(Id link, Farewell farewell);

 private:
  struct LivenessLink {
    std::vector<FramedSocket> channels;
    OnEnd on_end;
    bool is_over = false;
  };
  void run();
  void wake();
  std::vector<int> descriptors();
  bool look(std::vector<std::pair<OnEnd, Farewell>>& ended);

  std::mutex mutex_;
  std::mutex telling_;  // held while on_end is called
  std::map<Id, LivenessLink> links_;
  Id last_ = 0;
  bool is_over_ = false;
  Socket bell_[2];  // a pair: a byte in one wakes who waits for the other
  std::thread thread_;
};

// How a link begins: who connects shows the cookie of the port, and says of which world it is; it is
// welcomed, or sent away by a crowd and comes again.
Result<FramedSocket> link_to(const PortName& port, WorldId mine, std::uint64_t limit_ms);
// Waits for `expected` of them, by world; strangers are sent away. False when the time is over.
using LivenessLinks = std::map<WorldId, std::vector<FramedSocket>>;
bool await_links(Listener& listener, std::uint32_t expected, std::uint64_t limit_ms, LivenessLinks& came);

}  // namespace comex::worlds
