#include "shm/extents.h"

#include <algorithm>
#include <cstring>

namespace comex::shm {

namespace {

constexpr std::uint64_t entries_per_chunk = commit_chunk_bytes / sizeof(std::uint32_t);

std::uint64_t data_pages(const Geometry& geometry) {
  return (geometry.reservation_bytes - geometry.data_offset) / page_bytes;
}

}  // namespace

Extents::Extents(const ExtentsSite& place)
    : place_(place),
      records_(reinterpret_cast<ExtentRecord*>(place.base + place.geometry.records_offset)),
      spans_(reinterpret_cast<std::atomic<std::uint64_t>*>(place.base + place.geometry.spans_offset)),
      table_(reinterpret_cast<std::atomic<std::uint32_t>*>(place.base + place.geometry.table_offset)),
      chain_(*place.os, *place.object, *place.block, records_, place.geometry),
      small_(*this) {}

std::uint64_t Extents::first_bytes(const Geometry& geometry) {
  const std::uint64_t records = geometry.max_records * sizeof(ExtentRecord);
  return geometry.records_offset + std::min(commit_chunk_bytes, round_up(records, page_bytes));
}

void Extents::format() {
  chain_.format(place_.on_touch);
  if (place_.on_touch) {
    place_.block->table_pages.store(static_cast<std::uint32_t>(data_pages(place_.geometry)));
  }
}

bool Extents::cell_covers(const ExtentRecord& slab, std::uint64_t offset, std::uint64_t bytes) const {
  const std::optional<Cell> cell = cell_at(place_.base, slab, offset);
  return cell && cell->is_live() && cell->into < cell->bytes() && bytes <= cell->bytes() - cell->into;
}

// ---- taking ----

Result<Extent> Extents::allocate(Worker owner, std::uint64_t bytes, std::uint64_t allocation, Pages pages) {
  if (bytes == 0) return caller_error("an extent of 0 bytes");
  if (pages == Pages::any && SmallBlocks::takes(bytes)) {
    Result<Extent> small = small_.allocate(owner, bytes, allocation);
    if (small) return small;
  }
  // There may be memory for a page where there is none for a slab.
  return allocate_pages({.owner = owner, .bytes = bytes, .allocation = allocation, .pages = pages});
}

Result<Extent> Extents::allocate_pages(const AllocationOptions& options) {
  const Worker owner = options.owner;
  const std::uint64_t bytes = options.bytes;
  OutOfMemory out_of_memory;
  const std::uint32_t id = reserve(options, out_of_memory);
  if (id == 0) return does_not_fit(owner, options.all_bytes(), out_of_memory);
  if (!commit(id, out_of_memory)) {
    {
      const LockGuard lock(*this);
      place_.block->live_bytes -= chain_.size(id);
      chain_.give(id, false);
    }
    return does_not_fit(owner, options.all_bytes(), out_of_memory);
  }
  publish(id, options.cell_bytes);
  return Extent{chain_.offset(id), bytes, round_up(bytes, page_bytes), owner, options.allocation};
}

// What others free goes back after all have met in the call that frees it, and large memory takes seconds to
// go. So a refusal waits for it where it is enough: not long for retired extents, since some of a dead worker
// stay so. Small blocks do not wait; their caller holds a lock.
std::uint32_t Extents::reserve(const AllocationOptions& options, OutOfMemory& out_of_memory) {
  constexpr std::uint64_t round_ns = 1'000'000;
  constexpr std::uint64_t limit_ns = 30'000'000'000;
  constexpr unsigned rounds_for_retired = 200;
  const std::uint64_t begin_ns = place_.os->now_ns();
  std::uint64_t coming = 0;
  for (unsigned round = 0;; ++round) {
    const std::uint32_t id = try_reserve(options, out_of_memory);
    if (id != 0 || options.cell_bytes != 0) return id;
    if (round != 0) {
      const bool is_enough = options.all_bytes() <= out_of_memory.free_bytes + coming;
      if (coming == 0 || !is_enough || place_.os->now_ns() - begin_ns > limit_ns) return id;
      place_.os->sleep_ns(round_ns);
    }
    // This is asked before the next try, which finds what has come meanwhile. Who gives back a retired extent
    // announces it first, so none is missed in this order.
    coming = round < rounds_for_retired ? bytes_retired() : 0;
    coming += bytes_of_slots(&SlotMemory::giving_back);
  }
}

std::uint64_t Extents::bytes_retired() {
  const LockGuard lock(*this);
  std::uint64_t bytes = 0;
  for (std::uint32_t id = chain_.first(); id != 0; id = chain_.next(id)) {
    if (chain_.state(id) == ExtentState::retired) bytes += chain_.size(id);
  }
  return bytes;
}

std::uint32_t Extents::try_reserve(const AllocationOptions& options, OutOfMemory& out_of_memory) {
  const Worker owner = options.owner;
  const std::uint64_t bytes = options.bytes;
  const Pages pages = options.pages;
  const std::uint64_t whole = round_up(options.all_bytes(), page_bytes);
  const bool can_be = whole >= bytes && whole <= place_.geometry.reservation_bytes;  // may overflow
  MemoryLimits limits;
  if (are_limits_old()) limits = read_limits();
  for (int attempt = 0; can_be && attempt < 3; ++attempt) {
    if (attempt == 1) limits = read_limits();  // memory may have been given back since
    const LockGuard lock(*this);
    const std::optional<std::uint32_t> taken = take_covered(owner, whole, pages, out_of_memory);
    const std::uint32_t id = taken.value_or(0);
    if (id == 0) {
      // Kept memory counts against the same limits. Kept space and space without pages are not joined, so
      // giving back the kept pages may also make a larger free extent.
      if (attempt == 0 || (attempt == 1 && may_fit(whole) && trim())) continue;
      if (!taken) return 0;
      break;
    }
    if (is_promised() || (attempt != 0 && trim_to_promise())) {
      records_[id].offset.store(chain_.offset(id), std::memory_order_release);
      records_[id].bytes.store(bytes, std::memory_order_release);
      records_[id].owner.store(owner, std::memory_order_release);
      records_[id].allocation = options.allocation;
      records_[id].is_placed = pages == Pages::placed ? 1 : 0;
      records_[id].is_mirrored.store(0, std::memory_order_relaxed);
      return id;
    }
    place_.block->live_bytes -= whole;
    chain_.give(id, records_[id].is_committed != 0);
    if (attempt != 0) {
      out_of_memory = memory_ended(limits, whole);
      return 0;
    }
  }
  limits = read_limits();
  const LockGuard lock(*this);
  const OutOfMemory met = memory_ended(limits, whole);
  out_of_memory = {};
  out_of_memory.free_bytes = chain_.largest_free();
  // More address space would not help if there is less memory than that.
  if (met.free_bytes < out_of_memory.free_bytes && whole > met.free_bytes) out_of_memory = met;
  return 0;
}

// Needs the lock. Returns space that the table covers. 0: no such space is free. No value: the space is free,
// but there is no memory for the table or the records.
std::optional<std::uint32_t> Extents::take_covered(Worker owner, std::uint64_t whole, Pages pages,
                                                   OutOfMemory& out_of_memory) {
  const std::optional<std::uint32_t> taken = chain_.take(owner, whole, pages, out_of_memory);
  if (!taken || *taken == 0) return taken;
  if (!grow_table(chain_.offset(*taken) + whole, out_of_memory)) {
    chain_.give(*taken, records_[*taken].is_committed != 0);
    return std::nullopt;
  }
  place_.block->live_bytes += whole;
  return taken;
}

// The table covers the data area from its start without a gap, so that a check needs only one comparison.
bool Extents::grow_table(std::uint64_t end, OutOfMemory& out_of_memory) {
  std::atomic<std::uint32_t>& covered = place_.block->table_pages;
  const std::uint64_t have = covered.load(std::memory_order_relaxed);
  const std::uint64_t need = (end - place_.geometry.data_offset) / page_bytes;
  if (need <= have) return true;
  const std::uint64_t entries =
      std::min(round_up(need, entries_per_chunk), round_up(data_pages(place_.geometry), entries_per_chunk));
  const std::uint64_t begin = place_.geometry.table_offset + have * sizeof(std::uint32_t);
  const std::uint64_t bytes = (entries - have) * sizeof(std::uint32_t);
  if (!extend_or_tell(*place_.os, *place_.object, begin, bytes, out_of_memory)) {
    out_of_memory.records_bytes = bytes;
    return false;
  }
  covered.store(static_cast<std::uint32_t>(entries), std::memory_order_release);
  return true;
}

void Extents::publish(std::uint32_t id, std::uint32_t cell_bytes) {
  ExtentRecord& record = records_[id];
  if (cell_bytes != 0) {  // each cell is live on its own, so no check may take the whole slab for a block
    const std::uint64_t words = slab_bytes / cell_bytes;
    std::memset(place_.base + chain_.offset(id), 0, words * sizeof(std::uint32_t));
    record.cell_bytes.store(cell_bytes, std::memory_order_release);
  }
  mark(id, cell_bytes != 0);
  record.state.store(cell_bytes != 0 ? ExtentState::slab : ExtentState::live, std::memory_order_release);
  if (cell_bytes == 0)
    record.version.fetch_add(1, std::memory_order_release);  // even: checks succeed from here on
}

Extents::DataRange Extents::range_of(std::uint32_t id) const {
  const std::uint64_t begin = chain_.offset(id) - place_.geometry.data_offset;
  return {begin, begin + round_up(records_[id].bytes.load(std::memory_order_relaxed), page_bytes)};
}

void Extents::mark(std::uint32_t id, bool is_slab) {
  const DataRange range = range_of(id);
  if (!is_slab && range.reaches_end_of_span()) return mark_spans(range, id);
  for (std::uint64_t page = range.begin / page_bytes; page < range.end / page_bytes; ++page) {
    table_[page].store(id, std::memory_order_release);
  }
}

// Only one extent has a span's last page and only one its first, so only the other half of an entry may
// change meanwhile.
void Extents::mark_spans(const DataRange& range, std::uint32_t id) {
  const SpanEntry whole = SpanEntry().with_begin(id, id == 0 ? 0 : span_pages);
  for (std::uint64_t at = range.begin; at < range.end;) {
    for (; at != range.begin && range.end - at >= span_bytes; at += span_bytes)
      spans_[at / span_bytes].store(whole.word(), std::memory_order_release);
    if (at == range.end) return;
    std::atomic<std::uint64_t>& entry = spans_[at / span_bytes];
    const std::uint64_t stop = std::min(range.end, (at / span_bytes + 1) * span_bytes);
    const std::uint64_t pages = id == 0 ? 0 : (stop - at) / page_bytes;
    const auto changed = [&](SpanEntry now) {
      return at == range.begin ? now.with_end(id, pages) : now.with_begin(id, pages);
    };
    if (stop - at == span_bytes) {
      entry.store(changed(SpanEntry()).word(), std::memory_order_release);
    } else {
      std::uint64_t now = entry.load(std::memory_order_relaxed);
      while (!entry.compare_exchange_weak(now, changed(SpanEntry(now)).word(), std::memory_order_release,
                                          std::memory_order_relaxed)) {
      }
    }
    at = stop;
  }
}

// ---- giving back ----

class Extents::GivingBack {
 public:
  GivingBack(const Extents& extents, std::uint64_t bytes)
      : announced_(extents.memory_of(extents.place_.slot).giving_back), bytes_(bytes) {
    announced_.fetch_add(bytes_);
  }
  ~GivingBack() { announced_.fetch_sub(bytes_); }
  GivingBack(const GivingBack&) = delete;
  GivingBack& operator=(const GivingBack&) = delete;

