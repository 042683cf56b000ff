// A word for each host slot, by which any process of the host wakes that slot's process.
//
// A sleeper reads seen(), looks for work, and sleeps with the value it read, so a ring in between is never
// lost. ring_message also counts messages: before a server sleeps without limit, it compares messages() with
// what it has received. Senders, unlock and put_signal ring; Idle sleeps on it.
#pragma once

#include <atomic>
#include <cstdint>

#include "shm/os.h"

namespace comex::shm {

struct alignas(64) DoorbellBlock {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint64_t> messages;
};

class Doorbell {
 public:
  Doorbell(Os& os, DoorbellBlock& block) : os_(&os), block_(&block) {}

  void ring() {
    block_->count.fetch_add(1, std::memory_order_seq_cst);
    if (block_->sleepers.load(std::memory_order_seq_cst) != 0) os_->wake(block_->count, every_waiter);
  }
  // Call this after the send has returned: the owner sleeps only when it has received this many messages.
  void ring_message() {
    block_->messages.fetch_add(1, std::memory_order_release);
    ring();
  }
  std::uint32_t seen() const { return block_->count.load(std::memory_order_acquire); }
  std::uint64_t messages() const { return block_->messages.load(std::memory_order_acquire); }

  // Returns false when the time ran out without a ring since last_seen.
  bool sleep_until_rung(std::uint32_t last_seen, std::uint64_t timeout_ns) {
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

 private:
  Os* os_;
  DoorbellBlock* block_;
};

// The doorbells of all slots of a host, as a value.
class Doorbells {
 public:
  Doorbells() = default;
  Doorbells(Os& os, std::byte* first, std::uint64_t stride_bytes)
      : os_(&os), first_(first), stride_bytes_(stride_bytes) {}
  Doorbell of(HostSlot slot) const {
    return {*os_, *reinterpret_cast<DoorbellBlock*>(first_ + slot * stride_bytes_)};
  }

 private:
  Os* os_ = nullptr;
  std::byte* first_ = nullptr;
  std::uint64_t stride_bytes_ = 0;
};

}  // namespace comex::shm
