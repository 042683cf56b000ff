// Long naps of a process that a SocketWatch wakes when messages come, longer ones where they have come so.
//
// The owner's loop: look for work, and where there is none, step() in place of Idle::pause(); false: nothing
// has been done, pause() as ever. Everything else it does goes with leave(). After it has armed its watch it
// asks for a few more looks before it sleeps. Says nothing where events and messages do not go together: naps
// are then as without it. Owned by a progress rank.
#pragma once

#include <cstdint>
#include <memory>

#include "shm/event_trust.h"
#include "shm/idle.h"
#include "shm/socket_os.h"

namespace comex::shm {

class WatchedNaps {
 public:
  static constexpr std::uint64_t most_ns = 20'000'000;
  static constexpr unsigned looks_before_sleep = 9;  // MPI looks at its sockets with every eighth poll only

  // The watch rings the doorbell that the Idle sleeps on.
  WatchedNaps(std::unique_ptr<SocketWatch> watch, std::uint64_t nap_max_ns);

  // `messages`: so many that may have come by sockets have been received so far.
  // It sleeps for up to `at_most_ns`.
  bool step(Idle& idle, std::uint64_t messages, std::uint64_t at_most_ns = forever_ns);
  void leave(std::uint64_t messages) {
    if (is_judging_) judge(messages);
    if (is_armed_) disarm();
  }
  const EventTrust& trust() const { return trust_; }

 private:
  std::uint64_t nap_ns(const Idle& idle) const;
  bool arm(std::uint64_t messages);
  void disarm();
  void judge(std::uint64_t messages);

  std::unique_ptr<SocketWatch> watch_;
  const std::uint64_t least_ns_;  // shorter naps are not worth it
  EventTrust trust_;
  bool is_armed_ = false;
  unsigned looks_ = 0;
  // Since the last nap, until the first message after it: whether there was an event.
  bool is_judging_ = false;
  bool has_heard_ = false;
  std::uint64_t messages_ = 0;
};

}  // namespace comex::shm
