// The time at which a wait of a meeting ends, and limits for steps inside MPI, which cannot be cancelled.
//
// Used by everything that waits for other worlds, and where a group gets its communicator.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "groups/connection_table.h"

namespace comex::runtime {
class Reporter;
class Runtime;
}  // namespace comex::runtime

namespace comex::worlds {

// It is a value. It reads the clock, unless the user passes a time to answer several questions.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double never = 1e9;  // seconds: 30 years

  explicit Deadline(double seconds, Clock::time_point now = Clock::now())
      : seconds_(seconds), end_(now + to_duration(seconds)) {}
  bool is_over(Clock::time_point now = Clock::now()) const { return now >= end_; }
  Clock::time_point end() const { return end_; }
  std::string text() const;  // "2.5 s"

 private:
  static Clock::duration to_duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds < never ? seconds : never));
  }

  double seconds_;
  Clock::time_point end_;
};

// What watches a step inside MPI for as long as it lives. Where the system has no thread for it, the step has
// no limit, and a line says so.
using TimeLimit = std::jthread;

// Ends the job, with one line, when the step lasts longer than it may.
//
// Such steps are made when all that they wait for are on their way. If the limit passes, a process has died
// or never called, and ending the job is the only way out. Used on workers and progress ranks.
[[nodiscard]] TimeLimit limit_step(const runtime::Reporter& reporter, const char* operation,
                                   std::string waiting_for, double seconds);

// A limit for MPI's making of a group's communicator, which is collective over `members`, with
// COMEX_ON_FAILURE=continue.
//
// The runtime's own agreement has just found all members alive. If one dies now, neither it nor those who
// already know of its death call MPI, which may wait for them for ever. So a thread looks at who has died,
// and if MPI goes on waiting it ends this process with one line. The others notice that as any death.
[[nodiscard]] TimeLimit limit_communicator(runtime::Runtime& runtime, const char* operation,
                                           const groups::ConnectionTable& members);

}  // namespace comex::worlds
