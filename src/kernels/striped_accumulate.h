// Accumulates under striped locks: decides which block is locked when, for runs, patches and packed bodies.
//
// A block is 16 KiB of the far arena. Rows within one block share one lock, an element that crosses two
// blocks takes both in address order, and no lock is held for more than a block's worth of bytes. Workers use
// the waiting forms. The server uses the try forms: if a block is busy, they return what they have done and
// are called again later. The Guard implements the locks (shm has the real one, tests have doubles).
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

// Two blocks may share a lock word: lock_two(b, b + 1) allows for that and unlock_two undoes it.
template <class G>
concept BlockGuard = requires(G& guard, std::uint64_t block) {
  guard.lock(block);
  { guard.try_lock(block) } -> std::same_as<bool>;
  guard.unlock(block);
  guard.lock_two(block, block);
  { guard.try_lock_two(block, block) } -> std::same_as<bool>;
  guard.unlock_two(block, block);
};

// What an accumulate adds. `kernel` may be a test double; its `rows` is null if it takes rows one by one.
struct Accumulation {
  AccumulateKernel kernel = {};
  unsigned element_bytes = 1;
  Scale scale = {};
};

inline Accumulation make_accumulation(Scalar scalar, const Scale& scale, Combine combine = Combine::sum) {
  return {accumulate_kernel(scalar, combine), scalar_bytes(scalar), scale};
}

// Far memory: its address in this process, and its offset in the arena, which determines its blocks.
struct FarMemory {
  std::byte* address = nullptr;
  std::uint64_t arena_offset = 0;
};

// No load passes the exchange of a lock, so the two memory waits, for the lock and for the first lines of the
// target, would come one after the other. Beyond these lines, the processor prefetches by itself.
inline void fetch_ahead(const std::byte* far, std::uint64_t bytes) {
  constexpr std::uint64_t line = 64;
  constexpr std::uint64_t most = 512;
  for (std::uint64_t at = 0; at < std::min(bytes, most); at += line) __builtin_prefetch(far + at, 1);
}

enum class Contended : std::uint8_t { wait, give_up };

// Keeps at most one block locked between runs, so that neighbouring rows share a lock.
template <BlockGuard Guard, Contended contended>
class StripeWalk {
 public:
  StripeWalk(Guard& guard, const Accumulation& accumulation) : guard_(guard), acc_(accumulation) {}
  ~StripeWalk() { release(); }
  StripeWalk(const StripeWalk&) = delete;
  StripeWalk& operator=(const StripeWalk&) = delete;

  // Adds one run; `bytes` is a multiple of the element. Returns the bytes done, which are all if it waits.
  std::uint64_t run(FarMemory far, const std::byte* near, std::uint64_t bytes) {
    const std::uint64_t element = acc_.element_bytes;
    std::uint64_t done = 0;
    fetch_ahead(far.address, bytes);
    while (done < bytes) {
      const std::uint64_t offset = far.arena_offset + done;
      const std::uint64_t left_in_block = stripe_block_bytes - (offset & (stripe_block_bytes - 1));
      std::uint64_t now = std::min(left_in_block & ~(element - 1), bytes - done);
      if (now == 0) {
        now = element;
        if (!add_crossing(offset >> stripe_block_shift, far.address + done, near + done)) break;
      } else {
        if (!hold(offset >> stripe_block_shift, now)) break;
        acc_.kernel.run(far.address + done, near + done, now, acc_.scale);
      }
      done += now;
    }
    return done;
  }

  // The same for rows; it adds together the rows that lie in one block. Returns the bytes done.
  std::uint64_t rows(FarMemory far, std::int64_t far_stride, const std::byte* near, std::int64_t near_stride,
                     std::uint64_t bytes, std::uint64_t count) {
    std::uint64_t done = 0;
    while (count != 0) {
      std::uint64_t now = rows_in_block(far.arena_offset, far_stride, bytes, count);
      if (now < 2) {
        now = 1;
        const std::uint64_t added = run(far, near, bytes);
        done += added;
        if (added != bytes) break;
      } else {
        if (!hold(far.arena_offset >> stripe_block_shift, now * bytes)) break;
        acc_.kernel.rows(far.address, far_stride, near, near_stride, bytes, now, acc_.scale);
        done += now * bytes;
      }
      const std::int64_t far_step = far_stride * static_cast<std::int64_t>(now);
      far.address += far_step;
      far.arena_offset += static_cast<std::uint64_t>(far_step);
      near += near_stride * static_cast<std::int64_t>(now);
      count -= now;
    }
    return done;
  }

