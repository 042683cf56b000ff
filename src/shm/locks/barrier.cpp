#include "shm/locks/barrier.h"

namespace comex::shm {

std::uint32_t HostBarrier::arrive() {
  const std::uint32_t round = block_->round.load(std::memory_order_acquire);
  if (block_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
    block_->arrived.store(0, std::memory_order_relaxed);  // before the next round can begin
    block_->round.fetch_add(1, std::memory_order_seq_cst);
    if (block_->sleepers.load(std::memory_order_seq_cst) != 0) os_->wake(block_->round, every_waiter);
  }
  return round;
}

void HostBarrier::sleep(std::uint32_t token, std::uint64_t timeout_ns) {
  block_->sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (block_->round.load(std::memory_order_seq_cst) == token) {
    static_cast<void>(os_->wait(block_->round, token, timeout_ns));
  }
  block_->sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace comex::shm
