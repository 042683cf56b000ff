#include "shm/locks/locks.h"

namespace comex::shm {

namespace {

// The steps of one wait. An early futex call costs 9 us; a spin that is too long starves the holder.
constexpr int spins = 20;
constexpr int yields = 200;

constexpr std::uint32_t holder_of(std::uint32_t word) {
  return word & OwnerLock::holder_mask;
}

constexpr std::uint32_t next_epoch(std::uint32_t word) {
  return (word & OwnerLock::epoch_mask) + (OwnerLock::contended_bit << 1);
}

// Takes the lock if the holder in `word` is dead. It stays contended, because others may sleep.
bool take_over(OwnerLockWord& lock, std::uint32_t word, const LockParty& party) {
  if (holder_of(word) == 0 || party.os->is_alive(*party.object, holder_of(word) - 1)) return false;
  return lock.compare_exchange_strong(word, next_epoch(word) | OwnerLock::contended_bit | (party.slot + 1),
                                      std::memory_order_acquire, std::memory_order_relaxed);
}

}  // namespace

LockResult OwnerLock::lock_slowly(const LockParty& party) {
  for (int i = 0; i < spins + yields; ++i) {
    if (i < spins) {
      cpu_relax();
    } else {
      party.os->yield();
    }
    if (try_lock(party) == LockResult::acquired) return LockResult::acquired;
  }
  std::uint64_t asked_ns = party.os->now_ns();
  while (true) {
    std::uint32_t word = word_->load(std::memory_order_relaxed);
    if (holder_of(word) == 0) {
      // It is taken as contended, because other waiters may sleep.
      if (word_->compare_exchange_weak(word, word | contended_bit | (party.slot + 1),
                                       std::memory_order_acquire, std::memory_order_relaxed)) {
        return LockResult::acquired;
      }
      continue;
    }
    const std::uint32_t contended = word | contended_bit;
    if (word != contended && !word_->compare_exchange_weak(word, contended, std::memory_order_relaxed))
      continue;
    static_cast<void>(party.os->wait(*word_, contended, ask_after_ns));
    // By the clock, not by the futex's answer: signals may cut every wait short.
    const std::uint64_t now = party.os->now_ns();
    if (now - asked_ns < ask_after_ns) continue;
    asked_ns = now;
    if (take_over(*word_, word_->load(std::memory_order_relaxed), party)) return LockResult::taken_over;
  }
}

LockResult OwnerLock::try_recover(const LockParty& party) {
  if (try_lock(party) == LockResult::acquired) return LockResult::acquired;
  return take_over(*word_, word_->load(std::memory_order_relaxed), party) ? LockResult::taken_over
                                                                          : LockResult::busy;
}

void OwnerLock::wake(const LockParty& party) {
  party.os->wake(*word_, 1);
}

}  // namespace comex::shm
