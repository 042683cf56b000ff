#include "shm/extents.h"

#include <algorithm>

#include "shm/extents_held.h"

namespace comex::shm {

namespace {

constexpr std::uint64_t commit_step_bytes = 16ULL << 20;
constexpr std::uint64_t entries_per_chunk = commit_chunk_bytes / sizeof(std::uint32_t);

std::uint64_t data_pages(const Geometry& geometry) {
  return (geometry.reservation_bytes - geometry.data_offset) / page_bytes;
}

}  // namespace

Extents::Extents(const Place& place)
    : place_(place),
      records_(reinterpret_cast<ExtentRecord*>(place.base + place.geometry.records_offset)),
      table_(reinterpret_cast<std::atomic<std::uint32_t>*>(place.base + place.geometry.table_offset)),
      chain_(*place.block, records_, place.geometry) {}

std::uint64_t Extents::first_bytes(const Geometry& geometry) {
  const std::uint64_t records = geometry.max_records * sizeof(ExtentRecord);
  return geometry.records_offset + std::min(commit_chunk_bytes, round_up(records, page_bytes));
}

void Extents::format() {
  chain_.format();
}

// ---- taking ----

Result<Extent> Extents::allocate(Worker owner, std::uint64_t bytes, std::uint64_t allocation, Pages pages) {
  if (bytes == 0) return caller_error("an extent of 0 bytes");
  Shortage shortage;
  const std::uint32_t id = reserve(owner, bytes, allocation, pages, shortage);
  if (id == 0) return does_not_fit(owner, bytes, shortage);
  if (!commit(id, shortage)) {
    {
      const Held held(*this);
      place_.block->live_bytes -= chain_.size(id);
      chain_.give(id, false);
    }
    return does_not_fit(owner, bytes, shortage);
  }
  publish(id);
  return Extent{chain_.offset(id), bytes, round_up(bytes, page_bytes), owner, allocation};
}

std::uint32_t Extents::reserve(Worker owner, std::uint64_t bytes, std::uint64_t allocation, Pages pages,
                               Shortage& shortage) {
  const std::uint64_t whole = round_up(bytes, page_bytes);
  const bool can_be = whole >= bytes && whole <= place_.geometry.reservation_bytes;  // rounding may wrap
  for (int attempt = 0; can_be && attempt < 2; ++attempt) {
    const Held held(*this);
    const std::optional<std::uint32_t> taken = take_covered(owner, whole, pages, shortage);
    const std::uint32_t id = taken.value_or(0);
    if (id == 0) {
      // What is kept counts against the same limits; and kept and never-granted space are not joined:
      // after the punch they may be one.
      if (attempt == 0 && trim()) continue;
      if (!taken) return 0;
      break;
    }
    records_[id].offset.store(chain_.offset(id), std::memory_order_release);
    records_[id].bytes.store(bytes, std::memory_order_release);
    records_[id].owner.store(owner, std::memory_order_release);
    records_[id].allocation = allocation;
    records_[id].is_placed = pages == Pages::placed ? 1 : 0;
    return id;
  }
  const MemoryRoom room = place_.os->room(place_.object->backing());
  const Held held(*this);
  const Shortage met = shortage_in(room, place_.geometry.data_offset + place_.block->live_bytes, whole);
  shortage = {};
  shortage.free_bytes = chain_.largest_free();
  // More address space would not help where there is less memory than that.
  if (met.free_bytes < shortage.free_bytes && whole > met.free_bytes) shortage = met;
  return 0;
}

// Under the lock. Space whose part of the table exists; 0: no such space is free; none: it is, but there is
// no room for the books about it.
std::optional<std::uint32_t> Extents::take_covered(Worker owner, std::uint64_t whole, Pages pages,
                                                   Shortage& shortage) {
  const std::optional<std::uint32_t> taken =
      chain_.take(*place_.os, *place_.object, owner, whole, pages, shortage);
  if (!taken || *taken == 0) return taken;
  if (!grow_table(chain_.offset(*taken) + whole, shortage)) {
    chain_.give(*taken, records_[*taken].is_committed != 0);
    return std::nullopt;
  }
  place_.block->live_bytes += whole;
  return taken;
}

// The table covers the data area from its start without a gap, so that a check needs one comparison.
bool Extents::grow_table(std::uint64_t end, Shortage& shortage) {
  std::atomic<std::uint32_t>& covered = place_.block->table_pages;
  const std::uint64_t have = covered.load(std::memory_order_relaxed);
  const std::uint64_t need = (end - place_.geometry.data_offset) / page_bytes;
  if (need <= have) return true;
  const std::uint64_t entries =
      std::min(round_up(need, entries_per_chunk), round_up(data_pages(place_.geometry), entries_per_chunk));
  const std::uint64_t begin = place_.geometry.table_offset + have * sizeof(std::uint32_t);
  const std::uint64_t bytes = (entries - have) * sizeof(std::uint32_t);
  if (!extend_or_tell(*place_.os, *place_.object, begin, bytes, shortage)) {
    shortage.records_bytes = bytes;
    return false;
  }
  covered.store(static_cast<std::uint32_t>(entries), std::memory_order_release);
  return true;
}

bool Extents::commit(std::uint32_t id, Shortage& shortage) {
  if (records_[id].is_committed != 0) return true;
  const std::uint64_t offset = chain_.offset(id);
  const std::uint64_t bytes = round_up(records_[id].bytes.load(std::memory_order_relaxed), page_bytes);
  const bool large_pages = place_.large_pages && records_[id].is_placed == 0;  // placed pages move one by one
  for (int attempt = 0; attempt < 2; ++attempt) {
    committing(place_.slot).fetch_add(bytes, std::memory_order_seq_cst);
    const bool has_room = is_within_room(offset, bytes, shortage);
    if (has_room && commit_steps(offset, bytes, large_pages, shortage)) {
      records_[id].is_committed = 1;
      return true;
    }
    if (!has_room) committing(place_.slot).fetch_sub(bytes, std::memory_order_relaxed);
    const Held held(*this);
    if (!trim()) return false;  // what is kept for reuse counts against the same limit
  }
  return false;
}

// What everybody of the host is just now committing counts: ranks allocate at the same time.
bool Extents::is_within_room(std::uint64_t offset, std::uint64_t bytes, Shortage& shortage) {
  const MemoryRoom room = place_.os->room(place_.object->backing());
  shortage = shortage_in(room, offset, bytes);
  if (bytes > shortage.free_bytes) return false;
  shortage.others_bytes = others_committing();
  return bytes + shortage.others_bytes <= room.bytes;
}

std::uint64_t Extents::others_committing() const {
  std::uint64_t sum = 0;
  for (HostSlot slot = 0; slot < place_.geometry.slots; ++slot) {
    const std::uint64_t theirs = committing(slot).load(std::memory_order_seq_cst);
    const bool counts = theirs != 0 && slot != place_.slot && place_.os->is_alive(*place_.object, slot);
    if (counts) sum += theirs;
  }
  return sum;
}

// Leaves nothing committed, and nothing announced, when it fails.
bool Extents::commit_steps(std::uint64_t offset, std::uint64_t bytes, bool large_pages, Shortage& shortage) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t begin = offset + done;
    // To the next multiple of a step, so that no large page is cut.
    const std::uint64_t step = std::min(commit_step_bytes - begin % commit_step_bytes, bytes - done);
    large_pages = large_pages && place_.os->grant_large_pages(*place_.object, begin, step);
    if (const Status grown = place_.os->extend(*place_.object, begin, step); !grown) {
      static_cast<void>(place_.os->punch(*place_.object, offset, done + step));
      shortage = shortage_met(*place_.os, *place_.object, offset, bytes, grown.failure());
      shortage.others_bytes = others_committing();
      committing(place_.slot).fetch_sub(bytes - done, std::memory_order_relaxed);
      return false;
    }
    committing(place_.slot).fetch_sub(step, std::memory_order_relaxed);
    done += step;
  }
  return true;
}

