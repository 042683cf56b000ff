// The time at which a wait of a meeting ends, and a limit for steps inside MPI, which cannot be cancelled.
//
// Used by everything that waits for other worlds.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

namespace comex::runtime {
class Reporter;
}

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

// A thread that watches a step inside MPI, until it is asked to stop at the end of the step. Where the system
// has none, the step has no limit, and a line says so.
std::jthread watch_step(const runtime::Reporter& reporter, const char* operation,
                        const std::function<void(const std::stop_token&)>& watch);

// Ends the job, with one line, when a step inside MPI lasts longer than it may.
//
// Such steps are made when all that they wait for are on their way. If the limit passes, a process has died
// or never called, and ending the job is the only way out. Used on workers and progress ranks.
class TimeLimit {
 public:
  TimeLimit(const runtime::Reporter& reporter, const char* operation, std::string waiting_for,
            double seconds);

 private:
  std::jthread watch_;
};

}  // namespace comex::worlds
