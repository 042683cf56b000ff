#include "core/scatter.h"

#include <algorithm>
#include <string>
#include <vector>

namespace comex {
namespace {

Failure null_segment(const char* side, std::uint64_t index) {
  return caller_error("vector operation: " + std::string(side) + " segment " + std::to_string(index) +
                      " is a null pointer");
}

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

struct Interval {
  std::uintptr_t begin;
  std::uintptr_t end;
};

// Decides the common case, segments in ascending order, by one pass.
bool ascends_without_overlap(std::span<const Scatter> scatters, Side side) {
  std::uintptr_t end = 0;
  for (const Scatter& scatter : scatters) {
    if (scatter.bytes == 0) continue;
    void* const* addresses = scatter.addresses(side);
    for (std::uint64_t i = 0; i < scatter.count; ++i) {
      if (number(addresses[i]) < end) return false;
      end = number(addresses[i]) + scatter.bytes;
    }
  }
  return true;
}

}  // namespace

Result<Scatter> make_scatter(void* const* near, void* const* far, int count, int bytes,
                             unsigned element_bytes) {
  if (count < 0)
    return caller_error("vector operation: segment count " + std::to_string(count) + " is negative");
  if (bytes < 0)
    return caller_error("vector operation: segment size " + std::to_string(bytes) + " is negative");
  Scatter scatter{near, far, static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(bytes)};
  scatter.bytes -= scatter.bytes % element_bytes;
  if (scatter.empty()) return Scatter{};
  if (near == nullptr || far == nullptr)
    return caller_error("vector operation: an address array is a null pointer");
  for (std::uint64_t i = 0; i < scatter.count; ++i) {
    if (near[i] == nullptr) return null_segment("origin-side", i);
    if (far[i] == nullptr) return null_segment("target-side", i);
  }
  return scatter;
}

bool segments_overlap(std::span<const Scatter> scatters, Side side) {
  if (ascends_without_overlap(scatters, side)) return false;
  std::vector<Interval> intervals;
  for (const Scatter& scatter : scatters) {
    if (scatter.bytes == 0) continue;
    void* const* addresses = scatter.addresses(side);
    for (std::uint64_t i = 0; i < scatter.count; ++i)
      intervals.push_back({number(addresses[i]), number(addresses[i]) + scatter.bytes});
  }
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  // No interval is empty, so that one that meets any other meets its successor.
  for (std::size_t i = 1; i < intervals.size(); ++i)
    if (intervals[i].begin < intervals[i - 1].end) return true;
  return false;
}

Segment SegmentCursor::peek(std::uint64_t max_bytes) const {
  if (done()) return {};
  return {static_cast<std::byte*>(scatter_.near[index_]) + in_segment_,
          static_cast<std::byte*>(scatter_.far[index_]) + in_segment_,
          std::min(max_bytes, scatter_.bytes - in_segment_)};
}

void SegmentCursor::advance(std::uint64_t bytes) {
  in_segment_ += bytes;
  if (in_segment_ < scatter_.bytes || done()) return;
  in_segment_ = 0;
  ++index_;
}

}  // namespace comex
