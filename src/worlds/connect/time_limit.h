// Ends the job, with one line, when a step inside MPI lasts longer than it may.
//
// MPI's calls for meeting cannot be given up. They are made when all they wait for is on its way, so that a
// limit that passes means that somebody has died or never called: then nothing but the end is left. Made
// around such calls by workers and progress ranks.
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
