// Decides who owns which bytes of the arena: allocation, release, and the bounds check of every operation.
//
// check() is lock-free. It reads the record number of the span or page, then the record, whose version is odd
// while it is not live, then the cell of a small block. allocate, retire and release take one robust lock;
// for small blocks they take one of the process. Pages are allocated on touch, or committed by their owner
// before anybody can touch them; either way the arena promises no more memory than the host has. The chain of
// records is authoritative: after a lock holder has died, all else is rebuilt from it. Memory is not
// zero-filled.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "shm/extent_chain.h"
#include "shm/geometry.h"
#include "shm/locks/locks.h"
#include "shm/mirrored_part.h"
#include "shm/os.h"
#include "shm/out_of_memory.h"
#include "shm/small_blocks.h"

namespace comex::shm {

enum class BoundsVerdict : std::uint8_t { ok, no_extent, wrong_owner, past_end, retired };

// What was asked of a check, and what it found.
struct BoundsCheck {
  BoundsVerdict verdict = BoundsVerdict::ok;
  Worker target = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  explicit operator bool() const { return verdict == BoundsVerdict::ok; }
};

enum class Nearby : std::uint8_t { found, none, busy };

// Says whether the caller may wait for the allocation lock. A server may not: if the lock is taken, its text
// leaves out the nearest segment.
enum class LockWait : std::uint8_t { waits, never_waits };

inline constexpr std::uint64_t keep_a_share = ~0ULL;  // a value of keep_bytes: keep what the host can spare

struct OwnerTotal {
  Worker owner = 0;
  std::uint64_t bytes = 0;  // in whole pages, as the host counts them, and in cells of small blocks
  std::uint32_t extents = 0;
};

// What a process of a host does with memory at present. The words of a dead process do not count.
struct SlotMemory {
  std::atomic<std::uint64_t> committing;   // bytes
  std::atomic<std::uint64_t> giving_back;  // bytes
};

class Extents {
 public:
  struct ExtentsSite {  // its place in this process, and what it uses
    Os* os = nullptr;
    const Object* object = nullptr;
    std::byte* base = nullptr;
    ExtentsBlock* block = nullptr;
    SlotMemory* first_slot = nullptr;  // of slot 0; the others follow slot_stride bytes apart
    std::uint64_t slot_stride = 0;
    Geometry geometry;
    HostSlot slot = 0;
    std::uint64_t keep_bytes = 0;
    bool large_pages = false;  // ask for them when pages are committed
    bool on_touch = false;     // allocate pages when they are touched
  };
  explicit Extents(const ExtentsSite& place);
  static std::uint64_t first_bytes(const Geometry& geometry);  // must exist before format
  void format();                                               // called once, by the creator

  // bytes > 0; guests must not call it. The caller chooses `allocation`, a number for error texts.
  Result<Extent> allocate(Worker owner, std::uint64_t bytes, std::uint64_t allocation = 0,
                          Pages pages = Pages::any);
  // A part of kept memory has room for a MirroredPart behind its bytes. When that is filled, it is shown.
  Result<Extent> allocate_mirrored(Worker owner, std::uint64_t bytes, std::uint64_t allocation);
  MirroredPart& behind(std::uint64_t offset) const {  // of the extent that begins here
    return part_behind(*find_record(offset));
  }
  void show_mirrored(std::uint64_t offset);
  // Whether the host has any; costs a load. Who writes to memory then notes it afterwards.
  bool has_mirrored() const { return place_.block->mirrored.load(std::memory_order_relaxed) != 0; }
  bool note_written(std::uint64_t offset, std::uint64_t bytes) const;  // false: it has no mirrors
  std::uint32_t mirrored_changes() const {
    return place_.block->mirrored_changes.load(std::memory_order_acquire);
  }
  std::vector<Extent> mirrored() { return *collect(Wanted::mirrored, LockWait::waits); }
  std::optional<std::vector<Extent>> try_mirrored() {  // for progress ranks; none: another has the lock
    return collect(Wanted::mirrored, LockWait::never_waits);
  }

  bool begins_local(Worker owner, std::uint64_t offset) const;  // an extent in no allocation
  std::uint64_t placed_bytes(
      std::uint64_t offset) const;       // of the placed extent that begins here; 0: there is none
  Status retire(std::uint64_t offset);   // checks fail from now on; offset is the extent's first byte
  Status release(std::uint64_t offset);  // allows reuse of the space; retires first if necessary

