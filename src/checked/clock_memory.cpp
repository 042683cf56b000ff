#include "checked/clock_memory.h"

#include <comex.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "checked/next.h"

namespace comex::checker {
namespace {

constexpr std::size_t rows_of_words = 509;

void must(int code) {
  if (code != COMEX_SUCCESS) next<&comex_error>("comex_error")("comex check: its own memory failed", 1);
}

}  // namespace

ClockMemory::ClockMemory(int workers, int me, int origins)
    : origins_(static_cast<std::size_t>(origins)),
      endpoints_(static_cast<std::size_t>(origins / workers)),
      me_(me),
      parts_(static_cast<std::size_t>(workers)) {
  const std::size_t bytes = bytes_of_rows() + freed_ranges * sizeof(Range) + calls_each * sizeof(Time);
  must(next<&comex_malloc>("comex_malloc")(parts_.data(), bytes, COMEX_GROUP_WORLD));
  std::memset(parts_[static_cast<std::size_t>(me)], 0, bytes);
  must(next<&comex_barrier>("comex_barrier")(COMEX_GROUP_WORLD));
}

void ClockMemory::free() {
  must(next<&comex_free>("comex_free")(parts_[static_cast<std::size_t>(me_)], COMEX_GROUP_WORLD));
}

std::size_t ClockMemory::first_row_of_words() const {
  return first_row_of_sent + parts_.size() + endpoints_;
}

std::size_t ClockMemory::bytes_of_rows() const {
  return (first_row_of_words() + rows_of_words) * 2 * origins_ * sizeof(Time);
}

ClockRow ClockMemory::met(int worker, int endpoint) const {
  return {worker, first_row_of_sent + parts_.size() + static_cast<std::size_t>(endpoint)};
}

Time* ClockMemory::call(int worker, int endpoint) const {
  return reinterpret_cast<Time*>(freed(worker) + freed_ranges) + endpoint;
}

void ClockMemory::note_call(int endpoint, Time number) const {
  std::atomic_ref(*call(me_, endpoint)).store(number, std::memory_order_release);
}

Time ClockMemory::call_of(int worker, int endpoint) const {
  Time number = 0;
  must(next<&comex_get_x>("comex_get_x")(call(worker, endpoint), &number, sizeof number, worker,
                                         COMEX_GROUP_WORLD));
  return number;
}

ClockRow ClockMemory::word(int owner, std::uint64_t address) const {
  return {owner, first_row_of_words() + address / 4 * 2654435761U % rows_of_words};
}

ClockRow ClockMemory::mutex(int owner, int number) const {
  return word(owner, ~static_cast<std::uint64_t>(number) * 4);
}

Time* ClockMemory::address(const ClockRow& row) const {
  return static_cast<Time*>(parts_[static_cast<std::size_t>(row.owner)]) + row.index * 2 * origins_;
}

Range* ClockMemory::freed(int owner) const {
  return reinterpret_cast<Range*>(static_cast<char*>(parts_[static_cast<std::size_t>(owner)]) +
                                  bytes_of_rows());
}

void ClockMemory::note_freed(std::uint64_t begin, std::uint64_t end) {
  Range& range = freed(me_)[next_freed_++ % freed_ranges];
  forget(range);
  std::atomic_ref(range.begin).store(begin, std::memory_order_release);
  std::atomic_ref(range.end).store(end, std::memory_order_release);
}

void ClockMemory::note_allocated(std::uint64_t begin, std::uint64_t end) {
  for (Range& range : std::span(freed(me_), freed_ranges))
    if (range.meets({begin, end})) forget(range);
}

// Its end first, so that whoever reads it meanwhile does not find the begin of one range with the end of
// another.
void ClockMemory::forget(Range& range) {
  std::atomic_ref(range.end).store(0, std::memory_order_release);
}

ClockMemory::Ranges ClockMemory::read_freed(int owner) const {
  Ranges ranges{};
  must(next<&comex_get_x>("comex_get_x")(freed(owner), ranges.data(), sizeof ranges, owner,
                                         COMEX_GROUP_WORLD));
  return ranges;
}

bool ClockMemory::is_freed(int owner, std::uint64_t begin, std::uint64_t end) const {
  const auto meets = [&](const Range& range) { return range.meets({begin, end}); };
  const Ranges ranges = read_freed(owner);
  if (std::ranges::none_of(ranges, meets)) return false;
  // The owner may have been writing one of them: then the second look finds it changed.
  const Ranges again = read_freed(owner);
  return std::ranges::any_of(ranges, [&](const Range& range) {
    return meets(range) && std::ranges::find(again, range) != again.end();
  });
}

void ClockMemory::raise(const ClockRow& row, std::span<const Time> clocks) const {
  must(next<&comex_acc_op>("comex_acc_op")(COMEX_OP_MAX, COMEX_ACC_LNG, clocks.data(), address(row),
                                           clocks.size_bytes(), row.owner, COMEX_GROUP_WORLD));
}

std::vector<Time> ClockMemory::read(const ClockRow& row) const {
  std::vector<Time> clocks(2 * origins_);
  must(next<&comex_get_x>("comex_get_x")(address(row), clocks.data(), clocks.size() * sizeof(Time), row.owner,
                                         COMEX_GROUP_WORLD));
  return clocks;
}

}  // namespace comex::checker
