// A thread that pumps the engine of a process without a progress rank: k = 0, or a host with one rank.
//
// It needs MPI_THREAD_MULTIPLE. It may have a periodic task, which it runs in each round. Its naps follow the
// wait policy, and the destructor joins it. Made by runtime.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "op/engine.h"
#include "shm/idle.h"

namespace comex::op {

class ProgressThread {
 public:
  // The task returns for how many ns it need not be run again.
  ProgressThread(Engine& engine, shm::Os& os, const shm::WaitPolicy& policy,
                 std::optional<shm::Doorbell> doorbell = std::nullopt,
                 std::function<std::uint64_t()> periodic_task = {});
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

 private:
  void run(shm::Os& os, const shm::WaitPolicy& policy, std::optional<shm::Doorbell> doorbell);

  Engine& engine_;
  std::optional<shm::Doorbell> doorbell_;
  std::function<std::uint64_t()> periodic_task_;
  std::atomic<bool> stop_{false};
  std::thread thread_;  // last: it uses the other members
};

}  // namespace comex::op
