#include "worlds/agreement/deadline.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "runtime/report.h"

namespace comex::worlds {

std::string Deadline::text() const {
  std::array<char, 32> shown{};
  std::snprintf(shown.data(), shown.size(), "%g s", seconds_);
  return shown.data();
}

TimeLimit::TimeLimit(const runtime::Reporter& reporter, const char* operation, std::string waiting_for,
                     double seconds)
    : watch_([this, &reporter, operation, text = std::move(waiting_for), deadline = Deadline(seconds)] {
        std::unique_lock lock(mutex_);
        if (over_.wait_until(lock, deadline.end(), [this] { return is_over_; })) return;
        runtime::Reporter::print(reporter.identity(), {.operation = operation},
                                 text + " within " + deadline.text() + " (COMEX_MEET_S)");
        // Not MPI_Abort: another thread is inside MPI, which may not allow a second one.
        std::_Exit(runtime::failure_exit_code);
      }) {}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  watch_.join();
}

}  // namespace comex::worlds
