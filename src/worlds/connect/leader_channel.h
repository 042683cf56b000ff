// How the leaders of two groups find each other, and how members then talk with their leader, and leaders
// with each other, while the two sides are joined.
//
// One leader waits at its port, and the other tries until it is let in (port_handshake.h); then frames go
// both ways. Members use control messages. Everybody goes on serving meanwhile, since MPI is not involved
// yet. Used by meeting, and by the calls that say where the leaders find each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "groups/joining.h"
#include "op/group_collective.h"
#include "runtime/runtime.h"
#include "worlds/agreement/deadline.h"
#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {

// Called in every round of a wait, under the engine lock. True if members of the own side are lost, so that
// waiting is useless.
using ShouldAbort = std::function<bool()>;

// Returns the connection with the other leader, which comes to this port.
Result<FramedSocket> await_leader(runtime::Runtime& runtime, const char* operation, Listener& listener,
                                  const Deadline& deadline, const ShouldAbort& should_abort);
// The same for the one that comes. Looks up the host first: a name goes to the system's resolver, which has
// its own time limits.
Result<FramedSocket> seek_leader(runtime::Runtime& runtime, const char* operation, const PortName& port,
                                 const Deadline& deadline, const ShouldAbort& should_abort);

Failure members_are_lost();  // of the own side

class MeetingChannel final : public groups::LeaderChannel {
 public:
  MeetingChannel(runtime::Runtime& runtime, const char* operation, op::GroupCollective& members, int leader,
                 double limit_s)
      : runtime_(runtime),
        operation_(operation),
        members_(members),
        leader_(static_cast<std::uint32_t>(leader)),
        limit_s_(limit_s) {}

  bool is_leader() const override { return members_.me() == leader_; }
  std::uint32_t rank() const override { return members_.me(); }
  Result<Bytes> exchange(const Bytes& mine) override;
  std::uint64_t most_exchanged_bytes() const override { return FramedSocket::frame_limit_bytes; }
  Result<Bytes> broadcast(const Bytes& leaders) override;
  Result<std::vector<Bytes>> gather(const Bytes& mine) override;
  // Spreads the leader's text to all. Empty: nothing went wrong and nobody is lost.
  std::string spread(const std::string& leaders);

  // The rest is called on the leader.
  void connect(FramedSocket other) { other_ = std::move(other); }
  // False once the other side has gone. It keeps the connection until both sides have come together.
  bool is_open() { return other_.step(); }
  std::string how_it_ended() const { return "the other side has gone (" + other_.ended() + ")"; }
  void say(std::string_view text) { other_.send(std::as_bytes(std::span(text.data(), text.size()))); }
  // Returns the other leader's next frame, or a failure that says what happened to it.
  Result<Bytes> receive();

 private:
  runtime::Runtime& runtime_;
  const char* operation_;
  op::GroupCollective& members_;
  std::uint32_t leader_;
  double limit_s_;
  FramedSocket other_;
};

}  // namespace comex::worlds
