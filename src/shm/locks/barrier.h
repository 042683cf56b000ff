// A barrier among processes of one host, in split form: arrive, then drive MPI until done.
//
// Every member arrives once per round, and the last one opens the round. A member must not arrive again
// before its token is done. The blocks lie in the arena, on the board of the host's lowest worker. Waiting
// processes hardly spin; they yield, then sleep.
#pragma once

#include <atomic>
#include <cstdint>

#include "shm/os.h"

namespace comex::shm {

// Zero-filled memory is a barrier at which nobody has arrived.
struct alignas(64) HostBarrierBlock {
  std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> round;  // waiters sleep on it
  std::atomic<std::uint32_t> sleepers;
};

class HostBarrier {
 public:
  HostBarrier(Os& os, HostBarrierBlock& block, std::uint32_t members)
      : os_(&os), block_(&block), members_(members) {}

  std::uint32_t arrive() {  // returns the token of this round
    const std::uint32_t round = block_->round.load(std::memory_order_acquire);
    if (block_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      block_->arrived.store(0, std::memory_order_relaxed);  // before the next round can begin
      block_->round.fetch_add(1, std::memory_order_seq_cst);
      if (block_->sleepers.load(std::memory_order_seq_cst) != 0) os_->wake(block_->round, every_waiter);
    }
    return round;
  }
  bool done(std::uint32_t token) const { return block_->round.load(std::memory_order_acquire) != token; }
  void sleep(std::uint32_t token, std::uint64_t timeout_ns) {  // until done, or for at most timeout_ns
    block_->sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (block_->round.load(std::memory_order_seq_cst) == token)
      static_cast<void>(os_->wait(block_->round, token, timeout_ns));
    block_->sleepers.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  Os* os_;
  HostBarrierBlock* block_;
  std::uint32_t members_;
};

}  // namespace comex::shm
