// The handshake by which a process enters at a port: both ends, each stepped by its owner, which has the
// clock.
//
//   PortConnector    host:port ──► hello, with the cookie ──►   PortListener    takes the first right hello
//   (UnverifiedConnections: all others)
//              ◄── enter ◄──
//              ──► a first frame ──►                            it has entered, and both go on
//
// A caller that goes before its first frame makes room for the next. A connector that was refused, dropped or
// not answered tries again until its deadline. Nothing here blocks. Used by leader_channel, and by the watch
// over worlds for its links.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "core/packing.h"
#include "worlds/agreement/deadline.h"
#include "worlds/connect/ports/framed_socket.h"

namespace comex::worlds {

// Connections to a port that have not shown its cookie yet.
//
// Anybody can connect, so their cost is bounded: only a few are kept, for a short time, and each may send one
// short frame. The oldest is dropped when another one comes. A process that knows the cookie sends it as soon
// as it has connected, and tries again when it was dropped, so many others delay it but do not keep it out.
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

// What a leader says first at a port of this cookie.
Bytes hello_of_leader(const std::string& cookie);
// Tells a connector that its hello was right, so that it may go on, and trusts it.
void let_in(FramedSocket& channel);

class PortListener {
 public:
  // `listener` must outlive it.
  PortListener(Listener& listener, const Deadline& deadline);

  // True when it is over: somebody has entered, or the time is up.
  bool look(Deadline::Clock::time_point now);
  bool has_caller() const { return caller_.is_open(); }  // who has shown the cookie; it keeps others waiting
  bool has_entered() const { return caller_.has_frame(); }
  FramedSocket take() { return std::move(caller_); }

 private:
  Listener& listener_;
  const Deadline deadline_;
  const Bytes hello_;
  UnverifiedConnections unverified_;
  FramedSocket caller_;
};

class PortConnector {
 public:
  // `addresses`: of the port's host, at least one; they are tried in turn.
  PortConnector(std::vector<Address> addresses, Bytes hello, const Deadline& deadline);

  // True when it is over: it is in, or the time is up.
  bool look(Deadline::Clock::time_point now);
  bool is_in() const { return is_in_; }
  // The connection. If it is not in, the listener may still find it in its queue.
  FramedSocket take() { return std::move(channel_); }
  // Why it is not in.
  std::string last_error() const { return channel_.is_connected() ? "the port is there" : last_; }

 private:
  const std::vector<Address> addresses_;
  const Bytes hello_;
  const Deadline deadline_;
  FramedSocket channel_;
  std::size_t tries_ = 0;
  Deadline::Clock::time_point tried_at_;
  bool is_in_ = false;
  std::string last_ = "no answer";
};

}  // namespace comex::worlds
