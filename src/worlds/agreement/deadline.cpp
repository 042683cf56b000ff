#include "worlds/agreement/deadline.h"

#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "runtime/report.h"

namespace comex::worlds {

std::string Deadline::text() const {
  std::array<char, 32> shown{};
  std::snprintf(shown.data(), shown.size(), "%g s", seconds_);
  return shown.data();
}

TimeLimit::TimeLimit(const runtime::Reporter& reporter, const char* operation, std::string waiting_for,
                     double seconds)
    : watch_([&reporter, operation, text = std::move(waiting_for),
              deadline = Deadline(seconds)](const std::stop_token& is_over) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any over;
        over.wait_until(lock, is_over, deadline.end(), [] { return false; });
        if (is_over.stop_requested()) return;
        runtime::Reporter::print(reporter.identity(), {.operation = operation},
                                 text + " within " + deadline.text() + " (COMEX_MEET_S)");
        runtime::Reporter::await_reader();
        // Not MPI_Abort: another thread is inside MPI, which may not allow a second one.
        std::_Exit(runtime::failure_exit_code);
      }) {}

}  // namespace comex::worlds
