// How two roots find each other and talk, each inside its own progress loop.
//
//   connects   host:port ──► hello, cookie ──►          accepts   whoever knows the cookie
//              ◄── welcome ◄── (one at a time)                    others wait, or are dropped
//              here ──►                                           now both are bound to go on
//
// While a root waits here its engine goes on, and so do the progress ranks: MPI knows nothing yet. Used by
// meeting.
#pragma once

#include <chrono>
#include <functional>

#include "api/runtime.h"
#include "core/packing.h"
#include "groups/worlds/rendezvous.h"

namespace comex::api {

class Deadline {
 public:
  explicit Deadline(double seconds) : seconds_(seconds), end_(Clock::now() + to_duration(seconds)) {}
  bool is_over() const { return Clock::now() >= end_; }
  std::string text() const;  // "2.5 s"

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::duration to_duration(double seconds) {
    constexpr double longest = 1e9;  // 30 years
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds < longest ? seconds : longest));
  }

  double seconds_;
  Clock::time_point end_;
};

// Asked in every round of a wait, under the engine lock: members of the own side are lost, so that it leads
// to nothing.
using InVain = std::function<bool()>;

class Conversation {
 public:
  static Result<Conversation> await(Runtime& runtime, const char* operation, groups::Listener& listener,
                                    const Deadline& deadline, const InVain& in_vain);
  // Looks the host up first, which may take the system long.
  static Result<Conversation> seek(Runtime& runtime, const char* operation, const groups::PortName& port,
                                   const Deadline& deadline, const InVain& in_vain);

  void say(std::span<const std::byte> frame) { channel_.send(frame); }
  // The other side's next frame; what became of it otherwise.
  Result<Bytes> hear(Runtime& runtime, const char* operation, const Deadline& deadline,
                     const InVain& in_vain);

 private:
  explicit Conversation(groups::Channel channel) : channel_(std::move(channel)) {}

  groups::Channel channel_;
};

}  // namespace comex::api
