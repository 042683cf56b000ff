// The time at which a wait of a meeting ends.
//
// It is a value. It reads the clock, unless the user passes a time to answer several questions. Used by
// everything that waits for other worlds.
#pragma once

#include <chrono>
#include <string>

namespace comex::worlds {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double never = 1e9;  // seconds: 30 years

  explicit Deadline(double seconds, Clock::time_point now = Clock::now())
      : seconds_(seconds), end_(now + to_duration(seconds)) {}
  bool is_over(Clock::time_point now = Clock::now()) const { return now >= end_; }
  Clock::duration left(Clock::time_point now) const { return end_ - now; }
  std::string text() const;  // "2.5 s"

 private:
  static Clock::duration to_duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds < never ? seconds : never));
  }

  double seconds_;
  Clock::time_point end_;
};

}  // namespace comex::worlds
