// A thread that pumps a process's engine for those who do not call us: k = 0, or a host with one rank.
//
// Needs MPI_THREAD_MULTIPLE. It may have an errand, which it runs each round. Naps down the ladder of the
// wait policy; the destructor joins it. Made by runtime.
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
  // The errand returns how long it may be left alone, in ns.
  ProgressThread(Engine& engine, shm::Os& os, const shm::WaitPolicy& policy,
                 std::optional<shm::Doorbell> doorbell = std::nullopt,
                 std::function<std::uint64_t()> errand = {});
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

 private:
  void run(shm::Os& os, const shm::WaitPolicy& policy, std::optional<shm::Doorbell> doorbell);

  Engine& engine_;
  std::optional<shm::Doorbell> doorbell_;
  std::function<std::uint64_t()> errand_;
  std::atomic<bool> stop_{false};
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace comex::op
