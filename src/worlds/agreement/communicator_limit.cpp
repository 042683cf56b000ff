#include "worlds/agreement/communicator_limit.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>

#include "core/diagnose.h"
#include "runtime/facade.h"
#include "runtime/runtime.h"
#include "worlds/agreement/deadline.h"

namespace comex::worlds {
namespace {

struct MakingLimit {
  std::chrono::milliseconds time;
  std::string text;
};

// Survivors may wait for this process. They may do so for longer, and so learn of its end.
MakingLimit limit_of(const Settings& settings) {
  const std::chrono::milliseconds of_steps(1000 * settings.meet_s);
  const std::chrono::milliseconds half_of_waits(500 * settings.timeout_s);
  if (settings.timeout_s == 0 || of_steps <= half_of_waits)
    return {of_steps, "COMEX_MEET_S=" + std::to_string(settings.meet_s)};
  return {half_of_waits, "half of COMEX_TIMEOUT_S=" + std::to_string(settings.timeout_s)};
}

}  // namespace

CommunicatorLimit::CommunicatorLimit(runtime::Runtime& runtime, const char* operation,
                                     const groups::ConnectionTable& members)
    : runtime_(runtime), operation_(comex_call_name != nullptr ? comex_call_name : operation) {
  if (!runtime.world().failures.are_watched()) return;
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    if (runtime.is_own(members.lpid(rank))) members_.push_back(static_cast<Worker>(members.lpid(rank)));
  }
  watch_ =
      watch_step(runtime.reporter(), operation_, [this](const std::stop_token& is_over) { watch(is_over); });
}

// It counts looks, since no time passes for who is stopped.
void CommunicatorLimit::watch(const std::stop_token& is_over) const {
  constexpr std::chrono::milliseconds between_looks(100);
  const MakingLimit limit = limit_of(runtime_.world().settings);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any over;
  std::vector<int> dead;
  for (std::chrono::milliseconds waited(0); waited < limit.time;) {
    over.wait_for(lock, is_over, between_looks, [] { return false; });
    if (is_over.stop_requested()) return;
    runtime_.end_without_server();
    if (dead.empty()) dead = dead_members();
    if (!dead.empty()) waited += between_looks;
  }
  runtime::Reporter::print(runtime_.reporter().identity(), {.operation = operation_},
                           "MPI does not make the communicator of the group, since " +
                               listed("worker", dead) + (dead.size() == 1 ? " has" : " have") +
                               " died; the limit is " + limit.text);
  runtime::Reporter::await_reader();
  std::raise(SIGKILL);  // the launcher lets the others live as after any death
}

std::vector<int> CommunicatorLimit::dead_members() const {
  const groups::Failures& failures = runtime_.world().failures;
  std::vector<int> found;
  if (failures.epoch() == 0) return found;
  for (const Worker member : members_) {
    if (failures.of(member) != groups::WorkerState::alive) found.push_back(static_cast<int>(member));
  }
  return found;
}

}  // namespace comex::worlds
