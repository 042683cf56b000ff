#include "worlds/connect/time_limit.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace comex::worlds {

TimeLimit::TimeLimit(const runtime::Reporter& reporter, const char* operation, std::string waiting_for,
                     double seconds)
    : watch_([this, &reporter, operation, text = std::move(waiting_for), seconds] {
        std::unique_lock lock(mutex_);
        if (over_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return is_over_; })) return;
        std::array<char, 32> shown{};
        std::snprintf(shown.data(), shown.size(), "%g", seconds);
        runtime::Reporter::print(reporter.identity(), {.operation = operation},
                                 text + " within " + shown.data() + " s (COMEX_MEET_S)");
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
