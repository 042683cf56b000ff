// The handshake by which a process enters at a port: both ends, each stepped by its owner, which has the
// clock.
//
//   PortConnector    host:port ──► hello, cookie ──►      PortListener    a candidate: it knows the cookie
//   (UnverifiedConnections: all others)
//              ◄── welcome ◄── (one at a time)              others wait, or are dropped
//              here ──►                                     the first one to answer is in
//              ◄── enter ◄──                                now both must go on
//
// A candidate that is silent after its welcome is dropped when another one waits; it may come again. A
// connector that was refused, dropped or not answered tries again until its deadline. Nothing here blocks.
// Used by leader_channel, and by the watch over worlds for its links.
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

class PortListener {
 public:
  // `listener` must outlive it.
  PortListener(Listener& listener, const Deadline& deadline);

  // True when it is over: a candidate is in, or the time is up.
  bool look(Deadline::Clock::time_point now);
  bool has_entered() const { return entered_.is_open(); }
  FramedSocket take() { return std::move(entered_); }

 private:
  struct Candidate {
    FramedSocket channel;
    bool is_bound = false;
  };
  bool receive(Candidate& candidate);
  bool is_too_slow(const Candidate& candidate, Deadline::Clock::time_point now) const;
  void invite(Candidate& candidate, Deadline::Clock::time_point now);

  Listener& listener_;
  const Deadline deadline_;
  const std::string hello_;
  UnverifiedConnections unverified_;
  std::list<Candidate> candidates_;  // they have shown the cookie
  const Candidate* invited_ = nullptr;
  Deadline::Clock::time_point invited_until_;
  FramedSocket entered_;
};

class PortConnector {
 public:
  // `addresses`: of the port's host, at least one; they are tried in turn.
  PortConnector(std::vector<Address> addresses, const std::string& cookie, const Deadline& deadline);

  // True when it is over: it is in, the time is up, or no socket is available.
  bool look(Deadline::Clock::time_point now);
  bool is_in() const { return is_in_; }
  FramedSocket take() { return std::move(channel_); }
  const Status& has_socket() const { return has_socket_; }
  // Why it is not in.
  std::string last_error() const { return channel_.is_connected() ? "the port is there" : last_; }

 private:
  void receive(Deadline::Clock::time_point now);
  void start_attempt(Deadline::Clock::time_point now);
  bool gives_up(Deadline::Clock::time_point now) const;

  const std::vector<Address> addresses_;
  const std::string hello_;
  const Deadline deadline_;
  FramedSocket channel_;
  std::size_t tries_ = 0;
  Deadline::Clock::time_point tried_at_;
  Deadline::Clock::time_point answered_at_;
  bool has_answered_ = false;  // to the welcome
  bool is_in_ = false;
  std::string last_ = "no answer";
  Status has_socket_;
};

}  // namespace comex::worlds
