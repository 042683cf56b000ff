// How two roots find each other and talk, each within its own progress loop.
//
// One waits at its port, and the other tries until it is let in (port_handshake.h); then frames go both ways.
// While a root waits here, its engine and the progress ranks go on, since MPI is not involved yet. Used by
// meeting.
#pragma once

#include <functional>

#include "core/packing.h"
#include "runtime/runtime.h"
#include "worlds/agreement/deadline.h"
#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {

// Called in every round of a wait, under the engine lock. True if members of the own side are lost, so that
// waiting is useless.
using ShouldAbort = std::function<bool()>;

class LeaderConnection {
 public:
  static Result<LeaderConnection> await(runtime::Runtime& runtime, const char* operation, Listener& listener,
                                        const Deadline& deadline, const ShouldAbort& should_abort);
  // Looks up the host first: a name goes to the system's resolver, which has its own time limits.
  static Result<LeaderConnection> seek(runtime::Runtime& runtime, const char* operation, const PortName& port,
                                       const Deadline& deadline, const ShouldAbort& should_abort);

  // False once the other side has gone. It keeps the connection until both sides have come together.
  bool is_open() { return channel_.step(); }
  std::string how_it_ended() const { return "the other side has gone (" + channel_.ended() + ")"; }
  void say(std::span<const std::byte> frame) { channel_.send(frame); }
  // Returns the other side's next frame, or a failure that says what happened to it.
  Result<Bytes> receive(runtime::Runtime& runtime, const char* operation, const Deadline& deadline,
                        const ShouldAbort& should_abort);

 private:
  explicit LeaderConnection(FramedSocket channel) : channel_(std::move(channel)) {}

  FramedSocket channel_;
};

}  // namespace comex::worlds