  // Gives back a step of kept memory once nothing was freed for ten seconds, unless the user has fixed how
  // much is kept; if there is none, the call only reads a word. Returns how long the caller may sleep before
  // it calls again.
  std::uint64_t give_back_unused();
  // How often pages have gone back to the system, before their space could be used again.
  std::uint64_t times_given_back() const {
    return place_.block->times_given_back.load(std::memory_order_acquire);
  }
  // Has this process find those pages anew that went back after the first `seen` times; returns the times.
  std::uint64_t find_given_back_anew(std::uint64_t seen) const;

  // Decides whether [offset, offset + bytes) of `owner` may be touched. Lock-free, for any thread.
  BoundsVerdict check(Worker owner, std::uint64_t offset, std::uint64_t bytes) const;
  // The same as a boolean, which is all that the short local path needs.
  bool covers(Worker owner, std::uint64_t offset, std::uint64_t bytes) const;

  // Finds the live extent on whose pages, or in whose cell, offset lies. Lock-free.
  bool covering(std::uint64_t offset, Extent& found) const;

  // Says what a check has found, with the nearest segment, as the second half of an error line; for example
  // "12 bytes at 0x.. reach 4 bytes past the end; nearest is segment 0x.. of worker 3". `base` is the arena's
  // address in the owner's process, so that the text has the program's addresses.
  std::string text_of(const BoundsCheck& fault, std::uint64_t base, LockWait wait);

  // For error texts and tests. They take the lock.
  Nearby nearest(std::uint64_t offset, Extent& found, LockWait wait = LockWait::waits);
  std::vector<OwnerTotal> totals();
  std::vector<Extent> live() { return *collect(Wanted::all, LockWait::waits); }

 private:
  class LockGuard;
  friend class SmallBlocks;

  struct AllocationOptions {
    Worker owner = 0;
    std::uint64_t bytes = 0;
    std::uint64_t allocation = 0;
    Pages pages = Pages::any;
    std::uint32_t cell_bytes = 0;    // not 0: it becomes a slab
    std::uint64_t bytes_behind = 0;  // not part of what checks allow
    std::uint64_t all_bytes() const { return bytes + bytes_behind; }
  };
  struct DataRange {  // of whole pages, from the begin of the data area
    std::uint64_t begin;
    std::uint64_t end;
    bool reaches_end_of_span() const { return begin / span_bytes != end / span_bytes; }
  };
  DataRange range_of(std::uint32_t id) const;
  Result<Extent> allocate_pages(const AllocationOptions& options);
  // The record that holds, or held, this place; null if the table does not reach so far.
  [[gnu::always_inline]] const ExtentRecord* find_record(std::uint64_t offset) const {
    const std::uint64_t into_data = offset - place_.geometry.data_offset;  // huge before the data area
    const std::uint64_t page = into_data / page_bytes;
    if (page >= place_.block->table_pages.load(std::memory_order_relaxed)) return nullptr;
    const SpanEntry span(spans_[into_data / span_bytes].load(std::memory_order_acquire));
    const std::uint64_t in_span = page % span_pages;
    if (in_span < span.pages_at_begin()) return &records_[span.at_begin()];
    if (in_span >= span_pages - span.pages_at_end()) return &records_[span.at_end()];
    return &records_[table_[page].load(std::memory_order_acquire)];
  }
  MirroredPart& part_behind(const ExtentRecord& record) const;
  bool cell_covers(const ExtentRecord& slab, std::uint64_t offset, std::uint64_t bytes) const;
  enum class Wanted : std::uint8_t { all, mirrored };
  std::optional<std::vector<Extent>> collect(Wanted wanted, LockWait wait);  // what lives
  void collect_cells(const ExtentRecord& slab, std::vector<Extent>& found) const;
  BoundsVerdict explain(Worker owner, std::uint64_t offset) const;  // why the range is not covered
  std::uint32_t locate(std::uint64_t offset) const;                 // 0 = no extent begins at offset
  std::optional<Cell> locate_cell(std::uint64_t offset) const;  // none: no small block can begin at offset
  std::uint32_t reserve(const AllocationOptions& options, OutOfMemory& out_of_memory);
  std::uint32_t try_reserve(const AllocationOptions& options, OutOfMemory& out_of_memory);
  std::uint64_t bytes_retired();  // takes the lock
  // Of the live processes of the host.
  std::uint64_t bytes_of_slots(std::atomic<std::uint64_t> SlotMemory::*what,
                               std::optional<HostSlot> but = std::nullopt) const;
  std::uint64_t others_committing() const { return bytes_of_slots(&SlotMemory::committing, place_.slot); }
  std::optional<std::uint32_t> take_covered(Worker owner, std::uint64_t whole, Pages pages,
                                            OutOfMemory& out_of_memory);
  bool grow_table(std::uint64_t end, OutOfMemory& out_of_memory);
  // Needs the lock. True if the host has memory for the live and kept bytes. If pages are committed, commit
  // checks this instead.
  bool is_promised() const;
  // Needs the lock. Gives back no more kept memory than that takes, and none if all were too little.
  bool trim_to_promise();
  bool may_fit(std::uint64_t whole) const;  // needs the lock: once nothing is kept
  bool are_limits_old() const;
  MemoryLimits read_limits();  // takes the lock
  std::uint64_t most_kept() const;
  // Needs the lock. What is kept counts as free, since it would have been given back.
  OutOfMemory memory_ended(MemoryLimits limits, std::uint64_t whole) const;
  void mark(std::uint32_t id, bool is_slab);                  // writes the entries of spans or table
  void mark_spans(const DataRange& range, std::uint32_t id);  // id 0: they are nobody's any more
  void release_slab(std::uint64_t offset);
  void give_back(std::uint32_t id);
  class GivingBack;  // announces how much is given back as long as it lives
  bool commit(std::uint32_t id, OutOfMemory& out_of_memory);
  bool announce(std::uint64_t offset, std::uint64_t bytes, OutOfMemory& out_of_memory);
  bool commit_steps(std::uint64_t offset, std::uint64_t bytes, bool large_pages, OutOfMemory& out_of_memory);
  void publish(std::uint32_t id, std::uint32_t cell_bytes);
  // Needs the lock. Punches kept extents, or about so many bytes of them; false: there were none.
  bool trim(std::uint64_t most = ~std::uint64_t{0});
  void note_given_back(std::uint64_t offset, std::uint64_t bytes);  // needs the lock
  SlotMemory& memory_of(HostSlot slot) const;
  std::atomic<std::uint64_t>& committing(HostSlot slot) const { return memory_of(slot).committing; }
  Failure does_not_fit(Worker owner, std::uint64_t bytes, const OutOfMemory& out_of_memory);

