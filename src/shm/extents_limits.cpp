// Decides how much memory the arena may promise, and commits pages unless they are allocated on touch.
#include <algorithm>

#include "shm/extents.h"

namespace comex::shm {

namespace {

constexpr std::uint64_t commit_step_bytes = 16ULL << 20;
constexpr std::uint64_t limits_last_ns = 1'000'000'000;  // afterwards others may have used some of it
constexpr std::uint64_t unused_ns = 10'000'000'000;      // kept memory goes back after so long without use
constexpr std::uint64_t trim_step_bytes = 64ULL << 20;  // a progress rank serves nobody meanwhile: some 20 ms
constexpr std::uint64_t between_steps_ns = 100'000;
constexpr std::uint64_t kept_share = 4;  // the share of the free memory that may be kept: one part in four

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? ~std::uint64_t{0} : a + b;
}

}  // namespace

// Kept memory counts like live memory, because its pages may exist.
bool Extents::is_promised() const {
  const ExtentsBlock& block = *place_.block;
  return !place_.on_touch || block.live_bytes + block.kept_bytes <= block.most_bytes;
}

bool Extents::trim_to_promise() {
  const ExtentsBlock& block = *place_.block;
  if (block.live_bytes <= block.most_bytes)
    trim(round_up(block.live_bytes + block.kept_bytes - block.most_bytes, span_bytes));
  return is_promised();
}

bool Extents::may_fit(std::uint64_t whole) const {
  const ExtentsBlock& block = *place_.block;
  return block.live_bytes + whole <= block.most_bytes && whole <= chain_.largest_free();
}

OutOfMemory Extents::memory_ended(MemoryLimits limits, std::uint64_t whole) const {
  const ExtentsBlock& block = *place_.block;
  if (place_.on_touch) {
    limits.bytes = block.most_bytes - std::min(block.most_bytes, block.live_bytes);
    limits.file_bytes = ~0ULL;  // it bounds what is committed
  } else {
    limits.bytes = saturated_sum(limits.bytes, block.kept_bytes);
  }
  return out_of_memory_in(limits, place_.geometry.data_offset + block.live_bytes, whole);
}

bool Extents::are_limits_old() const {
  const std::uint64_t read_ns = place_.block->limits_read_ns.load(std::memory_order_relaxed);
  return read_ns == 0 || place_.os->now_ns() - read_ns > limits_last_ns;
}

std::uint64_t Extents::most_kept() const {
  return place_.keep_bytes == keep_a_share ? place_.block->most_kept_bytes : place_.keep_bytes;
}

// Reading the limits of a host takes some hundred microseconds, so the host's ranks share one answer for a
// while.
MemoryLimits Extents::read_limits() {
  const std::uint64_t resident_bytes = place_.os->resident_bytes(*place_.object);
  MemoryLimits limits = place_.os->memory_limits(place_.object->backing());
  const LockGuard lock(*this);
  ExtentsBlock& block = *place_.block;
  // Without an answer, since the process has no descriptor left perhaps, the last one holds.
  if (!limits.is_unknown() || block.limits_read_ns.load(std::memory_order_relaxed) == 0) {
    const std::uint64_t most = saturated_sum(limits.bytes, resident_bytes);
    block.most_bytes = most - std::min(most, limits.used_spare_bytes);
    block.most_kept_bytes = saturated_sum(limits.bytes, block.kept_bytes) / kept_share;
  }
  block.limits_read_ns.store(place_.os->now_ns(), std::memory_order_relaxed);
  if (block.kept_bytes > most_kept())  // others need the memory now
    trim(round_up(block.kept_bytes - most_kept(), span_bytes));
  return limits;
}

bool Extents::commit(std::uint32_t id, OutOfMemory& out_of_memory) {
  if (records_[id].is_committed != 0) return true;
  if (place_.on_touch) {
    records_[id].is_committed = 1;  // its pages may exist from now on
    return true;
  }
  const std::uint64_t offset = chain_.offset(id);
  const std::uint64_t bytes = chain_.size(id);
  const bool large_pages = place_.large_pages && records_[id].is_placed == 0;  // placed pages move one by one
  for (int attempt = 0; attempt < 2; ++attempt) {
    const bool is_announced = announce(offset, bytes, out_of_memory);
    if (is_announced && commit_steps(offset, bytes, large_pages, out_of_memory)) {
      records_[id].is_committed = 1;
      return true;
    }
    const LockGuard lock(*this);
    if (is_announced) note_given_back(offset, bytes);  // commit_steps() has punched it
    // Kept memory counts against the same limit, unless that is of a file's size.
    if (!is_announced && out_of_memory.limit != Limit::file_size)
      out_of_memory.free_bytes = saturated_sum(out_of_memory.free_bytes, place_.block->kept_bytes);
    const bool is_enough = is_announced || bytes + out_of_memory.others_bytes <= out_of_memory.free_bytes;
    if (!is_enough || !trim()) return false;
  }
  return false;
}

// All ranks of the host allocate at the same time, and threads of this one. What does not fit by itself is
// not announced, or it would keep out what fits.
bool Extents::announce(std::uint64_t offset, std::uint64_t bytes, OutOfMemory& out_of_memory) {
  const auto look = [&] {
    const MemoryLimits limits = place_.os->memory_limits(place_.object->backing());
    out_of_memory = out_of_memory_in(limits, offset, bytes);
    return limits.bytes;
  };
  look();
  if (bytes > out_of_memory.free_bytes) return false;
  const std::uint64_t others_bytes =
      committing(place_.slot).fetch_add(bytes, std::memory_order_seq_cst) + others_committing();
  const std::uint64_t left = look();  // some may have been committed before this was announced
  out_of_memory.others_bytes = others_bytes;
  const bool is_within = bytes <= out_of_memory.free_bytes && bytes + others_bytes <= left;
  if (!is_within) committing(place_.slot).fetch_sub(bytes, std::memory_order_relaxed);
  return is_within;
}

