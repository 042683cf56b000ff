// The stripes of an arena in the shape that the striped accumulate kernels expect of a guard.
//
// Blocks are numbered by arena offset / stripe_block_bytes. Two neighbouring blocks are taken in
// stripe order, so that nobody deadlocks where the numbering wraps. Used by op/direct (waiting
// forms) and by the server (try forms).
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
    Taken taken = lock.try_lock(stripes_->party());
    if (taken == Taken::refused && asks_) taken = lock.try_recover(stripes_->party());
    note(taken);
    return taken != Taken::refused;
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

  // From now on a refused try asks whether the holder lives: a system call, so not every time.
  void ask_for_life(bool asks) { asks_ = asks; }
  // True once a lock was taken over from a dead holder: its block may be half updated.
  bool is_recovered() const { return recovered_; }

 private:
  static std::uint32_t index(std::uint64_t block) { return static_cast<std::uint32_t>(block % stripe_count); }
  OwnerLock of(std::uint64_t block) { return stripes_->lock_of(index(block)); }
  void note(Taken taken) { recovered_ |= taken == Taken::recovered; }

  Stripes* stripes_;
  bool asks_ = false;
  bool recovered_ = false;
};

}  // namespace comex::shm
