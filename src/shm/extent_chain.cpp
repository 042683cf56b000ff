#include "shm/extent_chain.h"

#include <algorithm>
#include <bit>

namespace comex::shm {

namespace {

constexpr std::uint32_t scan_limit = 64;     // free extents of one size class that a search looks at
constexpr std::uint32_t all_of_class = ~0u;  // before an allocation is refused
constexpr std::uint32_t chunk_records = commit_chunk_bytes / sizeof(ExtentRecord);

std::uint32_t bin_of(std::uint64_t bytes) {
  const std::uint64_t pages = bytes / page_bytes;
  return std::min(static_cast<std::uint32_t>(std::bit_width(pages)) - 1, bin_count - 1);
}

// Makes the version odd, so that no check takes the record for live.
void make_odd(ExtentRecord& record) {
  const std::uint32_t version = record.version.load(std::memory_order_relaxed);
  if ((version & 1u) == 0) record.version.store(version + 1, std::memory_order_release);
}

}  // namespace

void ExtentChain::format(bool on_touch) {
  block_->records_committed =
      on_touch ? geometry_.max_records : std::min(chunk_records, geometry_.max_records);
  block_->records_used = 2;  // record 0 means "none"
  block_->first = 1;
  records_[0].version.store(1, std::memory_order_relaxed);
  records_[1].version.store(1, std::memory_order_relaxed);
  records_[1].offset.store(geometry_.data_offset, std::memory_order_relaxed);
  records_[1].state.store(ExtentState::free, std::memory_order_relaxed);
  link(1);
}

std::uint64_t ExtentChain::size(std::uint32_t id) const {
  const std::uint32_t after = next(id);
  return (after == 0 ? geometry_.reservation_bytes : offset(after)) - offset(id);
}

Extent ExtentChain::extent(std::uint32_t id) const {
  const ExtentRecord& record = records_[id];
  return {offset(id), record.bytes.load(std::memory_order_relaxed), size(id),
          record.owner.load(std::memory_order_relaxed), record.allocation};
}

std::optional<std::uint32_t> ExtentChain::take(Worker owner, std::uint64_t bytes, Pages pages,
                                               OutOfMemory& out_of_memory) {
  std::uint32_t id = 0;
  if (pages == Pages::any) {
    id = find_own(owner, bytes);
    if (id == 0) id = find_fit(bytes, true, scan_limit);
    if (id == 0 && block_->kept_bytes >= bytes && join_kept()) id = find_fit(bytes, true, scan_limit);
  }
  if (id == 0) id = find_fit(bytes, false, scan_limit);
  if (id == 0 && pages == Pages::any) id = find_fit(bytes, true, all_of_class);
  if (id == 0) id = find_fit(bytes, false, all_of_class);
  if (id == 0) return id;
  if (size(id) > bytes && !split(id, bytes, out_of_memory)) return std::nullopt;
  unlink(id);
  records_[id].state.store(ExtentState::reserving, std::memory_order_release);
  return id;
}

void ExtentChain::give(std::uint32_t id, bool is_committed) {
  make_odd(records_[id]);
  records_[id].is_committed = is_committed ? 1 : 0;
  records_[id].state.store(ExtentState::free, std::memory_order_release);
  ++block_->given_since_join;
  link(id);
  if (can_join(id, next(id))) join_next(id);
  const std::uint32_t before = records_[id].previous;
  if (can_join(before, id)) join_next(before);
}

std::vector<std::uint32_t> ExtentChain::kept() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t id = first(); id != 0; id = next(id)) {
    if (state(id) == ExtentState::free && records_[id].is_committed != 0) found.push_back(id);
  }
  return found;
}

// Called before the pages go: if the process is killed in between, no page looks committed. In this order,
// since rebuild() takes what is being released with pages for another's.
void ExtentChain::mark_uncommitted(std::uint32_t id) {
  unlink(id);
  records_[id].is_committed = 0;
  records_[id].state.store(ExtentState::releasing, std::memory_order_release);
}

// Searches the kept extents of the same size class, since programs often free and allocate the same size.
std::uint32_t ExtentChain::find_own(Worker owner, std::uint64_t bytes) const {
  std::uint32_t looked = 0;
  for (std::uint32_t id = block_->bins[1][bin_of(bytes)]; id != 0 && looked < scan_limit;
       id = records_[id].next_free, ++looked) {
    if (size(id) >= bytes && records_[id].owner.load(std::memory_order_relaxed) == owner) return id;
  }
  return 0;
}

std::uint32_t ExtentChain::find_fit(std::uint64_t bytes, bool is_committed, std::uint32_t most) const {
  const auto& bins = block_->bins[is_committed ? 1 : 0];
  const std::uint32_t own = bin_of(bytes);
  std::uint32_t looked = 0;
  for (std::uint32_t id = bins[own]; id != 0 && looked < most; id = records_[id].next_free, ++looked) {
    if (size(id) >= bytes) return id;
  }
  const auto larger = std::find_if(&bins[own + 1], std::end(bins), [](std::uint32_t id) { return id != 0; });
  return larger == std::end(bins) ? 0 : *larger;
}

bool ExtentChain::split(std::uint32_t id, std::uint64_t bytes, OutOfMemory& out_of_memory) {
  const std::uint32_t rest = new_record(out_of_memory);
  if (rest == 0) return false;
  ExtentRecord& record = records_[rest];
  unlink(id);  // the size class may change
  record.offset.store(offset(id) + bytes, std::memory_order_release);
  record.bytes.store(0, std::memory_order_release);
  record.is_committed = records_[id].is_committed;
  record.owner.store(records_[id].owner.load(std::memory_order_relaxed), std::memory_order_relaxed);
  record.next.store(next(id), std::memory_order_relaxed);
  record.previous = id;
  record.state.store(ExtentState::free, std::memory_order_release);
  records_[id].next.store(rest, std::memory_order_release);  // from here on it exists
  if (next(rest) != 0) records_[next(rest)].previous = rest;
  link(rest);
  link(id);
  return true;
}