  ExtentsSite place_;
  ExtentRecord* records_ = nullptr;
  std::atomic<std::uint64_t>* spans_ = nullptr;  // SpanEntry
  std::atomic<std::uint32_t>* table_ = nullptr;
  ExtentChain chain_;
  SmallBlocks small_;
};

// Inlined into each small operation: a call would cost as much as the check.
[[gnu::always_inline]] inline bool Extents::covers(Worker owner, std::uint64_t offset,
                                                   std::uint64_t bytes) const {
  const ExtentRecord* const found = find_record(offset);
  if (found == nullptr) return false;
  // Acquire loads keep the second look at the version last; they cost nothing on x86.
  const std::uint32_t version = found->version.load(std::memory_order_acquire);
  const std::uint64_t into = offset - found->offset.load(std::memory_order_acquire);
  const std::uint64_t length = found->bytes.load(std::memory_order_acquire);
  const std::uint32_t holder = found->owner.load(std::memory_order_acquire);
  const bool is_live = (version & 1u) == 0 && found->version.load(std::memory_order_relaxed) == version;
  if (is_live) [[likely]]
    return holder == owner && into < length && bytes <= length - into;
  return holder == owner && cell_covers(*found, offset, bytes);
}

inline BoundsVerdict Extents::check(Worker owner, std::uint64_t offset, std::uint64_t bytes) const {
  return covers(owner, offset, bytes) ? BoundsVerdict::ok : explain(owner, offset);
}

// Holds the lock over the extents as long as it lives. If the last holder died, the constructor first repairs
// the records.
class Extents::LockGuard {
 public:
  struct Try {};
  explicit LockGuard(Extents& extents) : LockGuard(extents, &OwnerLock::lock) {}
  LockGuard(Extents& extents, Try) : LockGuard(extents, &OwnerLock::try_recover) {}
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;
  ~LockGuard() {
    if (taken_ != LockResult::busy) lock_.unlock(party_);
  }
  explicit operator bool() const { return taken_ != LockResult::busy; }

 private:
  LockGuard(Extents& extents, LockResult (OwnerLock::*take)(const LockParty&))
      : lock_(extents.place_.block->lock),
        party_{extents.place_.os, extents.place_.object, extents.place_.slot},
        taken_((lock_.*take)(party_)) {
    if (taken_ == LockResult::taken_over) extents.chain_.rebuild();
  }

  OwnerLock lock_;
  LockParty party_;
  LockResult taken_;
};

}  // namespace comex::shm
