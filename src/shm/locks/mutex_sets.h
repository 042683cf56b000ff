// Where a process of a host has its mutexes: their number and their offset in the arena.
//
// The owner's slot in the arena holds both, so no process keeps a list of what others have. The owner shows
// its mutexes when they are ready and hides them before they are freed, so a set that is found may be used.
// Used by pr/mutexes for requests of other hosts and by calls/mutex_calls on its own host.
#pragma once

#include <atomic>
#include <cstdint>

#include "shm/locks/fair_mutex.h"

namespace comex::shm {

struct alignas(64) MutexSetBlock {
  std::atomic<std::uint64_t> offset;  // of an array of FairMutexBlock
  std::atomic<std::uint64_t> count;   // 0: there are none

  std::uint64_t mutexes() const { return count.load(std::memory_order_acquire); }
  // Finds the arena offset of this mutex of the owner; false if the owner has no such mutex.
  bool find(std::uint64_t index, std::uint64_t& found) const {
    if (index >= mutexes()) [[unlikely]]
      return false;
    found = offset.load(std::memory_order_relaxed) + index * sizeof(FairMutexBlock);
    return true;
  }

  // Called by the owner only.
  void show(std::uint64_t at, std::uint64_t how_many) {
    offset.store(at, std::memory_order_relaxed);
    count.store(how_many, std::memory_order_release);
  }
  // Returns the offset, by which the owner frees the memory.
  std::uint64_t hide() {
    count.store(0, std::memory_order_release);
    return offset.load(std::memory_order_relaxed);
  }
};

}  // namespace comex::shm
