// Holds the lock over the extents of an arena as long as the object lives. If the last holder died, the
// constructor first repairs the records. Part of Extents.
#pragma once

#include "shm/extents.h"

namespace comex::shm {

class Extents::Held {
 public:
  struct Try {};
  explicit Held(Extents& extents) : Held(extents, &OwnerLock::lock) {}
  Held(Extents& extents, Try) : Held(extents, &OwnerLock::try_recover) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (taken_ != Taken::refused) lock_.unlock(party_);
  }
  explicit operator bool() const { return taken_ != Taken::refused; }

 private:
  Held(Extents& extents, Taken (OwnerLock::*take)(const LockParty&))
      : lock_(extents.place_.block->lock),
        party_{extents.place_.os, extents.place_.object, extents.place_.slot},
        taken_((lock_.*take)(party_)) {
    if (taken_ == Taken::recovered) extents.chain_.rebuild();
  }

  OwnerLock lock_;
  LockParty party_;
  Taken taken_;
};

}  // namespace comex::shm
