#include "checker/history.h"

#include <algorithm>
#include <utility>

namespace comex::checker {

std::uint32_t History::row_of(const Clocks& clocks) {
  const auto next = static_cast<std::uint32_t>(tables_.clocks.size() / origins_);
  const auto [row, is_new] = current_rows_.try_emplace(clocks.me(), next);
  if (is_new) tables_.clocks.insert(tables_.clocks.end(), clocks.known().begin(), clocks.known().end());
  return row->second;
}

AccessIndex History::add(Access access, const Region& region, const Clocks& clocks) {
  access.begin = region.begin;
  access.bytes = region.shape.counts[0];
  access.issued = clocks.now();
  access.clocks = row_of(clocks);
  access.origin = static_cast<std::uint16_t>(clocks.me());
  if (!region.shape.contiguous()) {
    tables_.shapes.push_back(region.shape);
    access.shape = static_cast<std::uint32_t>(tables_.shapes.size());
  }
  accesses_.push_back(access);
  return accesses_.size() - 1;
}

void History::fence(std::uint16_t origin, std::uint16_t owner, Time now, AccessIndex limit) {
  const auto found = unfenced_.find({origin, owner});
  if (found == unfenced_.end()) return;
  // They are in the order of their indices.
  const auto end = std::ranges::lower_bound(found->second, limit);
  std::for_each(found->second.begin(), end, [&](AccessIndex access) { finish(access, now); });
  found->second.erase(found->second.begin(), end);
}

void History::fence_range(std::uint16_t origin, std::uint16_t owner, const Range& range, Time now) {
  std::erase_if(unfenced_[{origin, owner}], [&](AccessIndex access) {
    const bool is_inside = range.holds(accesses_[access].begin);
    if (is_inside) finish(access, now);
    return is_inside;
  });
}

void History::drop(AccessIndex access) {
  accesses_[access].bytes = 0;
  accesses_[access].shape = 0;
  finish(access, 0);
}

void History::forget_freed(std::uint64_t begin, std::uint64_t end) {
  for (AccessIndex i = 0; i < accesses_.size(); ++i) {
    if (accesses_[i].use == Use::freed && accesses_[i].range().meets({begin, end})) drop(i);
  }
}

void History::read_word(AccessIndex access, std::int64_t value, bool is_flag) {
  Access& read = accesses_[access];
  read.value = value;
  read.is_polled = is_flag;
  const auto [last, is_first] = last_reads_.try_emplace({read.owner, read.begin}, LastRead{access, value});
  if (is_first) return;
  if (last->second.access != gone) accesses_[last->second.access].is_polled = true;
  if (last->second.value != value) read.is_polled = true;  // the reader sees the word change
  last->second = {access, value};
}

std::vector<AccessIndex> History::forget_done() {
  std::vector<AccessIndex> moved(accesses_.size(), gone);
  const Tables old = std::exchange(tables_, {});
  std::vector<Access> kept;
  for (AccessIndex i = 0; i < accesses_.size(); ++i) {
    Access access = accesses_[i];
    if (access.done != never) continue;
    const auto row = old.clocks.begin() + static_cast<std::ptrdiff_t>(access.clocks * origins_);
    tables_.clocks.insert(tables_.clocks.end(), row, row + static_cast<std::ptrdiff_t>(origins_));
    access.clocks = static_cast<std::uint32_t>(tables_.clocks.size() / origins_ - 1);
    if (access.shape != 0) {
      tables_.shapes.push_back(old.shapes[access.shape - 1]);
      access.shape = static_cast<std::uint32_t>(tables_.shapes.size());
    }
    moved[i] = kept.size();
    kept.push_back(access);
  }
  accesses_ = std::move(kept);
  current_rows_.clear();
  // What was last read before the meeting is kept until the next one, and no longer.
  std::erase_if(last_reads_, [](const auto& read) { return read.second.access == gone; });
  for (auto& [word, last] : last_reads_) last.access = moved[last.access];
  for (auto& [side, indices] : unfenced_) {
    for (AccessIndex& index : indices) index = moved[index];
    std::erase(indices, gone);  // what was refused is done before its fence
  }
  return moved;
}

}  // namespace comex::checker
