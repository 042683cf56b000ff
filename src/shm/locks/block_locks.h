// The stripe locks of an arena, with the interface of the guard that the striped accumulate kernels take.
//
// A block's number is its arena offset / stripe_block_bytes. Two neighbouring blocks are locked in stripe
// order, which prevents a deadlock where the numbering wraps. op/direct uses the waiting forms, the server
// the try forms.
#pragma once

#include <cstdint>
#include <utility>

#include "shm/locks/locks.h"

namespace comex::shm {

class BlockLocks {
 public:
  explicit BlockLocks(Stripes& stripes) : stripes_(&stripes) {}

  void lock(std::uint64_t block) { note(of(block).lock(stripes_->party())); }
  bool try_lock(std::uint64_t block) {
    OwnerLock lock = of(block);
    LockResult taken = lock.try_lock(stripes_->party());
    if (taken == LockResult::busy && asks_) taken = lock.try_recover(stripes_->party());
    note(taken);
    return taken != LockResult::busy;
  }
  void unlock(std::uint64_t block) { of(block).unlock(stripes_->party()); }

  void lock_two(std::uint64_t a, std::uint64_t b) {
    if (index(a) > index(b)) std::swap(a, b);
    lock(a);
    if (index(b) != index(a)) lock(b);
  }
  bool try_lock_two(std::uint64_t a, std::uint64_t b) {
    if (!try_lock(a)) return false;
    if (index(b) == index(a) || try_lock(b)) return true;
    unlock(a);
    return false;
  }
  void unlock_two(std::uint64_t a, std::uint64_t b) {
    unlock(a);
    if (index(b) != index(a)) unlock(b);
  }

  // If set, a refused try asks whether the holder lives. That is a system call, so it is not always set.
  void ask_for_life(bool asks) { asks_ = asks; }
  // True once a lock was taken over from a dead holder. The data of that block may be half updated.
  bool is_recovered() const { return recovered_; }

 private:
  static std::uint32_t index(std::uint64_t block) { return static_cast<std::uint32_t>(block % stripe_count); }
  OwnerLock of(std::uint64_t block) { return stripes_->lock_of(index(block)); }
  void note(LockResult taken) { recovered_ |= taken == LockResult::taken_over; }

  Stripes* stripes_;
  bool asks_ = false;
  bool recovered_ = false;
};

}  // namespace comex::shm
