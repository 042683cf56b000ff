// Where two launches meet: a port that one opens and publishes in a file, and the other looks up.
//
// The launch says on its command line which of the two it is. Used by the tests of meetings.
#pragma once

#include <array>

#include "worlds/worlds.h"

namespace comex::testing {

constexpr double limit_s = 20;

class Place {
 public:
  Place(const Job& job, comex_group_t group, int root, const std::string& name = "")
      : job_(job), group_(group), root_(root) {
    accepts_ = job.arguments.at(0) == "accept";
    const std::string file = job.arguments.at(1) + name;
    if (job.me != root) return;
    std::array<char, 400> port{};
    if (accepts_) {
      job.done(comex_world_open_port(port.data(), static_cast<int>(port.size())));
      port_ = port.data();
      publish(file, port_);
    } else {
      port_ = look_up(file);
    }
  }
  bool accepts() const { return accepts_; }
  const char* port() const { return port_.c_str(); }
  int try_to_meet(comex_group_t* peer, double seconds = limit_s) const {
    return accepts_ ? comex_world_accept(port(), root_rank(), group_, seconds, peer)
                    : comex_world_connect(port(), root_rank(), group_, seconds, peer);
  }
  comex_group_t meet() const {
    comex_group_t peer = COMEX_GROUP_NULL;
    job_.done(try_to_meet(&peer));
    return peer;
  }
  void close() const {
    if (accepts_ && !port_.empty()) job_.done(comex_world_close_port(port()));
  }

 private:
  int root_rank() const { return group_ == everyone ? root_ : 0; }

  const Job& job_;
  comex_group_t group_;
  int root_;
  bool accepts_ = false;
  std::string port_;
};

// All of this side, over the port of rank 0.
inline int meet_at(const Place& place, comex_group_t* peer) {
  return place.accepts() ? comex_world_accept(place.port(), 0, everyone, limit_s, peer)
                         : comex_world_connect(place.port(), 0, everyone, limit_s, peer);
}

}  // namespace comex::testing
