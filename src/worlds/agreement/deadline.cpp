#include "worlds/agreement/deadline.h"

#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include "runtime/report.h"

namespace comex::worlds {

std::string Deadline::text() const {
  std::array<char, 32> shown{};
  std::snprintf(shown.data(), shown.size(), "%g s", seconds_);
  return shown.data();
}

std::jthread watch_step(const runtime::Reporter& reporter, const char* operation,
                        const std::function<void(const std::stop_token&)>& watch) {
  try {
    return std::jthread(watch);
  } catch (const std::system_error& refused) {
    // The others are on their way into MPI, where they would wait for this process.
    reporter.warn({.operation = operation},
                  "goes on without a time limit: pthread_create: " + refused.code().message());
  }
  return {};
}

TimeLimit::TimeLimit(const runtime::Reporter& reporter, const char* operation, std::string waiting_for,
                     double seconds) {
  const auto watch = [&reporter, operation, text = std::move(waiting_for),
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
  };
  watch_ = watch_step(reporter, operation, watch);
}

}  // namespace comex::worlds
