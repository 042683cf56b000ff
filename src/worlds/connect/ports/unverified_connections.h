// Connections to a port that have not shown its cookie yet.
//
// Anybody can connect, so their cost is bounded: only a few are kept, for a short time, and each may send one
// short frame. The oldest is dropped when another one comes. A guest sends its first frame as soon as it has
// connected and tries again when it was dropped, so many strangers delay it but do not keep it out. Nothing
// here waits: the owner calls look() in its own loop and has the clock. Used by port_greeting and by the
// watch over worlds.
#pragma once

#include <chrono>
#include <functional>
#include <list>

#include "core/packing.h"
#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {

class Strangers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most = 32;
  static constexpr Clock::duration patience = std::chrono::seconds(5);

  // `expected`: the number of guests that may come at the same moment, besides strangers.
  explicit Strangers(std::size_t expected = 1) : capacity_(most + expected) {}

  // Called with the first frame of each. It takes the channel of a guest; others are dropped.
  using Hear = std::function<void(FramedSocket&, const Bytes&)>;
  void look(Listener& listener, Clock::time_point now, const Hear& hear);

 private:
  struct Stranger {
    FramedSocket channel;
    Clock::time_point until;
  };
  static bool is_done(Stranger& stranger, Clock::time_point now, const Hear& hear);

  std::size_t capacity_;
  std::list<Stranger> waiting_;  // the oldest first
};

}  // namespace comex::worlds
