#include "op/progress_thread.h"

#include <algorithm>
#include <utility>

namespace comex::op {

ProgressThread::ProgressThread(Engine& engine, shm::Os& os, const shm::WaitPolicy& policy,
                               std::optional<shm::Doorbell> doorbell,
                               std::function<std::uint64_t()> periodic_task)
    : engine_(engine),
      doorbell_(doorbell),
      periodic_task_(std::move(periodic_task)),
      thread_([this, &os, policy, doorbell] { run(os, policy, doorbell); }) {}

ProgressThread::~ProgressThread() {
  stop_.store(true, std::memory_order_release);
  if (doorbell_) doorbell_->ring();
  thread_.join();
}

void ProgressThread::run(shm::Os& os, const shm::WaitPolicy& policy, std::optional<shm::Doorbell> doorbell) {
  shm::Idle idle(os, policy, doorbell);
  while (!stop_.load(std::memory_order_acquire)) {
    const std::uint64_t most = periodic_task_ ? periodic_task_() : shm::forever_ns;
    if (engine_.poll_aside() != 0) {
      idle.reset();
    } else if (most != shm::forever_ns && idle.would_nap()) {
      idle.sleep(std::min(most, policy.nap_max_ns));
    } else {
      idle.pause();
    }
  }
}

}  // namespace comex::op
