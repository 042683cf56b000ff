#include "checker/pending.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace comex::checker {

std::uint64_t checksum(const Region& region) {
  std::uint64_t sum = 0;
  for_each_run(region.shape, region.begin, [&](std::uint64_t at, std::uint64_t bytes) {
    sum = 31 * sum + std::hash<std::string_view>()({reinterpret_cast<const char*>(at), bytes});
  });
  return sum;
}

int Pending::add(Started started) {
  while (started_.contains(next_)) advance();
  const int handle = next_;
  advance();
  started.serial = next_serial_++;
  for (const Buffer& buffer : started.buffers) {
    buffers_.emplace(buffer.region.begin, std::pair(handle, buffer));
    longest_ = std::max(longest_, buffer.region.end() - buffer.region.begin);
  }
  started_.emplace(handle, std::move(started));
  return handle;
}

void Pending::advance() {
  next_ = next_ + 1 == end_ ? first_handle : next_ + 1;
}

Started* Pending::find(int handle) {
  const auto found = started_.find(handle);
  return found == started_.end() ? nullptr : &found->second;
}

void Pending::remove_buffers(int handle, const Started& started) {
  for (const Buffer& buffer : started.buffers) {
    auto [first, last] = buffers_.equal_range(buffer.region.begin);
    const auto found = std::find_if(first, last, [&](const auto& row) { return row.second.first == handle; });
    if (found != last) buffers_.erase(found);
  }
}

std::optional<Started> Pending::take(int handle) {
  auto taken = started_.extract(handle);
  if (taken.empty()) return std::nullopt;
  remove_buffers(handle, taken.mapped());
  return std::move(taken.mapped());
}

std::optional<Started> Pending::settle(int handle, int refusal) {
  Started* const found = find(handle);
  if (found == nullptr || found->is_settled) return std::nullopt;
  Started started = *found;
  remove_buffers(handle, started);
  *found = {.serial = started.serial,
            .real_handle = started.real_handle,
            .ending = started.ending,
            .is_settled = true,
            .is_write = started.is_write,
            .origin = started.origin,
            .owner = started.owner,
            .site = started.site,
            .refusal = refusal};
  return started;
}

std::optional<Pending::Clash> Pending::clash(const Buffer& buffer) const {
  if (buffers_.empty() || buffer.region.shape.empty()) return std::nullopt;
  const std::uint64_t begin = buffer.region.begin;
  for (auto it = buffers_.lower_bound(begin - std::min(begin, longest_)); it != buffers_.end(); ++it) {
    if (it->first >= buffer.region.end()) break;
    const auto& [handle, other] = it->second;
    if (!buffer.is_filled && !other.is_filled) continue;
    if (const auto byte = common_byte(buffer.region, other.region))
      return Clash{&started_.at(handle), other.is_filled, *byte};
  }
  return std::nullopt;
}

void Pending::accesses_moved(const std::vector<AccessIndex>& moved) {
  for (auto& [handle, started] : started_) {
    for (AccessIndex& access : started.accesses) access = moved[access];
    for (AccessIndex& access : started.others) access = moved[access];
    std::erase(started.accesses, History::gone);
    std::erase(started.others, History::gone);
    while (started.covers > 0 && moved[started.covers - 1] == History::gone) --started.covers;
    if (started.covers > 0) started.covers = moved[started.covers - 1] + 1;
    if (started.word) started.word->access = moved[started.word->access];
  }
}

}  // namespace comex::checker
