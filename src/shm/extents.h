// Who owns which bytes of the arena: allocation, release, and the bounds check of every operation.
//
// check() is lock-free: the record number of the span or page, then the record, whose version is odd
// while it is not live, then, for a small block, its cell. allocate, retire and release take one robust
// lock, for small blocks one of the process. Pages come when they are touched, or are committed by their
// owner before anybody can touch them; either way the arena promises no more than the host has. The chain of
// records in address order is the only truth; all else is rebuilt from it when a holder of the lock died.
// Memory is not zero-filled.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "shm/extent_chain.h"
#include "shm/geometry.h"
#include "shm/locks/locks.h"
#include "shm/os.h"
#include "shm/out_of_memory.h"
#include "shm/small_blocks.h"

namespace comex::shm {

enum class BoundsVerdict : std::uint8_t { ok, no_extent, wrong_owner, past_end, retired };

enum class Nearby : std::uint8_t { found, none, busy };

inline constexpr std::uint64_t keep_a_share = ~0ULL;  // as keep_bytes: what the host can spare

struct OwnerTotal {
  Worker owner = 0;
  std::uint64_t bytes = 0;  // of whole pages: what they take from the host
  std::uint32_t extents = 0;
};

class Extents {
 public:
  struct ExtentsSite {  // where it lies in this process, and what it needs
    Os* os = nullptr;
    const Object* object = nullptr;
    std::byte* base = nullptr;
    ExtentsBlock* block = nullptr;
    std::atomic<std::uint64_t>* committing = nullptr;  // one word per slot, committing_stride apart
    std::uint64_t committing_stride = 0;
    Geometry geometry;
    HostSlot slot = 0;
    std::uint64_t keep_bytes = 0;
    bool large_pages = false;  // ask for them where pages are committed
    bool on_touch = false;     // pages come when they are touched
  };
  explicit Extents(const ExtentsSite& place);
  static std::uint64_t first_bytes(const Geometry& geometry);  // from 0, that must exist before format
  void format();                                               // the creator's, once

  // bytes > 0; not a guest's call. `allocation` is any number of the caller's; it shows in error texts.
  Result<Extent> allocate(Worker owner, std::uint64_t bytes, std::uint64_t allocation = 0,
                          Pages pages = Pages::any);
  bool begins_local(Worker owner, std::uint64_t offset) const;  // one of the owner's that is in no allocation
  std::uint64_t placed_bytes(
      std::uint64_t offset) const;       // of a placed one that begins here; 0: it is not placed
  Status retire(std::uint64_t offset);   // checks fail from now on; offset is an extent's first byte
  Status release(std::uint64_t offset);  // its space may be reused; retires first if need be

  // Gives back what is kept and was not asked for during ten seconds; a look at a word where nothing is. Says
  // for how long the caller may sleep until it should ask again.
  std::uint64_t give_back_unused();

  // Lock-free, any thread: may [offset, offset + bytes) of `owner` be touched?
  BoundsVerdict check(Worker owner, std::uint64_t offset, std::uint64_t bytes) const;
  // The same as yes or no: all that the small path needs.
  bool covers(Worker owner, std::uint64_t offset, std::uint64_t bytes) const;

  // The live one on whose pages, or in whose cell, offset lies. Lock-free.
  bool covering(std::uint64_t offset, Extent& found) const;

  // For error texts and tests; they take the lock, try_nearest only if it is free.
  Nearby nearest(std::uint64_t offset, Extent& found);
  Nearby try_nearest(std::uint64_t offset, Extent& found);
  bool find(std::uint64_t offset, Extent& found);  // the live one that covers offset
  std::vector<OwnerTotal> totals();
  std::vector<Extent> live();
  std::uint64_t kept_bytes();
  std::uint32_t rebuilds();
  bool is_consistent();  // walks everything

 private:
  class Held;  // the lock, taken; rebuilds if its holder died
  friend class SmallBlocks;

  Result<Extent> allocate_pages(Worker owner, std::uint64_t bytes, std::uint64_t allocation, Pages pages,
                                std::uint32_t cell_bytes);
  const ExtentRecord& record_at(std::uint64_t into_data) const {
    const std::uint32_t whole = spans_[into_data / span_bytes].load(std::memory_order_acquire);
    return records_[whole != 0 ? whole : table_[into_data / page_bytes].load(std::memory_order_acquire)];
  }
  // The record that holds, or held, this place; null: the table does not reach there.
  const ExtentRecord* find_record(std::uint64_t offset) const {
    const std::uint64_t into_data = offset - place_.geometry.data_offset;  // huge when before the data
    if (into_data / page_bytes >= place_.block->table_pages.load(std::memory_order_relaxed)) return nullptr;
    return &record_at(into_data);
  }
  std::vector<Extent> collect_live() const;  // under the lock
  void collect_cells(const ExtentRecord& slab, std::vector<Extent>& found) const;
  BoundsVerdict explain(Worker owner, std::uint64_t offset) const;  // why it is not covered
  std::uint32_t locate(std::uint64_t offset) const;                 // 0 = no extent begins at offset
  std::optional<Cell> locate_cell(std::uint64_t offset) const;  // none = no small block may begin at offset
  std::uint32_t reserve(Worker owner, std::uint64_t bytes, std::uint64_t allocation, Pages pages,
                        OutOfMemory& out_of_memory);
  std::optional<std::uint32_t> take_covered(Worker owner, std::uint64_t whole, Pages pages,
                                            OutOfMemory& out_of_memory);
  bool grow_table(std::uint64_t end, OutOfMemory& out_of_memory);
  // Under the lock: has the host room for what lives and is kept? Where pages are committed that is judged
  // then.
  bool is_promised() const;
  bool is_room_old() const;
  MemoryLimits ask_for_room();  // takes the lock
  std::uint64_t most_kept() const;
  OutOfMemory promise_ended(const MemoryLimits& room) const;  // under the lock
  void mark(std::uint32_t id);                                // in spans and table
  void release_slab(std::uint64_t offset);
  void give_back(std::uint32_t id);
  bool commit(std::uint32_t id, OutOfMemory& out_of_memory);
  bool is_within_room(std::uint64_t offset, std::uint64_t bytes, OutOfMemory& out_of_memory);
  bool commit_steps(std::uint64_t offset, std::uint64_t bytes, bool large_pages, OutOfMemory& out_of_memory);
  std::uint64_t others_committing() const;
  void publish(std::uint32_t id, std::uint32_t cell_bytes);
  bool trim();  // under the lock: punches all that is kept; false = nothing was
  std::atomic<std::uint64_t>& committing(HostSlot slot) const;
  Failure does_not_fit(Worker owner, std::uint64_t bytes, const OutOfMemory& out_of_memory);

  ExtentsSite place_;
  ExtentRecord* records_ = nullptr;
  std::atomic<std::uint32_t>* spans_ = nullptr;
  std::atomic<std::uint32_t>* table_ = nullptr;
  ExtentChain chain_;
  SmallBlocks small_;
};

inline bool Extents::covers(Worker owner, std::uint64_t offset, std::uint64_t bytes) const {
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
  const std::optional<Cell> cell = cell_at(place_.base, *found, offset);
  return cell && holder == owner && cell->is_live() && cell->into < cell->bytes() &&
         bytes <= cell->bytes() - cell->into;
}

inline BoundsVerdict Extents::check(Worker owner, std::uint64_t offset, std::uint64_t bytes) const {
  return covers(owner, offset, bytes) ? BoundsVerdict::ok : explain(owner, offset);
}

}  // namespace comex::shm
