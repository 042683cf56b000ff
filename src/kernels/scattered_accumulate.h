// Accumulates many small segments; those in one block are added under one lock.
//
// A group of segments at a time is sorted into lists by block, so that a vector of words takes one lock for
// each block instead of each word. Segments of one block keep the caller's order. A segment that crosses
// blocks is added after all before it and before all after it. So sums are formed in the same order as one by
// one. Used by the direct path.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/scatter.h"
#include "kernels/striped_accumulate.h"

namespace comex::kernels {

// Lists of the indices 0 .. most-1, each in the order of insertion.
class SegmentLists {
 public:
  static constexpr std::uint64_t most = 512;
  static constexpr std::uint64_t lists = 64;

  SegmentLists() { first_.fill(none); }

  void push_back(std::uint64_t block, std::uint64_t index) {
    const auto list = block % lists;
    const auto item = static_cast<std::uint16_t>(index);
    (first_[list] == none ? first_[list] : next_[last_[list]]) = item;
    last_[list] = item;
    next_[item] = none;
  }
  template <class F>
  void for_each(F&& f) const {
    for (const std::uint16_t head : first_)
      for (std::uint16_t item = head; item != none; item = next_[item]) f(std::uint64_t{item});
  }

 private:
  static constexpr std::uint16_t none = UINT16_MAX;
  std::array<std::uint16_t, lists> first_;
  std::array<std::uint16_t, lists> last_;
  std::array<std::uint16_t, most> next_;
};

// `far_memory(address)` maps a far address of the scatter. Segments are whole elements.
template <BlockGuard Guard, class Where>
void accumulate_segments(Guard& guard, const Scatter& scatter, Where&& far_memory,
                         const Accumulation& accumulation) {
  std::uint64_t done = 0;
  while (done < scatter.count) {
    StripeWalk<Guard, Contended::wait> walk(guard, accumulation);
    const auto add = [&](std::uint64_t i) {
      walk.run(far_memory(scatter.far[i]), static_cast<const std::byte*>(scatter.near[i]), scatter.bytes);
    };
    const std::uint64_t group = std::min(SegmentLists::most, scatter.count - done);
    SegmentLists lists;
    std::uint64_t inside = 0;
    for (; inside < group; ++inside) {
      const std::uint64_t begin = far_memory(scatter.far[done + inside]).arena_offset;
      const std::uint64_t block = begin >> stripe_block_shift;
      if ((begin + scatter.bytes - 1) >> stripe_block_shift != block) break;
      lists.push_back(block, inside);
    }
    lists.for_each([&](std::uint64_t i) { add(done + i); });
    done += inside;
    if (inside < group) add(done++);
  }
}

}  // namespace comex::kernels