 private:
  std::uint64_t rows_in_block(std::uint64_t offset, std::int64_t stride, std::uint64_t bytes,
                              std::uint64_t count) const {
    const std::uint64_t left_in_block = stripe_block_bytes - (offset & (stripe_block_bytes - 1));
    if (acc_.kernel.rows == nullptr || stride <= 0 || bytes == 0 || 2 * bytes > left_in_block || count < 2)
      return 0;
    const std::uint64_t fit = (left_in_block - bytes) / static_cast<std::uint64_t>(stride) + 1;
    return std::min({count, fit, stripe_block_bytes / bytes});
  }

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
    acc_.kernel.run(far, near, acc_.element_bytes, acc_.scale);
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

// One contiguous run. Trailing bytes short of an element are ignored.
template <BlockGuard Guard>
void accumulate_run(Guard& guard, FarMemory far, const std::byte* near, std::uint64_t bytes,
                    const Accumulation& accumulation) {
  const std::uint64_t whole = bytes & ~(std::uint64_t{accumulation.element_bytes} - 1);
  const std::uint64_t left_in_block = stripe_block_bytes - (far.arena_offset & (stripe_block_bytes - 1));
  if (whole - 1 < left_in_block) {  // not 0 and within one block, the usual case: no walk
    const std::uint64_t block = far.arena_offset >> stripe_block_shift;
    fetch_ahead(far.address, whole);
    guard.lock(block);
    accumulation.kernel.run(far.address, near, whole, accumulation.scale);
    guard.unlock(block);
    return;
  }
  StripeWalk<Guard, Contended::wait> walk(guard, accumulation);
  walk.run(far, near, whole);
}

// The same, but it gives up at the first busy block and returns the bytes done, to be called again with the
// rest. Trailing bytes count as done once everything before them is.
template <BlockGuard Guard>
std::uint64_t try_accumulate_run(Guard& guard, FarMemory far, const std::byte* near, std::uint64_t bytes,
                                 const Accumulation& accumulation) {
  const std::uint64_t whole = bytes & ~(std::uint64_t{accumulation.element_bytes} - 1);
  StripeWalk<Guard, Contended::give_up> walk(guard, accumulation);
  const std::uint64_t done = walk.run(far, near, whole);
  return done == whole ? bytes : done;
}

// A patch with two strided sides, made with the accumulation's element size.
template <BlockGuard Guard>
void accumulate_patch(Guard& guard, const Patch& patch, FarMemory far, const std::byte* near,
                      const Accumulation& accumulation) {
  StripeWalk<Guard, Contended::wait> walk(guard, accumulation);
  for_each_rows(patch, [&](const Rows& rows) {
    walk.rows({far.address + rows.far_offset, far.arena_offset + rows.far_offset}, rows.far_stride,
              near + rows.near_offset, rows.near_stride, rows.bytes, rows.count);
  });
}

// Adds up to `bytes` of a packed body at the cursor's place in the far side; gives up at the first busy
// block. Returns the bytes done, by which the cursor has moved. The body must be cut between elements, as
// chunks that are a multiple of 16 bytes are.
template <BlockGuard Guard>
std::uint64_t try_accumulate_packed(Guard& guard, RunCursor& cursor, FarMemory far, const std::byte* packed,
                                    std::uint64_t bytes, const Accumulation& accumulation) {
  StripeWalk<Guard, Contended::give_up> walk(guard, accumulation);
  std::uint64_t done = 0;
  while (done < bytes && !cursor.done()) {
    const Rows rows = cursor.peek_rows(bytes - done);
    const std::uint64_t added =
        walk.rows({far.address + rows.far_offset, far.arena_offset + rows.far_offset}, rows.far_stride,
                  packed + done, static_cast<std::int64_t>(rows.bytes), rows.bytes, rows.count);
    cursor.advance(added);
    done += added;
    if (added != rows.total_bytes()) break;
  }
  return done;
}

}  // namespace comex::kernels
