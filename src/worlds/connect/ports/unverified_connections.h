// Connections to a port that have not shown its cookie yet.
//
// Anybody can connect, so their cost is bounded: only a few are kept, for a short time, and each may send one
// short frame. The oldest is dropped when another one comes. A process that knows the cookie sends it as soon
// as it has connected, and tries again when it was dropped, so many others delay it but do not keep it out.
// Nothing here waits: the owner calls look() in its own loop and has the clock. Used by port_handshake and by
// the watch over worlds.
#pragma once

#include <chrono>
#include <functional>
#include <list>

#include "core/packing.h"
#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {

class UnverifiedConnections {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most = 32;
  static constexpr Clock::duration time_limit = std::chrono::seconds(5);

  // `expected`: how many that know the cookie may come at the same moment, besides any others.
  explicit UnverifiedConnections(std::size_t expected = 1) : capacity_(most + expected) {}

  // Called with the first frame of each. It moves the channel out if the frame is right; others are dropped.
  using OnFrame = std::function<void(FramedSocket&, const Bytes&)>;
  void look(Listener& listener, Clock::time_point now, const OnFrame& on_frame);

 private:
  struct Connection {
    FramedSocket channel;
    Clock::time_point until;
  };
  static bool is_done(Connection& connection, Clock::time_point now, const OnFrame& on_frame);

  std::size_t capacity_;
  std::list<Connection> waiting_;  // the oldest first
};

}  // namespace comex::worlds
