// Those who have connected to a port and have not shown its cookie yet.
//
// Anybody can connect, so what they cost is bounded: few are kept, for a short time, and each may say one
// short frame. The oldest goes when another one comes. A guest says its first frame as soon as it has
// connected and comes again when it was sent away, so a crowd delays it and does not keep it out. Nothing
// here waits: the owner calls look() in its own loop and has the clock. Used by worlds/connect/port_greeting
// and by the watch over worlds.
#pragma once

#include <chrono>
#include <functional>
#include <list>

#include "core/packing.h"
#include "worlds/connect/ports/rendezvous.h"

namespace comex::worlds {

class Strangers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most = 32;
  static constexpr Clock::duration patience = std::chrono::seconds(5);

  // `expected`: so many guests may come at the same moment, beside the strangers.
  explicit Strangers(std::size_t expected = 1) : room_(most + expected) {}

  // Called with the first frame of each; it takes the channel of a guest, others are sent away.
  using Hear = std::function<void(FramedSocket&, const Bytes&)>;
  void look(Listener& listener, Clock::time_point now, const Hear& hear);

 private:
  struct Stranger {
    FramedSocket channel;
    Clock::time_point until;
  };
  static bool is_done(Stranger& stranger, Clock::time_point now, const Hear& hear);

  std::size_t room_;
  std::list<Stranger> waiting_;  // the oldest first
};

}  // namespace comex::worlds
