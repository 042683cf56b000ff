// Accumulate under striped locks: which block is locked when, for runs, patches and packed bodies.
//
// A block is 16 KiB of the far arena. Rows that fall into one block share one lock, an element that
// crosses two blocks takes both in address order, and no lock is held for more than a block's worth
// of bytes. Workers use the waiting forms; the server uses the try forms, which return early with
// what they have done when a block is busy and are called again later. What a lock is, is the
// Guard's business (shm has the real one, tests have doubles).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "core/patch.h"
#include "core/scalar.h"
#include "kernels/accumulate.h"

namespace comex::kernels {

inline constexpr unsigned stripe_block_shift = 14;
inline constexpr std::uint64_t stripe_block_bytes = std::uint64_t{1} << stripe_block_shift;

// Two blocks may share a lock word: lock_two(b, b + 1) copes with that and unlock_two undoes it.
template <class G>
concept BlockLocks = requires(G& guard, std::uint64_t block) {
  guard.lock(block);
  { guard.try_lock(block) } -> std::same_as<bool>;
  guard.unlock(block);
  guard.lock_two(block, block);
  { guard.try_lock_two(block, block) } -> std::same_as<bool>;
  guard.unlock_two(block, block);
};

// What is added to what; `kernel` may be a test's double.
struct Accumulation {
  AccumulateFn kernel = nullptr;
  unsigned element_bytes = 1;
  Scale scale = {};
};

inline Accumulation make_accumulation(Scalar scalar, const Scale& scale) {
  return {accumulate_kernel(scalar), scalar_bytes(scalar), scale};
}

// Far memory: where it is mapped here, and where it lies in its arena, which decides its blocks.
struct FarMemory {
  std::byte* address = nullptr;
  std::uint64_t arena_offset = 0;
};

enum class Contended : std::uint8_t { wait, give_up };

// Holds at most one block between runs, so that neighbouring rows share a lock.
template <BlockLocks Guard, Contended contended>
class StripeWalk {
 public:
  StripeWalk(Guard& guard, const Accumulation& accumulation) : guard_(guard), acc_(accumulation) {}
  ~StripeWalk() { release(); }
  StripeWalk(const StripeWalk&) = delete;
  StripeWalk& operator=(const StripeWalk&) = delete;

  // Adds one run; `bytes` is a multiple of the element. Returns the bytes done, all when waiting.
  std::uint64_t run(FarMemory far, const std::byte* near, std::uint64_t bytes) {
    const std::uint64_t element = acc_.element_bytes;
    std::uint64_t done = 0;
    while (done < bytes) {
      const std::uint64_t offset = far.arena_offset + done;
      const std::uint64_t room = stripe_block_bytes - (offset & (stripe_block_bytes - 1));
      std::uint64_t now = std::min(room & ~(element - 1), bytes - done);
      if (now == 0) {
        now = element;
        if (!add_crossing(offset >> stripe_block_shift, far.address + done, near + done)) break;
      } else {
        if (!hold(offset >> stripe_block_shift, now)) break;
        acc_.kernel(far.address + done, near + done, now, acc_.scale);
      }
      done += now;
    }
    return done;
  }

 private:
  bool hold(std::uint64_t block, std::uint64_t bytes) {
    if (held_ && block == block_ && spent_ + bytes <= stripe_block_bytes) {
      spent_ += bytes;
      return true;
    }
    release();
    if constexpr (contended == Contended::wait) {
      guard_.lock(block);
    } else {
      if (!guard_.try_lock(block)) return false;
    }
    held_ = true;
    block_ = block;
    spent_ = bytes;
    return true;
  }

  bool add_crossing(std::uint64_t block, std::byte* far, const std::byte* near) {
    release();
    if constexpr (contended == Contended::wait) {
      guard_.lock_two(block, block + 1);
    } else {
      if (!guard_.try_lock_two(block, block + 1)) return false;
    }
    acc_.kernel(far, near, acc_.element_bytes, acc_.scale);
    guard_.unlock_two(block, block + 1);
    return true;
  }

  void release() {
    if (held_) guard_.unlock(block_);
    held_ = false;
  }

  Guard& guard_;
  const Accumulation& acc_;
  std::uint64_t block_ = 0;
  std::uint64_t spent_ = 0;  // bytes added since the lock was taken
  bool held_ = false;
};

// One contiguous run; trailing bytes short of an element are ignored.
template <BlockLocks Guard>
void accumulate_run(Guard& guard, FarMemory far, const std::byte* near, std::uint64_t bytes,
                    const Accumulation& accumulation) {
  StripeWalk<Guard, Contended::wait> walk(guard, accumulation);
  walk.run(far, near, bytes & ~(std::uint64_t{accumulation.element_bytes} - 1));
}

// The same, giving up at the first busy block: returns the bytes done, to be called again with the
// rest. The trailing bytes count as done once everything before them is.
template <BlockLocks Guard>
std::uint64_t try_accumulate_run(Guard& guard, FarMemory far, const std::byte* near, std::uint64_t bytes,
                                 const Accumulation& accumulation) {
  const std::uint64_t whole = bytes & ~(std::uint64_t{accumulation.element_bytes} - 1);
  StripeWalk<Guard, Contended::give_up> walk(guard, accumulation);
  const std::uint64_t done = walk.run(far, near, whole);
  return done == whole ? bytes : done;
}

// A patch, both sides strided; it was made with the accumulation's element size.
template <BlockLocks Guard>
void accumulate_patch(Guard& guard, const Patch& patch, FarMemory far, const std::byte* near,
                      const Accumulation& accumulation) {
  StripeWalk<Guard, Contended::wait> walk(guard, accumulation);
  for_each_run(patch, [&](std::uint64_t near_offset, std::uint64_t far_offset, std::uint64_t bytes) {
    walk.run({far.address + far_offset, far.arena_offset + far_offset}, near + near_offset, bytes);
  });
}

// Adds up to `bytes` of a packed body at the cursor's place in the far side, giving up at the first
// busy block. Returns the bytes done; the cursor has moved by as much. The body is cut between
// elements only (chunks that are a multiple of 16 bytes are).
template <BlockLocks Guard>
std::uint64_t try_accumulate_packed(Guard& guard, RunCursor& cursor, FarMemory far, const std::byte* packed,
                                    std::uint64_t bytes, const Accumulation& accumulation) {
  StripeWalk<Guard, Contended::give_up> walk(guard, accumulation);
  std::uint64_t done = 0;
  while (done < bytes && !cursor.done()) {
    const Rows rows = cursor.peek_rows(bytes - done);
    std::uint64_t offset = rows.far_offset;
    std::uint64_t added = 0;
    bool stopped = false;
    for (std::uint64_t row = 0; row < rows.count && !stopped; ++row) {
      const std::uint64_t now =
          walk.run({far.address + offset, far.arena_offset + offset}, packed + done + added, rows.bytes);
      added += now;
      stopped = now != rows.bytes;
      offset += static_cast<std::uint64_t>(rows.far_stride);
    }
    cursor.advance(added);
    done += added;
    if (stopped) break;
  }
  return done;
}

}  // namespace comex::kernels
