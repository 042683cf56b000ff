// Performs operations on memory of the own host: loads, stores, atomics and striped locks in the arena.
//
// Everything is checked against the extents of the target before the first byte moves. Nothing waits but for
// a stripe, which is held for no more than a block. The C calls use it for direct operations, from any
// thread, without a lock of the process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/operation.h"
#include "core/status.h"
#include "groups/directory.h"
#include "kernels/accumulate.h"
#include "kernels/atomics.h"
#include "kernels/copy.h"
#include "shm/arena.h"

namespace comex::op {

class Direct {
 public:
  explicit Direct(shm::Arena& arena);

  // Returns the arena offset of an address of the target; for a wild address, an offset that is in no extent.
  static std::uint64_t offset_of(const groups::WorkerPlace& place, const void* far) {
    return reinterpret_cast<std::uint64_t>(far) - place.base;
  }

  // The small path is one bounds check, then the work. It returns false if the check fails and nothing was
  // done; run() and atomic() then tell why.
  [[gnu::always_inline]] bool try_put(const groups::WorkerPlace& place, Worker target, const void* near,
                                      void* far, std::uint64_t bytes) const {
    const std::uint64_t offset = offset_of(place, far);
    if (!extents_->covers(target, offset, bytes)) [[unlikely]]
      return false;
    kernels::copy_bytes(base_ + offset, near, bytes);
    note_written(offset, bytes);
    return true;
  }
  [[gnu::always_inline]] bool try_get(const groups::WorkerPlace& place, Worker target, void* near,
                                      const void* far, std::uint64_t bytes) const {
    const std::uint64_t offset = offset_of(place, far);
    if (!extents_->covers(target, offset, bytes)) [[unlikely]]
      return false;
    kernels::copy_bytes(near, base_ + offset, bytes);
    std::atomic_thread_fence(std::memory_order_acquire);  // a later get sees what was there before this
    return true;
  }
  struct ContiguousSides {
    const void* near = nullptr;
    void* far = nullptr;
    std::uint64_t bytes = 0;
  };
  // The signal is a word of 8 aligned bytes behind the data: both are written, or neither.
  struct Signal {
    void* word = nullptr;
    std::uint64_t value = 0;
    bool adds = false;
  };
  [[gnu::always_inline]] bool try_put_signal(const groups::WorkerPlace& place, Worker target,
                                             const ContiguousSides& sides, const Signal& signal) const {
    const std::uint64_t offset = offset_of(place, signal.word);
    if (!extents_->covers(target, offset, sizeof signal.value)) [[unlikely]]
      return false;
    if (sides.bytes != 0 && !try_put(place, target, sides.near, sides.far, sides.bytes)) [[unlikely]]
      return false;
    kernels::publish(signal.value, signal.adds, base_ + offset);
    note_written(offset, sizeof signal.value);
    arena_->doorbell(place.slot).ring();
    return true;
  }
  // Adds whole elements. `recovered` is set when a stripe was taken over from a dead holder.
  bool try_acc(const groups::WorkerPlace& place, Worker target, const Scaling& scaling,
               const ContiguousSides& sides, bool& recovered) const;
  // The word is aligned. Also returns false if it belongs to another worker than the target.
  bool try_atomic(const AtomicOperation& operation, const groups::WorkerPlace& place) const {
    const std::uint64_t offset = offset_of(place, operation.far);
    if (!extents_->covers(operation.target, offset, scalar_bytes(operation.scalar))) [[unlikely]]
      return false;
    apply(operation, base_ + offset);
    note_written(offset, scalar_bytes(operation.scalar));
    return true;
  }

  // How many writes to kept memory there were. Its mirrors do not have them before a fence that asks for it.
  std::uint64_t kept_writes() const { return kept_writes_.load(std::memory_order_acquire); }

  // Checks whether all of it may be touched, as run() does. A call of several operations checks all first.
  shm::BoundsCheck check_all(const Operation& operation, const groups::WorkerPlace& place) const;

  shm::BoundsCheck check_word(const groups::WorkerPlace& place, Worker target, const void* far,
                              unsigned bytes) const {
    return check(target, offset_of(place, far), bytes);
  }

  // Does any layout and action. `recovered` is set when a stripe was taken over from a dead holder.
  shm::BoundsCheck run(const Operation& operation, const groups::WorkerPlace& place, bool& recovered) const;

  // Says why the check failed. Takes the lock of the extents.
  std::string describe(const shm::BoundsCheck& checked, const groups::WorkerPlace& place) const {
    return extents_->text_of(checked, place.base, shm::LockWait::waits);
  }

 private:
  shm::BoundsCheck check(Worker target, std::uint64_t offset, std::uint64_t bytes) const {
    return {extents_->check(target, offset, bytes), target, offset, bytes};
  }
  bool covers_range_of(const Scatter& scatter, const groups::WorkerPlace& place, Worker target) const;
  static void apply(const AtomicOperation& operation, std::byte* word) {
    if (operation.scalar == Scalar::int64) {
      apply_to<std::uint64_t>(operation, word);
    } else {
      apply_to<std::uint32_t>(operation, word);
    }
  }
  template <class Word>
  static void apply_to(const AtomicOperation& operation, std::byte* word) {
    const auto old = static_cast<Word>(
        kernels::modify<Word>({operation.atomic, sizeof(Word), operation.operand, operation.desired}, word));
    if (operation.near != nullptr) std::memcpy(operation.near, &old, sizeof old);
  }
  void accumulate(const Operation& operation, const groups::WorkerPlace& place, bool& recovered) const;
  void note_written(std::uint64_t offset, std::uint64_t bytes) const {
    if (extents_->has_mirrored()) [[unlikely]]
      note_kept_write(offset, bytes);
  }
  void note_kept_write(std::uint64_t offset, std::uint64_t bytes) const;
  void note_written(const Operation& operation, const groups::WorkerPlace& place) const;

  shm::Arena* arena_;
  shm::Extents* extents_;
  shm::Stripes* stripes_;
  std::byte* base_;
  // of sums, chosen at construction
  std::array<kernels::AccumulateKernel, scalar_kinds> kernels_{};
  mutable std::atomic<std::uint64_t> kept_writes_{0};
};

}  // namespace comex::op