std::uint32_t ExtentChain::new_record(OutOfMemory& out_of_memory) {
  std::uint32_t id = block_->unused_records;
  if (id != 0) {
    block_->unused_records = records_[id].next_free;
    return id;
  }
  id = block_->records_used;
  if (id == geometry_.max_records) {
    out_of_memory = {};
    out_of_memory.free_bytes = largest_free();
    out_of_memory.limit = Limit::records;
    out_of_memory.where = "(all " + std::to_string(id) + " are in use)";
    return 0;
  }
  if (id == block_->records_committed) {
    const std::uint32_t more = std::min(chunk_records, geometry_.max_records - id);
    const std::uint64_t place = geometry_.records_offset + id * sizeof(ExtentRecord);
    if (!extend_or_tell(*os_, *object_, place, more * sizeof(ExtentRecord), out_of_memory)) {
      out_of_memory.records_bytes = more * sizeof(ExtentRecord);
      return 0;
    }
    block_->records_committed = id + more;
  }
  records_[id].version.store(1, std::memory_order_relaxed);
  block_->records_used = id + 1;
  return id;
}

void ExtentChain::drop(std::uint32_t id) {
  make_odd(records_[id]);
  records_[id].cell_bytes.store(0, std::memory_order_relaxed);
  records_[id].state.store(ExtentState::unused, std::memory_order_release);
  records_[id].next_free = block_->unused_records;
  block_->unused_records = id;
}

void ExtentChain::link(std::uint32_t id) {
  ExtentRecord& record = records_[id];
  std::uint32_t& head = block_->bins[record.is_committed != 0 ? 1 : 0][bin_of(size(id))];
  record.previous_free = 0;
  record.next_free = head;
  if (head != 0) records_[head].previous_free = id;
  head = id;
  if (record.is_committed != 0) block_->kept_bytes += size(id);
}

void ExtentChain::unlink(std::uint32_t id) {
  ExtentRecord& record = records_[id];
  if (record.previous_free != 0) {
    records_[record.previous_free].next_free = record.next_free;
  } else {
    block_->bins[record.is_committed != 0 ? 1 : 0][bin_of(size(id))] = record.next_free;
  }
  if (record.next_free != 0) records_[record.next_free].previous_free = record.previous_free;
  if (record.is_committed != 0) block_->kept_bytes -= size(id);
}

bool ExtentChain::are_alike(std::uint32_t id, std::uint32_t other) const {
  return id != 0 && other != 0 && state(id) == ExtentState::free && state(other) == ExtentState::free &&
         records_[id].is_committed == records_[other].is_committed;
}

bool ExtentChain::can_join(std::uint32_t id, std::uint32_t other) const {
  return are_alike(id, other) &&
         (records_[id].is_committed == 0 || records_[id].owner.load(std::memory_order_relaxed) ==
                                                records_[other].owner.load(std::memory_order_relaxed));
}

// The walk over the chain costs a few steps for each extent that was given back since the last one.
bool ExtentChain::join_kept() {
  constexpr std::uint32_t steps_for_each = 8;
  if (block_->given_since_join < block_->records_used / steps_for_each) return false;
  block_->given_since_join = 0;
  bool has_joined = false;
  for (std::uint32_t id = first(); id != 0; id = next(id)) {
    for (; are_alike(id, next(id)); has_joined = true) join_next(id);
  }
  return has_joined;
}

void ExtentChain::join_next(std::uint32_t id) {
  const std::uint32_t gone = next(id);
  unlink(id);
  unlink(gone);
  records_[id].next.store(next(gone), std::memory_order_release);  // this store joins the two records
  if (next(id) != 0) records_[next(id)].previous = id;
  drop(gone);
  link(id);
}

void ExtentChain::rebuild() {
  std::vector<bool> is_reached(block_->records_used, false);
  for (auto& kind : block_->bins) std::fill(std::begin(kind), std::end(kind), 0u);
  block_->unused_records = 0;
  block_->kept_bytes = 0;
  block_->live_bytes = 0;
  std::uint32_t before = 0;
  for (std::uint32_t id = first(); id != 0; id = next(id)) {
    COMEX_BUG_IF(id >= block_->records_used || is_reached[id]);
    is_reached[id] = true;
    records_[id].previous = before;
    before = id;
    // Without committed pages only the holder of the lock has one in this state.
    if (state(id) == ExtentState::releasing && records_[id].is_committed == 0)
      records_[id].state.store(ExtentState::free, std::memory_order_release);
    if (state(id) == ExtentState::free) {
      link(id);
    } else {
      block_->live_bytes += size(id);
    }
  }
  for (std::uint32_t id = 1; id < block_->records_used; ++id) {
    if (!is_reached[id]) drop(id);
  }
  for (std::uint32_t id = first(); id != 0; id = next(id)) {
    while (can_join(id, next(id))) join_next(id);
  }
  ++block_->rebuilds;
  // The dead holder may have punched pages without a note of it.
  block_->times_given_back.fetch_add(latest_given_back, std::memory_order_release);
}

std::uint64_t ExtentChain::largest_free() const {
  std::uint64_t largest = 0;
  std::uint64_t free = 0;
  for (std::uint32_t id = first(); id != 0; id = next(id)) {
    free = state(id) == ExtentState::free ? free + size(id) : 0;
    largest = std::max(largest, free);
  }
  return largest;
}

}  // namespace comex::shm
