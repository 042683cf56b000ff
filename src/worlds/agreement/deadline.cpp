#include "worlds/agreement/deadline.h"

#include <array>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <vector>

#include "core/diagnose.h"
#include "groups/participants.h"
#include "runtime/call.h"
#include "runtime/facade.h"

namespace comex::worlds {
namespace {

// A thread that watches a step, until it is asked to stop at the end of the step.
TimeLimit watch_step(const runtime::Reporter& reporter, const char* operation,
                     const std::function<void(const std::stop_token&)>& watch) {
  try {
    return TimeLimit(watch);
  } catch (const std::system_error& refused) {
    // The others are on their way into MPI, where they would wait for this process.
    reporter.warn({.operation = operation},
                  "goes on without a time limit: pthread_create: " + refused.code().message());
  }
  return {};
}

// Waits until the step is over, or this time has come.
bool is_over_by(const std::stop_token& is_over, Deadline::Clock::time_point time) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any over;
  over.wait_until(lock, is_over, time, [] { return false; });
  return is_over.stop_requested();
}

// It counts looks, since no time passes for who is stopped.
void end_after_death(runtime::Runtime& runtime, const char* operation, const groups::ConnectionTable& members,
                     const std::stop_token& is_over) {
  constexpr std::chrono::milliseconds between_looks(100);
  const Settings& settings = runtime.world().settings;
  // Survivors may wait for this process. They may do so for longer, and so learn of its end.
  const bool is_half = settings.timeout_s != 0 && settings.timeout_s < 2 * settings.meet_s;
  const std::chrono::milliseconds limit(is_half ? 500 * settings.timeout_s : 1000 * settings.meet_s);
  std::vector<int> dead;
  for (std::chrono::milliseconds waited(0); waited < limit;) {
    if (is_over_by(is_over, Deadline::Clock::now() + between_looks)) return;
    runtime.end_without_server();
    if (dead.empty()) {
      groups::for_each_lpid(members, [&](Lpid lpid) {
        if (runtime::has_failed(runtime, lpid)) dead.push_back(lpid);
      });
    }
    if (!dead.empty()) waited += between_looks;
  }
  runtime::Reporter::print(runtime.reporter().identity(), {.operation = operation},
                           "MPI does not make the communicator of the group, since " +
                               listed("worker", dead) + (dead.size() == 1 ? " has" : " have") +
                               " died; the limit is " +
                               (is_half ? "half of COMEX_TIMEOUT_S=" + std::to_string(settings.timeout_s)
                                        : "COMEX_MEET_S=" + std::to_string(settings.meet_s)));
  runtime::Reporter::await_reader();
  std::raise(SIGKILL);  // the launcher lets the others live as after any death
}

}  // namespace

std::string Deadline::text() const {
  std::array<char, 32> shown{};
  std::snprintf(shown.data(), shown.size(), "%g s", seconds_);
  return shown.data();
}

TimeLimit limit_step(const runtime::Reporter& reporter, const char* operation, std::string waiting_for,
                     double seconds) {
  const auto watch = [&reporter, operation, text = std::move(waiting_for),
                      deadline = Deadline(seconds)](const std::stop_token& is_over) {
    if (is_over_by(is_over, deadline.end())) return;
    runtime::Reporter::print(reporter.identity(), {.operation = operation},
                             text + " within " + deadline.text() + " (COMEX_MEET_S)");
    runtime::Reporter::await_reader();
    // Not MPI_Abort: another thread is inside MPI, which may not allow a second one.
    std::_Exit(runtime::failure_exit_code);
  };
  return watch_step(reporter, operation, watch);
}

TimeLimit limit_communicator(runtime::Runtime& runtime, const char* operation,
                             const groups::ConnectionTable& members) {
  if (!runtime.world().failures.are_watched()) return {};
  const char* const name = comex_call_name != nullptr ? comex_call_name : operation;
  return watch_step(runtime.reporter(), name, [&runtime, name, members](const std::stop_token& is_over) {
    end_after_death(runtime, name, members, is_over);
  });
}

}  // namespace comex::worlds
