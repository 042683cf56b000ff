// Short locks in shared memory that survive a dead holder. The user's mutexes are in fair_mutex.h.
//
// An OwnerLock is a 32-bit word that holds its holder's host slot. A process that has waited for a while asks
// whether the holder lives, and takes over from a dead one. The stripes are 4096 such locks for accumulates,
// each for 16 KiB blocks of the arena. Progress ranks use the try forms.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/ids.h"
#include "core/status.h"
#include "shm/geometry.h"
#include "shm/os.h"

namespace comex::shm {

// Whoever waits so long for a lock asks whether its holder lives.
inline constexpr std::uint64_t ask_after_ns = 50'000'000;

// epoch:15 | contended:1 | holder slot + 1:16. Zero-filled memory is a free lock.
using OwnerLockWord = std::atomic<std::uint32_t>;

enum class LockResult : std::uint8_t {
  acquired,
  taken_over,  // the holder died; what the lock guards may be half updated, and the caller must report it
  busy,        // try forms only: somebody holds it
};

struct LockParty {  // the process that takes locks, with what a slow path needs
  Os* os = nullptr;
  const Object* object = nullptr;
  HostSlot slot = 0;
};

class OwnerLock {
 public:
  explicit OwnerLock(OwnerLockWord& word) : word_(&word) {}

  LockResult lock(const LockParty& party) {
    return try_lock(party) == LockResult::acquired ? LockResult::acquired : lock_slowly(party);
  }
  LockResult try_lock(const LockParty& party) {
    std::uint32_t word = word_->load(std::memory_order_relaxed);
    if ((word & busy_mask) != 0) return LockResult::busy;
    return word_->compare_exchange_strong(word, word | (party.slot + 1), std::memory_order_acquire,
                                          std::memory_order_relaxed)
               ? LockResult::acquired
               : LockResult::busy;
  }
  // Like try_lock, but also asks whether the holder lives, by a system call, and takes over from a dead one.
  LockResult try_recover(const LockParty& party);
  void unlock(const LockParty& party) {
    const std::uint32_t word = word_->fetch_and(epoch_mask, std::memory_order_release);
    if ((word & contended_bit) != 0) wake(party);
  }
  // For tests.
  bool is_locked() const { return (word_->load(std::memory_order_relaxed) & holder_mask) != 0; }
  std::uint32_t epoch() const { return word_->load(std::memory_order_relaxed) >> 17; }

  static constexpr std::uint32_t holder_mask = 0xffffu;
  static constexpr std::uint32_t contended_bit = 1u << 16;
  static constexpr std::uint32_t busy_mask = holder_mask | contended_bit;
  static constexpr std::uint32_t epoch_mask = ~busy_mask;

 private:
  LockResult lock_slowly(const LockParty& party);
  void wake(const LockParty& party);
  OwnerLockWord* word_;
};

struct alignas(64) StripeWord {
  OwnerLockWord word;
};

class Stripes {
 public:
  Stripes(StripeWord* words, const LockParty& party) : words_(words), party_(party) {}

  OwnerLock lock_of(std::uint32_t stripe) { return OwnerLock(words_[stripe].word); }
  const LockParty& party() const { return party_; }

 private:
  StripeWord* words_;
  LockParty party_;
};

}  // namespace comex::shm
