#include "shm/doorbell.h"

namespace comex::shm {

bool Doorbell::sleep_until_rung(std::uint32_t last_seen, std::uint64_t timeout_ns) {
  // The sleeper announces itself before it reads the count; the ringer counts before it reads the
  // announcement. So at least one of the two sees the other.
  block_->sleepers.fetch_add(1, std::memory_order_seq_cst);
  bool is_rung = block_->count.load(std::memory_order_seq_cst) != last_seen;
  bool is_over = false;
  while (!is_rung && !is_over) {
    is_over = !os_->wait(block_->count, last_seen, timeout_ns) || timeout_ns != forever_ns;
    is_rung = block_->count.load(std::memory_order_acquire) != last_seen;  // an older ring may wake late
  }
  block_->sleepers.fetch_sub(1, std::memory_order_relaxed);
  return is_rung;
}

void Doorbell::wake() {
  os_->wake(block_->count, every_waiter);
}

Doorbell Doorbells::of(HostSlot slot) const {
  return {*os_, *reinterpret_cast<DoorbellBlock*>(first_ + slot * stride_bytes_)};
}

}  // namespace comex::shm