void Extents::publish(std::uint32_t id) {
  const std::uint64_t first = (chain_.offset(id) - place_.geometry.data_offset) / page_bytes;
  const std::uint64_t bytes = records_[id].bytes.load(std::memory_order_relaxed);
  const std::uint64_t end = first + round_up(bytes, page_bytes) / page_bytes;
  for (std::uint64_t page = first; page < end; ++page) table_[page].store(id, std::memory_order_release);
  records_[id].state.store(ExtentState::live, std::memory_order_release);
  records_[id].version.fetch_add(1, std::memory_order_release);  // even: checks pass from here on
}

// ---- giving back ----

std::uint32_t Extents::locate(std::uint64_t offset) const {
  if (offset < place_.geometry.data_offset) return 0;
  const std::uint64_t page = (offset - place_.geometry.data_offset) / page_bytes;
  if (page >= place_.block->table_pages.load(std::memory_order_acquire)) return 0;
  const std::uint32_t id = table_[page].load(std::memory_order_acquire);
  return id != 0 && records_[id].offset.load(std::memory_order_acquire) == offset ? id : 0;
}

std::uint64_t Extents::placed_bytes(std::uint64_t offset) const {
  const std::uint32_t id = locate(offset);
  if (id == 0 || records_[id].is_placed == 0) return 0;
  return round_up(records_[id].bytes.load(std::memory_order_acquire), page_bytes);
}

