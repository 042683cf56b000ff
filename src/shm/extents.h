// Who owns which bytes of the arena: allocation, release, and the bounds check of every operation.
//
// check() is lock-free: the page's record number, then the record, whose version is odd while it
// is not live. allocate, retire and release take one robust lock; pages are committed outside of it
// by their owner, before anybody can touch them. The chain of records in address order is the only
// truth; all else is rebuilt from it when a holder of the lock died. Memory is not zero-filled.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "shm/geometry.h"
#include "shm/locks.h"
#include "shm/os.h"

namespace comex::shm {

enum class Verdict : std::uint8_t { ok, no_extent, wrong_owner, past_end, retired };

// What an allocation got, and what nearest() tells.
struct Extent {
  std::uint64_t offset = 0;    // of its first byte in the arena, page aligned
  std::uint64_t bytes = 0;     // asked for
  std::uint64_t reserved = 0;  // whole pages
  Worker owner = 0;
  std::uint64_t allocation = 0;  // caller's number of the allocation it belongs to
};

struct OwnerTotal {
  Worker owner = 0;
  std::uint64_t bytes = 0;
  std::uint32_t extents = 0;
};

// In the arena. One cache line; the fields that check() reads are atomics.
struct ExtentRecord {
  std::atomic<std::uint32_t> version;  // even = live
  std::atomic<std::uint32_t> owner;
  std::atomic<std::uint64_t> offset;
  std::atomic<std::uint64_t> bytes;
  std::uint64_t allocation;
  std::uint32_t next;  // in address order: the truth; its end is the next one's offset
  std::uint32_t previous;
  std::uint32_t next_free;  // in its bin, or among the unused records
  std::uint32_t previous_free;
  std::atomic<std::uint32_t> state;
  std::uint32_t is_committed;
  std::uint64_t unused;
};
static_assert(sizeof(ExtentRecord) == 64);

// The part of the arena's header that belongs to Extents.
inline constexpr std::uint32_t bin_count = 48;
struct alignas(64) ExtentsBlock {
  std::atomic<std::uint32_t> table_pages;  // entries of the table that are committed
  std::uint32_t records_committed;         // records that may be touched
  std::uint32_t records_used;              // records ever taken; the rest was never touched
  std::uint32_t first;                     // head of the chain
  std::uint32_t unused_records;            // list through next_free
  std::uint32_t rebuilds;                  // times a dead holder's work was put right
  std::uint64_t kept_bytes;                // committed and free
  std::uint64_t live_bytes;
  OwnerLockWord lock;
  std::uint32_t bins[2][bin_count];  // [is committed][log2 of pages]
};

class Extents {
 public:
  struct Place {  // where it lies in this process, and what it needs
    Os* os = nullptr;
    const Object* object = nullptr;
    std::byte* base = nullptr;
    ExtentsBlock* block = nullptr;
    std::atomic<std::uint64_t>* committing = nullptr;  // one word per slot, committing_stride apart
    std::uint64_t committing_stride = 0;
    Geometry geometry;
    HostSlot slot = 0;
    std::uint64_t keep_bytes = 0;
  };
  explicit Extents(const Place& place);
  static Status commit_first(Os& os, const Object& object, const Geometry& geometry);
  void format();  // the creator's, once

  // bytes > 0. `allocation` is any number of the caller's; it shows in error texts.
  Result<Extent> allocate(Worker owner, std::uint64_t bytes, std::uint64_t allocation = 0);
  Status retire(std::uint64_t offset);   // checks fail from now on; offset is an extent's first byte
  Status release(std::uint64_t offset);  // its space may be reused; retires first if need be

  // Lock-free, any thread: may [offset, offset + bytes) of `owner` be touched?
  Verdict check(Worker owner, std::uint64_t offset, std::uint64_t bytes) const;

  // For error texts and tests; they take the lock.
  bool nearest(std::uint64_t offset, Extent& found);  // false: there is none at all
  bool find(std::uint64_t offset, Extent& found);     // the live one that covers offset
  std::vector<OwnerTotal> totals();
  std::vector<Extent> live();
  std::uint64_t kept_bytes();
  std::uint32_t rebuilds();
  bool is_consistent();  // walks everything

 private:
  class Held;  // the lock, taken; rebuilds if its holder died
  ExtentRecord& record(std::uint32_t id) const { return records_[id]; }
  std::uint64_t end_of(std::uint32_t id) const;
  std::uint64_t size_of(std::uint32_t id) const {
    return end_of(id) - record(id).offset.load(std::memory_order_relaxed);
  }

  Place place_;
  ExtentRecord* records_ = nullptr;
  std::atomic<std::uint32_t>* table_ = nullptr;
};

inline Verdict Extents::check(Worker owner, std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t page = offset / page_bytes;  // the table counts pages of the whole arena
  if (page >= place_.block->table_pages.load(std::memory_order_relaxed)) return Verdict::no_extent;
  const ExtentRecord& r = records_[table_[page].load(std::memory_order_acquire)];
  const std::uint32_t version = r.version.load(std::memory_order_acquire);
  const std::uint64_t begin = r.offset.load(std::memory_order_relaxed);
  const std::uint64_t length = r.bytes.load(std::memory_order_relaxed);
  const std::uint32_t holder = r.owner.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool is_settled = (version & 1u) == 0 && r.version.load(std::memory_order_relaxed) == version;
  const std::uint64_t into = offset - begin;  // huge when offset < begin
  if (is_settled && holder == owner && into < length && bytes <= length - into) return Verdict::ok;
  return is_settled ? (into >= length && offset - begin >= round_up(length, page_bytes) ? Verdict::no_extent
                       : holder != owner                                                ? Verdict::wrong_owner
                                                                                        : Verdict::past_end)
                    : (r.state.load(std::memory_order_relaxed) == 2 ? Verdict::retired : Verdict::no_extent);
}

}  // namespace comex::shm
