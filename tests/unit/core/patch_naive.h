// The walk of a strided rectangle as its definition reads, and random rectangles to try it on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/patch.h"

namespace comex::testing {

struct RawPatch {
  int levels = 0;
  int near_strides[8] = {};
  int far_strides[8] = {};
  int counts[9] = {};
};

struct BytePair {
  std::int64_t near;
  std::int64_t far;
  friend bool operator==(const BytePair&, const BytePair&) = default;
};

inline void walk_naively(const RawPatch& raw, int level, std::int64_t near, std::int64_t far,
                         std::vector<BytePair>& bytes) {
  for (int i = 0; i < raw.counts[level]; ++i) {
    if (level == 0) {
      bytes.push_back({near + i, far + i});
    } else {
      walk_naively(raw, level - 1, near + std::int64_t{i} * raw.near_strides[level - 1],
                   far + std::int64_t{i} * raw.far_strides[level - 1], bytes);
    }
  }
}

// Every byte pair in packed order. Only levels that repeat are stepped, so wild strides are harmless.
inline std::vector<BytePair> naive_bytes(const RawPatch& raw) {
  std::vector<BytePair> bytes;
  walk_naively(raw, raw.levels, 0, 0, bytes);
  return bytes;
}

// True if a byte of this side occurs twice.
inline bool overlaps(const RawPatch& raw, Side side) {
  std::vector<std::int64_t> offsets;
  for (const BytePair& byte : naive_bytes(raw)) offsets.push_back(side == Side::near ? byte.near : byte.far);
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

class RawPatchMaker {
 public:
  explicit RawPatchMaker(unsigned seed) : random_(seed) {}

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  // At most `unit * 8` bytes a run; some levels nest, some touch, some do not nest, some count 1.
  RawPatch make(int unit = 1) {
    RawPatch raw;
    raw.levels = pick(0, 8);
    raw.counts[0] = unit * pick(1, 8);
    int budget = 600;
    for (int level = 1; level <= raw.levels; ++level) {
      const int count = pick(1, budget > 40 ? 4 : 1);
      budget /= count;
      raw.counts[level] = count;
    }
    fill_strides(raw, raw.near_strides, unit);
    fill_strides(raw, raw.far_strides, unit);
    return raw;
  }

 private:
  void fill_strides(const RawPatch& raw, int* strides, int unit) {
    int span = raw.counts[0];  // a distance that nests
    for (int level = 0; level < raw.levels; ++level) {
      const int count = raw.counts[level + 1];
      const int kind = pick(0, 9);
      if (count == 1) {
        strides[level] = pick(-2'000'000'000, 2'000'000'000);
        continue;
      }
      if (kind < 5) {
        strides[level] = span;
      } else if (kind < 8) {
        strides[level] = span + unit * pick(1, 5);
      } else {
        strides[level] = unit * pick(0, 60);
      }
      span = std::max(span, strides[level] * count);
    }
  }

  std::mt19937 random_;
};

}  // namespace comex::testing
