#include "groups/connection_table.h"

#include <algorithm>
#include <utility>

namespace comex::groups {

ConnectionTable ConnectionTable::from(std::span<const Lpid> lpids) {
  const auto size = static_cast<std::uint32_t>(lpids.size());
  if (size == 0) return {};
  if (size == 1) return range(lpids[0], 1);
  const Lpid stride = lpids[1] - lpids[0];
  bool is_even = true;  // a stride of 0 counts too; only has_duplicates checks it
  for (std::size_t i = 2; is_even && i < lpids.size(); ++i) is_even = lpids[i] - lpids[i - 1] == stride;
  if (is_even) return ConnectionTable(lpids[0], stride, size);

  auto list = std::make_shared<List>();
  list->by_rank.assign(lpids.begin(), lpids.end());
  list->sorted.reserve(lpids.size());
  for (std::uint32_t rank = 0; rank < size; ++rank) list->sorted.emplace_back(lpids[rank], rank);
  std::sort(list->sorted.begin(), list->sorted.end());
  ConnectionTable table;
  table.size_ = size;
  table.list_ = std::move(list);
  return table;
}

std::vector<Lpid> ConnectionTable::lpids() const {
  std::vector<Lpid> all(size_);
  for (std::uint32_t rank = 0; rank < size_; ++rank) all[rank] = lpid(rank);
  return all;
}

std::vector<Lpid> ConnectionTable::lpids(std::span<const std::uint32_t> ranks) const {
  std::vector<Lpid> some;
  some.reserve(ranks.size());
  for (const std::uint32_t rank : ranks) some.push_back(lpid(rank));
  return some;
}

int ConnectionTable::rank_of(Lpid lpid) const {
  if (size_ == 0) return -1;
  if (!list_) {
    const Lpid away = lpid - first_;
    if (stride_ == 0) return away == 0 ? 0 : -1;
    if (away % stride_ != 0) return -1;
    const Lpid rank = away / stride_;
    return rank >= 0 && static_cast<std::uint32_t>(rank) < size_ ? rank : -1;
  }
  const auto found = std::lower_bound(list_->sorted.begin(), list_->sorted.end(), std::pair(lpid, 0u));
  if (found == list_->sorted.end() || found->first != lpid) return -1;
  return static_cast<int>(found->second);
}

bool ConnectionTable::has_duplicates() const {
  if (!list_) return stride_ == 0 && size_ > 1;
  const auto& sorted = list_->sorted;
  return std::adjacent_find(sorted.begin(), sorted.end(),
                            [](const auto& a, const auto& b) { return a.first == b.first; }) != sorted.end();
}

bool ConnectionTable::lies_below(Lpid bound) const {
  if (size_ == 0) return true;
  if (list_) return list_->sorted.front().first >= 0 && list_->sorted.back().first < bound;
  const Lpid last = first_ + static_cast<Lpid>(size_ - 1) * stride_;
  return std::min(first_, last) >= 0 && std::max(first_, last) < bound;
}

}  // namespace comex::groups
