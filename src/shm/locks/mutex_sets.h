// Where each process of a host has its mutexes: so many, from an offset of the arena on.
//
// The word of the owner stands in its slot of the arena, once a host: nobody keeps a list of what others
// have. It is shown when the mutexes are ready and hidden before they go, so who finds one may touch it. A
// value, like Doorbells. Used by pr/mutexes for requests of other hosts, by calls/mutex_calls on the own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shm/locks/fair_mutex.h"
#include "shm/os.h"

namespace comex::shm {

struct alignas(64) MutexSetBlock {
  std::atomic<std::uint64_t> offset;  // of an array of FairMutexBlock
  std::atomic<std::uint64_t> count;   // 0: there is none
};

class MutexSets {
 public:
  MutexSets(std::byte* first, std::uint64_t stride_bytes) : first_(first), stride_bytes_(stride_bytes) {}

  // Where in the arena that one of the owner lies; false: the owner has none of this number.
  bool find(HostSlot owner, std::uint64_t index, std::uint64_t& offset) const {
    const MutexSetBlock& set = of(owner);
    if (index >= set.count.load(std::memory_order_acquire)) [[unlikely]]
      return false;
    offset = set.offset.load(std::memory_order_relaxed) + index * sizeof(FairMutexBlock);
    return true;
  }
  std::uint64_t count(HostSlot owner) const { return of(owner).count.load(std::memory_order_acquire); }

  // By the owner alone.
  void show(HostSlot own, std::uint64_t offset, std::uint64_t count) const {
    of(own).offset.store(offset, std::memory_order_relaxed);
    of(own).count.store(count, std::memory_order_release);
  }
  // The offset, by which a release finds the memory.
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