Status Extents::retire(std::uint64_t offset) {
  const std::uint32_t id = locate(offset);
  ExtentState expected = ExtentState::live;
  if (id == 0 || !records_[id].state.compare_exchange_strong(expected, ExtentState::retired)) {
    return caller_error("arena offset " + std::to_string(offset) + " is not the start of an allocation");
  }
  records_[id].version.fetch_add(1, std::memory_order_seq_cst);
  return {};
}

Status Extents::release(std::uint64_t offset) {
  const std::uint32_t id = locate(offset);
  if (id != 0 && records_[id].state.load(std::memory_order_acquire) == ExtentState::live) {
    if (Status retired = retire(offset); !retired) return retired;
  }
  ExtentState expected = ExtentState::retired;
  if (id == 0 || !records_[id].state.compare_exchange_strong(expected, ExtentState::releasing)) {
    return caller_error("arena offset " + std::to_string(offset) + " is not the start of an allocation");
  }
  std::uint64_t bytes = 0;
  {
    const Held held(*this);
    bytes = chain_.size(id);
    place_.block->live_bytes -= bytes;
    if (records_[id].is_placed == 0 && place_.block->kept_bytes + bytes <= place_.keep_bytes) {
      chain_.give(id, true);
      return {};
    }
    place_.block->live_bytes += bytes;  // until its pages are gone, which takes long: outside of the lock
  }
  const Status punched = place_.os->punch(*place_.object, offset, bytes);
  const Held held(*this);
  place_.block->live_bytes -= bytes;
  chain_.give(id, !punched);  // what could not be punched is still there
  return {};
}

bool Extents::trim() {
  const std::vector<std::uint32_t> kept = chain_.kept();
  for (const std::uint32_t id : kept) {
    if (chain_.state(id) != ExtentState::free) continue;  // joined with one that could not be punched
    const std::uint64_t bytes = chain_.size(id);
    chain_.mark_punched(id);
    const Status punched = place_.os->punch(*place_.object, chain_.offset(id), bytes);
    chain_.give(id, !punched);
  }
  return !kept.empty();
}

std::atomic<std::uint64_t>& Extents::committing(HostSlot slot) const {
  auto* const first = reinterpret_cast<std::byte*>(place_.committing);
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(first + slot * place_.committing_stride);
}

}  // namespace comex::shm
