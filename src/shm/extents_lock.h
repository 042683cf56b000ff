// Holds the lock over the extents of an arena as long as the object lives. If the last holder died, the
// constructor first repairs the records. Part of Extents.
#pragma once

#include "shm/extents.h"

namespace comex::shm {

class Extents::LockGuard {
 public:
  struct Try {};
  explicit LockGuard(Extents& extents) : LockGuard(extents, &OwnerLock::lock) {}
  LockGuard(Extents& extents, Try) : LockGuard(extents, &OwnerLock::try_recover) {}
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;
  ~LockGuard() {
    if (taken_ != LockResult::busy) lock_.unlock(party_);
  }
  explicit operator bool() const { return taken_ != LockResult::busy; }

 private:
  LockGuard(Extents& extents, LockResult (OwnerLock::*take)(const LockParty&))
      : lock_(extents.place_.block->lock),
        party_{extents.place_.os, extents.place_.object, extents.place_.slot},
        taken_((lock_.*take)(party_)) {
    if (taken_ == LockResult::taken_over) extents.chain_.rebuild();
  }

  OwnerLock lock_;
  LockParty party_;
  LockResult taken_;
};

}  // namespace comex::shm
