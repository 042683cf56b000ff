// Where each process of a host has its mutexes: their number and their offset in the arena.
//
// The owner's slot in the arena holds both, so no process keeps a list of what others have. The owner shows
// its mutexes when they are ready and hides them before they are freed, so a set that is found may be used.
// It is a value, like Doorbells. Used by pr/mutexes for requests of other hosts and by calls/mutex_calls on
// its own host.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shm/locks/fair_mutex.h"
#include "shm/os.h"

namespace comex::shm {

struct alignas(64) MutexSetBlock {
  std::atomic<std::uint64_t> offset;  // of an array of FairMutexBlock
  std::atomic<std::uint64_t> count;   // 0: there are none
};

class MutexSets {
 public:
  MutexSets(std::byte* first, std::uint64_t stride_bytes) : first_(first), stride_bytes_(stride_bytes) {}

  // Finds the arena offset of this mutex of the owner; false if the owner has no such mutex.
  bool find(HostSlot owner, std::uint64_t index, std::uint64_t& offset) const {
    const MutexSetBlock& set = of(owner);
    if (index >= set.count.load(std::memory_order_acquire)) [[unlikely]]
      return false;
    offset = set.offset.load(std::memory_order_relaxed) + index * sizeof(FairMutexBlock);
    return true;
  }
  std::uint64_t count(HostSlot owner) const { return of(owner).count.load(std::memory_order_acquire); }

  // Called by the owner only.
  void show(HostSlot own, std::uint64_t offset, std::uint64_t count) const {
    of(own).offset.store(offset, std::memory_order_relaxed);
    of(own).count.store(count, std::memory_order_release);
  }
  // Returns the offset, by which the owner frees the memory.
  std::uint64_t hide(HostSlot own) const {
    of(own).count.store(0, std::memory_order_release);
    return of(own).offset.load(std::memory_order_relaxed);
  }

 private:
  MutexSetBlock& of(HostSlot slot) const {
    return *reinterpret_cast<MutexSetBlock*>(first_ + slot * stride_bytes_);
  }

  std::byte* first_;
  std::uint64_t stride_bytes_;
};

}  // namespace comex::shm
