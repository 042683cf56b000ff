// The records of an arena's space in address order, free or in use, and the bins of the free ones.
//
// Lies in shared memory; every call needs the allocation lock. `next` is the only truth and changes
// by single stores, so whoever finds a dead holder's work rebuilds the rest from it. Touches no
// page of the data. Used by Extents only.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "shm/geometry.h"
#include "shm/locks/locks.h"
#include "shm/os.h"
#include "shm/out_of_memory.h"

namespace comex::shm {

// What an allocation got, and what nearest() tells.
struct Extent {
  std::uint64_t offset = 0;    // of its first byte in the arena, aligned to 64 bytes, of large ones to a page
  std::uint64_t bytes = 0;     // asked for
  std::uint64_t reserved = 0;  // whole pages, or the cell of a small one
  Worker owner = 0;
  std::uint64_t allocation = 0;  // caller's number of the allocation it belongs to
};

// Which pages an extent gets, and what becomes of them: those that others had before, and others get
// after; or fresh ones, which the owner moves to memory of some kind and which nobody gets after.
enum class Pages : std::uint8_t { any, placed };

// A slab is cut into cells for small blocks (small_blocks.h).
enum class ExtentState : std::uint32_t { unused, free, reserving, live, retired, releasing, slab };

// In the arena. One cache line; the fields that check() reads are atomics.
struct ExtentRecord {
  std::atomic<std::uint32_t> version;  // even = live; a slab's is odd
  std::atomic<std::uint32_t> owner;
  std::atomic<std::uint64_t> offset;
  std::atomic<std::uint64_t> bytes;
  std::uint64_t allocation;
  std::atomic<std::uint32_t> next;  // in address order: the truth; its end is the next one's offset
  std::uint32_t previous;
  std::uint32_t next_free;  // in its bin, or among the unused records
  std::uint32_t previous_free;
  std::atomic<ExtentState> state;
  std::uint32_t is_committed;
  std::uint32_t is_placed;  // on memory of a kind: its pages are neither recycled nor taken from others
  std::atomic<std::uint32_t> cell_bytes;  // of a slab; else 0
};
static_assert(sizeof(ExtentRecord) == 64);

// The part of the arena's header that belongs to Extents.
inline constexpr std::uint32_t bin_count = 48;
struct alignas(64) ExtentsBlock {
  std::atomic<std::uint32_t> table_pages;  // pages of the data area that the table covers so far
  std::uint32_t records_committed;         // records that may be touched
  std::uint32_t records_used;              // records ever taken; the rest was never touched
  std::uint32_t first;                     // head of the chain
  std::uint32_t unused_records;            // list through next_free
  std::uint32_t rebuilds;                  // times a dead holder's work was put right
  std::uint64_t kept_bytes;                // committed and free
  std::uint64_t live_bytes;
  std::uint64_t most_bytes;                  // live and kept ones may have, as far as was asked
  std::uint64_t most_kept_bytes;             // of freed memory
  std::atomic<std::uint64_t> room_asked_ns;  // when; 0: never
  std::atomic<std::uint64_t> last_kept_ns;   // when memory was last freed and kept; 0: none is kept
  OwnerLockWord lock;
  std::uint32_t bins[2][bin_count];  // [is committed][log2 of pages]
};

inline constexpr std::uint64_t commit_chunk_bytes = 64 * 1024;  // of records and of the table at a time

class ExtentChain {
 public:
  ExtentChain(ExtentsBlock& block, ExtentRecord* records, const Geometry& geometry)
      : block_(&block), records_(records), geometry_(geometry) {}

  // One free record over all of the data area. `on_touch`: the pages of all records come when they are
  // touched.
  void format(bool on_touch);
  void rebuild();  // after a holder died

  // A free record of at least `bytes`, cut to that; 0 = no such space; none = no record for what is cut off,
  // and why. It leaves the bins as `reserving`. Kept pages are near their last owner, so that one gets them
  // back first.
  std::optional<std::uint32_t> take(Os& os, const Object& object, Worker owner, std::uint64_t bytes,
                                    Pages pages, OutOfMemory& out_of_memory);
  void give(std::uint32_t id, bool is_committed);  // back to the bins, joined with its neighbours
  std::vector<std::uint32_t> kept() const;         // free and committed
  void mark_punched(std::uint32_t id);             // a kept one; give() it again afterwards

  std::uint32_t first() const { return block_->first; }
  std::uint32_t next(std::uint32_t id) const { return records_[id].next.load(std::memory_order_relaxed); }
  std::uint64_t offset(std::uint32_t id) const { return records_[id].offset.load(std::memory_order_relaxed); }
  std::uint64_t size(std::uint32_t id) const;
  ExtentState state(std::uint32_t id) const { return records_[id].state.load(std::memory_order_acquire); }
  Extent extent(std::uint32_t id) const;
  std::uint64_t largest_free() const;
  bool is_consistent() const;

 private:
  std::uint32_t find_fit(std::uint64_t bytes, bool is_committed) const;
  std::uint32_t find_own(Worker owner, std::uint64_t bytes) const;
  bool split(Os& os, const Object& object, std::uint32_t id, std::uint64_t bytes, OutOfMemory& out_of_memory);
  std::uint32_t new_record(Os& os, const Object& object, OutOfMemory& out_of_memory);  // 0 = there is none
  void drop(std::uint32_t id);
  void link(std::uint32_t id);
  void unlink(std::uint32_t id);
  bool can_join(std::uint32_t id, std::uint32_t other) const;
  void join_next(std::uint32_t id);

  ExtentsBlock* block_;
  ExtentRecord* records_;
  Geometry geometry_;
};

}  // namespace comex::shm
