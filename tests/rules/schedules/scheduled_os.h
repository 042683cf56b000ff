// The operating system of processes under the scheduler: waiting and time are the scheduler's, and so is
// death.
#pragma once

#include <cstdio>

#include "rules/schedules/scheduler.h"
#include "support/memory_os.h"

namespace comex::rules {

class ScheduledOs final : public shm::MemoryOs {
 public:
  bool wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns,
            std::uint32_t bitset) override {
    if (word.load() != expected) return true;
    return scheduler().wait(&word, timeout_ns, bitset);
  }
  void wake(const std::atomic<std::uint32_t>& word, std::uint32_t waiters, std::uint32_t bitset) override {
    scheduler().wake(&word, waiters, bitset);
  }
  // A host slot is the number of its process.
  bool is_alive(const shm::Object&, shm::HostSlot slot) override { return !scheduler().is_dead(slot); }
  std::uint64_t now_ns() override { return scheduler().now_ns(); }
  void sleep_ns(std::uint64_t ns) override {
    scheduler().pass(ns);
    scheduler().yield();
  }
  void yield() override { scheduler().yield(); }

  // Memory is there from the start.
  std::uint64_t resident_bytes(const shm::Object&) override { return 0; }
  Status extend(const shm::Object&, std::uint64_t, std::uint64_t) override { return {}; }
  Status punch(const shm::Object&, std::uint64_t, std::uint64_t) override { return {}; }
  shm::MemoryLimits memory_limits(shm::Backing) override {
    shm::MemoryLimits limits;
    limits.bytes = limits.ram_bytes = std::uint64_t{1} << 30;
    return limits;
  }
};

// The place of a T in shared memory.
template <class T>
T& shared_at(std::size_t offset) {
  return *reinterpret_cast<T*>(shared_memory() + offset);
}

// Explores, and prints how many schedules there were.
inline void expect_in_every_schedule(const char* name, const Scenario& scenario) {
  const unsigned long schedules = scheduler().explore(scenario);
  std::printf("%s: %lu schedules\n", name, schedules);
}

}  // namespace comex::rules
