#include "op/progress_thread.h"

namespace comex::op {

ProgressThread::ProgressThread(Engine& engine, shm::Os& os, const shm::WaitPolicy& policy,
                               std::optional<shm::Doorbell> doorbell)
    : engine_(engine),
      doorbell_(doorbell),
      thread_([this, &os, policy, doorbell] { run(os, policy, doorbell); }) {}

ProgressThread::~ProgressThread() {
  stop_.store(true, std::memory_order_release);
  if (doorbell_) doorbell_->ring();
  thread_.join();
}

void ProgressThread::run(shm::Os& os, const shm::WaitPolicy& policy, std::optional<shm::Doorbell> doorbell) {
  shm::Idle idle(os, policy, doorbell);
  while (!stop_.load(std::memory_order_acquire)) {
    if (engine_.poll() != 0) {
      idle.reset();
    } else {
      idle.pause();
    }
  }
}

}  // namespace comex::op