std::uint64_t Extents::bytes_of_slots(std::atomic<std::uint64_t> SlotMemory::*what,
                                      std::optional<HostSlot> but) const {
  std::uint64_t sum = 0;
  for (HostSlot slot = 0; slot < place_.geometry.slots; ++slot) {
    const std::uint64_t bytes = (memory_of(slot).*what).load(std::memory_order_seq_cst);
    if (bytes != 0 && slot != but && place_.os->is_alive(*place_.object, slot)) sum += bytes;
  }
  return sum;
}

// On failure, nothing is left committed or announced.
bool Extents::commit_steps(std::uint64_t offset, std::uint64_t bytes, bool large_pages,
                           OutOfMemory& out_of_memory) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t begin = offset + done;
    // Each step ends at a multiple of the step size, so that no large page is cut.
    const std::uint64_t step = std::min(commit_step_bytes - begin % commit_step_bytes, bytes - done);
    large_pages = large_pages && place_.os->grant_large_pages(*place_.object, begin, step);
    if (const Status grown = place_.os->extend(*place_.object, begin, step); !grown) {
      static_cast<void>(place_.os->punch(*place_.object, offset, done + step));
      out_of_memory = out_of_memory_met(*place_.os, *place_.object, offset, bytes, grown.failure());
      out_of_memory.others_bytes = others_committing();
      committing(place_.slot).fetch_sub(bytes - done, std::memory_order_relaxed);
      return false;
    }
    committing(place_.slot).fetch_sub(step, std::memory_order_relaxed);
    done += step;
  }
  return true;
}

SlotMemory& Extents::memory_of(HostSlot slot) const {
  auto* const first = reinterpret_cast<std::byte*>(place_.first_slot);
  return *reinterpret_cast<SlotMemory*>(first + slot * place_.slot_stride);
}

std::uint64_t Extents::give_back_unused() {
  if (place_.keep_bytes != keep_a_share) return unused_ns;  // the user has said how much stays
  const std::uint64_t kept_ns = place_.block->last_kept_ns.load(std::memory_order_relaxed);
  if (kept_ns == 0) return unused_ns;  // memory kept from now on cannot become unused earlier
  const std::uint64_t unused_for_ns = place_.os->now_ns() - kept_ns;
  if (unused_for_ns < unused_ns) return unused_ns - unused_for_ns;
  const LockGuard lock(*this, LockGuard::Try{});
  if (!lock) return unused_ns;
  ExtentsBlock& block = *place_.block;
  const std::uint64_t kept = block.kept_bytes;
  trim(trim_step_bytes);
  return block.kept_bytes == 0 || block.kept_bytes == kept ? unused_ns : between_steps_ns;
}

bool Extents::trim(std::uint64_t most) {
  const std::vector<std::uint32_t> kept = chain_.kept();
  for (const std::uint32_t id : kept) {
    if (chain_.state(id) != ExtentState::free) continue;  // joined with one that was not punched
    if (most == 0) break;
    OutOfMemory no_record;  // then it goes back whole
    if (chain_.size(id) > most) static_cast<void>(chain_.split(id, most, no_record));
    const std::uint64_t bytes = chain_.size(id);
    most -= std::min(most, bytes);
    chain_.mark_uncommitted(id);
    const Status punched = place_.os->punch(*place_.object, chain_.offset(id), bytes);
    note_given_back(chain_.offset(id), bytes);
    chain_.give(id, !punched);
  }
  if (place_.block->kept_bytes == 0) place_.block->last_kept_ns.store(0, std::memory_order_relaxed);
  return !kept.empty();
}

// Called after the punch: who registers the pages meanwhile gets those that stay.
void Extents::note_given_back(std::uint64_t offset, std::uint64_t bytes) {
  ExtentsBlock& block = *place_.block;
  const std::uint64_t times = block.times_given_back.load(std::memory_order_relaxed);
  GivenBack& latest = block.given_back[times % latest_given_back];
  std::atomic_thread_fence(std::memory_order_release);  // who sees this entry changed sees `times` below
  latest.offset.store(offset, std::memory_order_relaxed);
  latest.bytes.store(bytes, std::memory_order_relaxed);
  block.times_given_back.store(times + 1, std::memory_order_release);
}

std::uint64_t Extents::find_given_back_anew(std::uint64_t seen) const {
  const ExtentsBlock& block = *place_.block;
  const std::uint64_t times = times_given_back();
  bool all_known = times - seen < latest_given_back;
  for (std::uint64_t at = seen; all_known && at != times; ++at) {
    const GivenBack& range = block.given_back[at % latest_given_back];
    const std::uint64_t offset = range.offset.load(std::memory_order_relaxed);
    const std::uint64_t bytes = range.bytes.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    // The entry of `seen` is written again once others have been, and may be in parts by now.
    all_known = block.times_given_back.load(std::memory_order_relaxed) - at < latest_given_back;
    if (all_known) place_.os->find_pages_anew(place_.base + offset, bytes);
  }
  const std::uint64_t data = place_.geometry.data_offset;
  if (!all_known) place_.os->find_pages_anew(place_.base + data, place_.geometry.reservation_bytes - data);
  return times;
}

}  // namespace comex::shm
