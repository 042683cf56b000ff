#include "core/scatter.h"

#include <algorithm>
#include <bit>
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

// Which segments may share a byte with another? Memory is cut into blocks that no segment is larger than, so
// that a segment lies in one or two and two that share a byte have a block in common. A block is a bit, some
// share one: what has its bit to itself is alone.
class BlockBits {
 public:
  BlockBits(std::uint64_t segments, std::uint64_t largest)
      : block_shift_(static_cast<unsigned>(std::bit_width(largest - 1))),
        hash_shift_(64 - static_cast<unsigned>(std::bit_width(segments * bits_a_segment - 1))),
        seen_(words()),
        shared_(words()) {}

  void add(const Interval& segment) {
    const std::uint64_t first = segment.begin >> block_shift_;
    const std::uint64_t last = (segment.end - 1) >> block_shift_;
    mark(bit_of(first));
    if (last != first) mark(bit_of(last));
  }
  bool is_shared() const { return any_shared_ != 0; }
  bool is_shared(const Interval& segment) const {
    return is_in(shared_, bit_of(segment.begin >> block_shift_)) ||
           is_in(shared_, bit_of((segment.end - 1) >> block_shift_));
  }

 private:
  static constexpr std::uint64_t bits_a_segment = 64;
  using Bits = std::vector<std::uint64_t>;

  std::size_t words() const {
    return std::max<std::size_t>(1, (std::uint64_t{1} << (64 - hash_shift_)) / 64);
  }
  std::uint64_t bit_of(std::uint64_t block) const { return block * 0x9e3779b97f4a7c15u >> hash_shift_; }
  static bool is_in(const Bits& bits, std::uint64_t bit) { return (bits[bit / 64] >> bit % 64 & 1) != 0; }
  void mark(std::uint64_t bit) {
    const std::uint64_t mine = std::uint64_t{1} << bit % 64;
    std::uint64_t& word = seen_[bit / 64];
    shared_[bit / 64] |= word & mine;
    any_shared_ |= word & mine;
    word |= mine;
  }

  unsigned block_shift_;
  unsigned hash_shift_;
  std::uint64_t any_shared_ = 0;
  Bits seen_;
  Bits shared_;
};

template <class F>
void for_each_segment(std::span<const Scatter> scatters, Side side, F&& f) {
  for (const Scatter& scatter : scatters) {
    if (scatter.bytes == 0) continue;
    void* const* addresses = scatter.addresses(side);
    for (std::uint64_t i = 0; i < scatter.count; ++i)
      f(Interval{number(addresses[i]), number(addresses[i]) + scatter.bytes});
  }
}

// Those that are not alone, by looking at each twice.
std::vector<Interval> find_suspects(std::span<const Scatter> scatters, Side side) {
  std::uint64_t segments = 1;
  std::uint64_t largest = 1;
  for (const Scatter& scatter : scatters) {
    segments += scatter.count;
    largest = std::max(largest, scatter.bytes);
  }
  std::vector<Interval> suspects;
  BlockBits bits(segments, largest);
  for_each_segment(scatters, side, [&](const Interval& segment) { bits.add(segment); });
  if (!bits.is_shared()) return suspects;
  for_each_segment(scatters, side, [&](const Interval& segment) {
    if (bits.is_shared(segment)) suspects.push_back(segment);
  });
  return suspects;
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
  void* const* const null_near = std::find(near, near + count, nullptr);
  if (null_near != near + count)
    return null_segment("origin-side", static_cast<std::uint64_t>(null_near - near));
  void* const* const null_far = std::find(far, far + count, nullptr);
  if (null_far != far + count) return null_segment("target-side", static_cast<std::uint64_t>(null_far - far));
  return scatter;
}

bool segments_overlap(std::span<const Scatter> scatters, Side side) {
  if (ascends_without_overlap(scatters, side)) return false;
  std::vector<Interval> intervals = find_suspects(scatters, side);
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
