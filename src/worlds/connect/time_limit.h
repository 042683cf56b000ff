// Ends the job, with one line, when a step inside MPI lasts longer than it may.
//
// MPI's calls for meeting cannot be cancelled. They are made when all that they wait for are on their way. If
// the limit passes, a process has died or never called, and ending the job is the only way out. Used around
// such calls by workers and progress ranks.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/report.h"

namespace comex::worlds {

class TimeLimit {
 public:
  TimeLimit(const runtime::Reporter& reporter, const char* operation, std::string waiting_for,
            double seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread watch_;
};

}  // namespace comex::worlds
