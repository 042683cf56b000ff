// The records of an arena's space in address order, free or in use, and the bins of the free ones.
//
// They lie in shared memory, and every call needs the allocation lock. The `next` links are authoritative and
// change by single stores; after a lock holder has died, all else is rebuilt from them. No call touches the
// pages of the data. Used by Extents only.
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

// The result of an allocation, and of nearest().
struct Extent {
  std::uint64_t offset = 0;    // of its first byte in the arena; aligned to 64 bytes, or to a page if large
  std::uint64_t bytes = 0;     // asked for
  std::uint64_t reserved = 0;  // whole pages, or the cell of a small block
  Worker owner = 0;
  std::uint64_t allocation = 0;  // the caller's number of its allocation
};

// The pages of an extent: `any` pages may have had an owner before and are reused later. `placed` pages are
// fresh, the owner moves them to memory of some kind, and nobody reuses them.
enum class Pages : std::uint8_t { any, placed };

// A slab is an extent that is cut into cells for small blocks (small_blocks.h).
enum class ExtentState : std::uint32_t { unused, free, reserving, live, retired, releasing, slab };

// A record in the arena, one cache line long. The fields that check() reads are atomics.
struct ExtentRecord {
  std::atomic<std::uint32_t> version;  // even: live; always odd for a slab
  std::atomic<std::uint32_t> owner;
  std::atomic<std::uint64_t> offset;
  std::atomic<std::uint64_t> bytes;
  std::uint64_t allocation;
  std::atomic<std::uint32_t> next;  // in address order; authoritative. Its offset is this one's end
  std::uint32_t previous;
  std::uint32_t next_free;  // in its bin, or among the unused records
  std::uint32_t previous_free;
  std::atomic<ExtentState> state;
  std::uint32_t is_committed;
  std::uint16_t is_placed;  // placed memory: its pages are neither recycled nor taken from others
  std::atomic<std::uint16_t> is_mirrored;  // a MirroredPart lies behind its bytes
  std::atomic<std::uint32_t> cell_bytes;   // of a slab, else 0
};
static_assert(sizeof(ExtentRecord) == 64);

// Pages that went back to the system.
struct GivenBack {
  std::atomic<std::uint64_t> offset;
  std::atomic<std::uint64_t> bytes;
};
inline constexpr std::uint64_t latest_given_back = 64;

// The part of the arena's header that belongs to Extents.
inline constexpr std::uint32_t bin_count = 48;
struct alignas(64) ExtentsBlock {
  std::atomic<std::uint32_t> table_pages;  // pages of the data area that the table covers so far
  std::uint32_t records_committed;         // records that may be touched
  std::uint32_t records_used;              // records taken so far; the rest was never touched
  std::uint32_t first;                     // head of the chain
  std::uint32_t unused_records;            // list through next_free
  std::uint32_t rebuilds;                  // number of repairs after a lock holder died
  std::uint32_t given_since_join;          // extents that give() got since join_kept() last joined
  std::uint64_t kept_bytes;                // of free extents whose pages are committed
  std::uint64_t live_bytes;
  std::uint64_t most_bytes;       // limit of live and kept bytes, from the last look at the host's memory
  std::uint64_t most_kept_bytes;  // limit of freed memory that is kept
  std::atomic<std::uint64_t> limits_read_ns;    // time of the last look at the host's memory; 0: never
  std::atomic<std::uint64_t> last_kept_ns;      // time when memory was last freed and kept; 0: none is kept
  std::atomic<std::uint64_t> times_given_back;  // how often pages went back to the system
  OwnerLockWord lock;
  std::atomic<std::uint32_t> mirrored;          // live extents with mirrors
  std::atomic<std::uint32_t> mirrored_changes;  // how often that set has changed
  std::uint32_t bins[2][bin_count];             // [is committed][log2 of pages]
  GivenBack given_back[latest_given_back];      // the latest ones, by times_given_back
};

inline constexpr std::uint64_t commit_chunk_bytes = 64 * 1024;  // step for records and table

class ExtentChain {
 public:
  // `os` grants the pages of further records in `object`.
  ExtentChain(Os& os, const Object& object, ExtentsBlock& block, ExtentRecord* records,
              const Geometry& geometry)
      : os_(&os), object_(&object), block_(&block), records_(records), geometry_(geometry) {}

  // Makes one free record over all of the data area. `on_touch`: pages of records are allocated when touched.
  void format(bool on_touch);
  void rebuild();  // after a lock holder died

  // Returns a free record of at least `bytes`, cut to that size, in state `reserving` and in no bin. 0: there
  // is no such space. No value: there is no record for the remainder, and `out_of_memory` says why. Kept
  // pages lie near those of their last owner, who therefore gets them back first. Extents of several owners
  // are joined only before fresh space is taken.
  std::optional<std::uint32_t> take(Worker owner, std::uint64_t bytes, Pages pages,
                                    OutOfMemory& out_of_memory);
  void give(std::uint32_t id, bool is_committed);  // returns it to the bins, joined with its free neighbours
  // Cuts a free record in two, the first of that size. False: there is no record for the rest.
  bool split(std::uint32_t id, std::uint64_t bytes, OutOfMemory& out_of_memory);
  std::vector<std::uint32_t> kept() const;  // free and committed
  void mark_uncommitted(std::uint32_t id);  // of a kept record; call give() afterwards

  std::uint32_t first() const { return block_->first; }
  std::uint32_t next(std::uint32_t id) const { return records_[id].next.load(std::memory_order_relaxed); }
  std::uint64_t offset(std::uint32_t id) const { return records_[id].offset.load(std::memory_order_relaxed); }
  std::uint64_t size(std::uint32_t id) const;
  ExtentState state(std::uint32_t id) const { return records_[id].state.load(std::memory_order_acquire); }
  Extent extent(std::uint32_t id) const;
  std::uint64_t largest_free() const;  // once no pages are kept, and all free neighbours are joined

 private:
  // Looks at so many of the size class that `bytes` belongs to, then at the larger ones. 0: none was found.
  std::uint32_t find_fit(std::uint64_t bytes, bool is_committed, std::uint32_t most) const;
  std::uint32_t find_own(Worker owner, std::uint64_t bytes) const;
  std::uint32_t new_record(OutOfMemory& out_of_memory);  // 0: there is none
  void drop(std::uint32_t id);
  void link(std::uint32_t id);
  void unlink(std::uint32_t id);
  bool are_alike(std::uint32_t id, std::uint32_t other) const;
  bool can_join(std::uint32_t id, std::uint32_t other) const;
  bool join_kept();  // false: nothing was joined
  void join_next(std::uint32_t id);

  Os* os_;
  const Object* object_;
  ExtentsBlock* block_;
  ExtentRecord* records_;
  Geometry geometry_;
};

}  // namespace comex::shm
