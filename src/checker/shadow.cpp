#include "checker/shadow.h"

#include <algorithm>
#include <iterator>

namespace comex::checker {
namespace {

bool is_of_one_word(Use use) {
  return use != Use::read && use != Use::write && use != Use::accumulate && use != Use::freed;
}

// Whether a later access that conflicts with `earlier` without order does so with `later` as well.
bool replaces(const Access& later, const Access& earlier) {
  if (later.origin != earlier.origin || later.use != earlier.use || later.type != earlier.type ||
      later.done < earlier.done)
    return false;
  return !is_of_one_word(later.use) ||
         (later.value == earlier.value && later.is_polled == earlier.is_polled &&
          later.begin == earlier.begin && later.bytes == earlier.bytes);
}

// So many values of one word are kept of each origin and kind of use: a flag that counts has new ones for
// ever.
constexpr std::ptrdiff_t most_values = 8;

// The oldest of many values that `later` makes one too many; the end if there is none.
auto value_to_forget(std::vector<const Access*>& latest, const Access& later) {
  const auto is_alike = [&](const Access* other) {
    return other->origin == later.origin && other->use == later.use && other->done <= later.done;
  };
  const bool is_full = is_of_one_word(later.use) && std::ranges::count_if(latest, is_alike) >= most_values;
  return is_full ? std::ranges::find_if(latest, is_alike) : latest.end();
}

}  // namespace

// Afterwards no cell lies on both sides of `at`.
void Shadow::split(std::uint64_t at) {
  auto after = cells_.upper_bound(at);
  if (after == cells_.begin()) return;
  const auto cell = std::prev(after);
  if (cell->first == at || cell->second.end <= at) return;
  Cell upper{cell->second.end, cell->second.latest};
  cell->second.end = at;
  cells_.emplace_hint(after, at, std::move(upper));
}

void Shadow::touch(const Access& access, std::uint64_t begin, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t end = begin + bytes;
  split(begin);
  split(end);
  auto cell = cells_.lower_bound(begin);
  for (std::uint64_t at = begin; at < end;) {
    if (cell == cells_.end() || cell->first > at) {  // a gap
      const std::uint64_t gap_end = cell == cells_.end() ? end : std::min(end, cell->first);
      cell = cells_.emplace_hint(cell, at, Cell{gap_end, {}});
    }
    visit(cell->second, access, at);
    at = cell->second.end;
    ++cell;
  }
}

void Shadow::visit(Cell& cell, const Access& access, std::uint64_t begin) {
  if (access.use == Use::allocated) {
    cell.latest.clear();
    return;
  }
  bool is_kept = false;
  const bool is_freeing = access.use == Use::freed;
  for (const Access*& other : cell.latest) {
    const bool is_other = other->origin != access.origin;
    if (is_other || (other->use == Use::freed && !is_freeing)) compare(*other, access, begin, cell.end);
    if (!is_kept && replaces(access, *other)) {
      other = &access;
      is_kept = true;
    }
  }
  if (is_kept) return;
  if (const auto old = value_to_forget(cell.latest, access); old != cell.latest.end()) cell.latest.erase(old);
  cell.latest.push_back(&access);
}

void Shadow::compare(const Access& earlier, const Access& later, std::uint64_t begin, std::uint64_t end) {
  const bool is_ordered = earlier.done <= known_(later, earlier.origin);
  const bool is_gone = earlier.use == Use::freed;
  if (is_ordered ? is_gone : is_gone || conflict(earlier, later))
    found_({&earlier, &later, begin, end - begin});
}

}  // namespace comex::checker
