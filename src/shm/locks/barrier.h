// A barrier among processes of one host, in split form: arrive, then drive MPI until done.
//
// Every member arrives once per round; the last one opens the round. A member may not arrive again
// before its token is done. Blocks lie in arena memory: the arena has one for the whole host, groups
// place their own. Hardly any spin: waiting processes yield, then sleep.
#pragma once

#include <atomic>
#include <cstdint>

#include "shm/os.h"

namespace comex::shm {

// Zero-filled memory is a barrier nobody has arrived at.
struct alignas(64) HostBarrierBlock {
  std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> round;  // waiters sleep on it
  std::atomic<std::uint32_t> sleepers;
};

class HostBarrier {
 public:
  HostBarrier(Os& os, HostBarrierBlock& block, std::uint32_t members)
      : os_(&os), block_(&block), members_(members) {}

  std::uint32_t arrive();  // the token
  bool done(std::uint32_t token) const { return block_->round.load(std::memory_order_acquire) != token; }
  void sleep(std::uint32_t token, std::uint64_t timeout_ns);  // until done, or that long

 private:
  Os* os_;
  HostBarrierBlock* block_;
  std::uint32_t members_;
};

}  // namespace comex::shm