 private:
  std::atomic<std::uint64_t>& announced_;
  const std::uint64_t bytes_;
};

std::uint32_t Extents::locate(std::uint64_t offset) const {
  const ExtentRecord* const found = find_record(offset);
  const bool is_its = found != nullptr && found->offset.load(std::memory_order_acquire) == offset &&
                      found->cell_bytes.load(std::memory_order_acquire) == 0;
  return is_its ? static_cast<std::uint32_t>(found - records_) : 0;
}

std::optional<Cell> Extents::locate_cell(std::uint64_t offset) const {
  const ExtentRecord* const found = find_record(offset);
  std::optional<Cell> cell;
  if (found != nullptr) cell = cell_at(place_.base, *found, offset);
  if (cell && cell->into != 0) cell.reset();
  return cell;
}

bool Extents::begins_local(Worker owner, std::uint64_t offset) const {
  const ExtentRecord* const found = find_record(offset);
  if (found == nullptr || found->owner.load(std::memory_order_acquire) != owner) return false;
  if (const std::optional<Cell> cell = locate_cell(offset)) return cell->is_live() && cell->is_local();
  return locate(offset) != 0 && found->allocation == 0 &&
         found->state.load(std::memory_order_acquire) == ExtentState::live;
}

std::uint64_t Extents::placed_bytes(std::uint64_t offset) const {
  const std::uint32_t id = locate(offset);
  if (id == 0 || records_[id].is_placed == 0) return 0;
  return round_up(records_[id].bytes.load(std::memory_order_acquire), page_bytes);
}

Status Extents::retire(std::uint64_t offset) {
  if (const std::optional<Cell> cell = locate_cell(offset); cell && cell->is_live()) {
    std::uint32_t expected = cell->value;
    if (cell->word->compare_exchange_strong(expected, expected | Cell::retired_bit)) return {};
  }
  const std::uint32_t id = locate(offset);
  ExtentState expected = ExtentState::live;
  if (id == 0 || !records_[id].state.compare_exchange_strong(expected, ExtentState::retired)) {
    return caller_error("arena offset " + std::to_string(offset) + " is not the start of an allocation");
  }
  records_[id].version.fetch_add(1, std::memory_order_seq_cst);
  if (records_[id].is_mirrored.exchange(0) != 0) {
    place_.block->mirrored.fetch_sub(1);
    place_.block->mirrored_changes.fetch_add(1);
  }
  return {};
}

Status Extents::release(std::uint64_t offset) {
  if (const std::optional<Cell> cell = locate_cell(offset)) return small_.release(*cell);
  const std::uint32_t id = locate(offset);
  if (id != 0 && records_[id].state.load(std::memory_order_acquire) == ExtentState::live) {
    static_cast<void>(retire(offset));  // if another was first, it is refused below
  }
  const GivingBack announced(*this, id == 0 ? 0 : chain_.size(id));
  ExtentState expected = ExtentState::retired;
  if (id == 0 || !records_[id].state.compare_exchange_strong(expected, ExtentState::releasing)) {
    return caller_error("arena offset " + std::to_string(offset) + " is not the start of an allocation");
  }
  give_back(id);
  return {};
}

void Extents::release_slab(std::uint64_t offset) {
  const auto id = static_cast<std::uint32_t>(find_record(offset) - records_);
  const GivingBack announced(*this, slab_bytes);
  records_[id].cell_bytes.store(0, std::memory_order_release);
  records_[id].state.store(ExtentState::releasing, std::memory_order_release);
  give_back(id);
}

// Gives back an extent in state `releasing`.
void Extents::give_back(std::uint32_t id) {
  if (are_limits_old()) read_limits();
  const std::uint64_t offset = chain_.offset(id);
  if (const DataRange range = range_of(id); range.reaches_end_of_span()) mark_spans(range, 0);
  std::uint64_t bytes = 0;
  {
    const LockGuard lock(*this);
    bytes = chain_.size(id);
    place_.block->live_bytes -= bytes;
    if (records_[id].is_placed == 0 && place_.block->kept_bytes + bytes <= most_kept()) {
      chain_.give(id, true);
      place_.block->last_kept_ns.store(place_.os->now_ns(), std::memory_order_relaxed);
      return;
    }
    place_.block->live_bytes += bytes;  // until the pages are punched: slow, so without the lock
  }
  const Status punched = place_.os->punch(*place_.object, offset, bytes);
  const LockGuard lock(*this);
  note_given_back(offset, bytes);
  place_.block->live_bytes -= bytes;
  chain_.give(id, !punched);  // if the punch failed, the pages are still committed
}

// ---- with mirrors ----

Result<Extent> Extents::allocate_mirrored(Worker owner, std::uint64_t bytes, std::uint64_t allocation) {
  const bool can_be = bytes <= place_.geometry.reservation_bytes;  // else sums may overflow
  return allocate_pages({.owner = owner,
                         .bytes = bytes,
                         .allocation = allocation,
                         .bytes_behind = can_be ? MirroredPart::bytes_behind(bytes) : 0});
}

MirroredPart& Extents::part_behind(const ExtentRecord& record) const {
  const std::uint64_t end = record.offset.load() + MirroredPart::offset_behind(record.bytes.load());
  return *reinterpret_cast<MirroredPart*>(place_.base + end);
}

void Extents::show_mirrored(std::uint64_t offset) {
  const std::uint32_t id = locate(offset);
  COMEX_BUG_IF(id == 0);
  place_.block->mirrored.fetch_add(1);  // first: who dies in between must not make it too low
  records_[id].is_mirrored.store(1, std::memory_order_release);
  place_.block->mirrored_changes.fetch_add(1);
}

bool Extents::note_written(std::uint64_t offset, std::uint64_t bytes) const {
  const ExtentRecord* const found = find_record(offset);
  if (found == nullptr || found->is_mirrored.load(std::memory_order_acquire) == 0) return false;
  const std::uint64_t begin = found->offset.load(std::memory_order_acquire);
  part_behind(*found).mark(offset - begin, bytes);
  return true;
}

}  // namespace comex::shm
