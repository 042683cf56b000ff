// What the rows stand on: the runtime, a thousand live allocations, one big one, and random places in them.
//
// Worker 0 is the origin of every row with one origin. Targets are the workers from options.first_target on,
// which the driver sets so that they are all on the origin's host or all on the other one. The same numbers
// are drawn everywhere.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>

#include "runtime.h"
#include "timing.h"

namespace bench {

struct Options {
  int allocations = 1000;
  int places = 8192;     // random places of a row, at most
  int workers = 0;       // expected; 0: any
  int first_target = 1;  // targets are the workers from here on
  double trial_ns = 20e6;
  std::uint64_t seed = 1;

  // Asks whether rows are there and right, not how quick they are.
  bool is_short() const { return trial_ns < 5e6; }
};

class Rig {
 public:
  static constexpr std::size_t small_bytes = 8192;
  static constexpr std::size_t big_bytes = std::size_t{16} << 20;
  static constexpr int most_bytes = 4 << 20;

  Rig(Runtime& runtime, const Options& given) : rt(runtime), options(given) {
    for (int i = 0; i < options.allocations; ++i) {
      small_.push_back(rt.allocate(small_bytes));
      std::memset(rt.own(small_.back()), 0, small_bytes);
    }
    big_ = rt.allocate(big_bytes);
    std::memset(rt.own(big_), 0, big_bytes);
    words_ = rt.allocate(small_bytes);
    std::memset(rt.own(words_), 0, small_bytes);
    near_.resize(most_bytes / 8);
    far_.resize(most_bytes / 8);
    rt.barrier();
    touch_all();
  }
  ~Rig() {
    rt.barrier();
    rt.release(words_);
    rt.release(big_);
    for (Segment& segment : small_) rt.release(segment);
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  bool is_origin() const { return rt.me() == 0; }
  bool is_target() const { return rt.me() >= options.first_target; }
  int target() const { return rt.size() - 1; }
  Segment& big() { return big_; }
  // A word for atomics, alone on its cache lines.
  Place word(int proc, int number = 0) const {
    return words_.place(proc, static_cast<std::size_t>(number) * 256);
  }
  long* own_word(int number = 0) {
    return reinterpret_cast<long*>(rt.own(words_) + static_cast<std::size_t>(number) * 256);
  }
  // The origin's private memory, and a second piece to compare with.
  double* near() { return near_.data(); }
  double* spare() { return far_.data(); }

  // Places of `bytes` at random targets and offsets, none of which overlap: in the thousand allocations as
  // long as it fits there, else in the big one.
  std::vector<Place> places(std::size_t bytes, std::size_t room = 0) {
    room = std::bit_ceil(std::max(bytes, room));
    const bool is_small = room <= small_bytes / 2;
    const std::size_t slots = (is_small ? small_bytes : big_bytes) / room;
    const std::size_t segments = is_small ? small_.size() : 1;
    const auto targets = static_cast<std::size_t>(rt.size() - options.first_target);
    std::vector<std::size_t> numbers(slots * segments * targets);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::mt19937_64 random(options.seed);
    const bool has_many = !is_small || rt.can(Need::many_small_places, target());
    const std::size_t most = has_many ? static_cast<std::size_t>(options.places) : 1;
    const std::size_t wanted = std::bit_floor(std::min(numbers.size(), most));
    std::vector<Place> drawn;
    for (std::size_t i = 0; i < wanted; ++i) {
      std::swap(numbers[i], numbers[i + random() % (numbers.size() - i)]);
      const std::size_t number = numbers[i];
      const int proc = options.first_target + static_cast<int>(number % targets);
      const std::size_t rest = number / targets;
      const Segment& segment = is_small ? small_[rest / slots] : big_;
      drawn.push_back(segment.place(proc, rest % slots * room));
    }
    return drawn;
  }

  // Collective. Told to the origin: the most of what the workers have.
  double most_of(double mine) {
    rt.put(&mine, big_.place(0, static_cast<std::size_t>(rt.me()) * sizeof mine), sizeof mine);
    rt.fence(0);
    rt.barrier();
    if (is_origin()) {
      std::vector<double> all(static_cast<std::size_t>(rt.size()));
      std::memcpy(all.data(), rt.own(big_), all.size() * sizeof mine);
      mine = *std::max_element(all.begin(), all.end());
    }
    rt.barrier();
    return mine;
  }

  Runtime& rt;
  const Options options;

 private:
  // Pages are mapped by whoever touches them first: not within a row.
  void touch_all() {
    if (!is_origin()) {
      rt.wait_for_origin();
      return;
    }
    for (int proc = options.first_target; proc < rt.size(); ++proc) {
      for (const Segment& segment : small_) rt.get(segment.place(proc, 0), far_.data(), small_bytes);
      for (std::size_t at = 0; at < big_bytes; at += most_bytes)
        rt.get(big_.place(proc, at), far_.data(), most_bytes);
    }
    rt.origin_is_done();
  }

  std::vector<Segment> small_;
  Segment big_;
  Segment words_;
  std::vector<double> near_;
  std::vector<double> far_;
};

// -- The loops of a measurement. Both are collective.

// Worker 0 works, the others wait; true on those.
template <class Work>
bool alone(Rig& rig, Work&& work) {
  rig.rt.barrier();
  if (!rig.is_origin()) {
    rig.rt.wait_for_origin();
    return true;
  }
  const bool is_right = work();
  rig.rt.origin_is_done();
  return is_right;
}

// Worker 0 works, the others wait. `work(i)` gets a running number; the calls grow until a trial is long
// enough, and three of that length are made, of which the median is told.
template <class Work>
Timing by_origin(Rig& rig, Work&& work) {
  Timing timing;
  alone(rig, [&] {
    const double wanted = rig.options.trial_ns;
    long count = 1;
    while (true) {
      const double taken = quicker_of_two([&] { return trial(timing.calls, count, work); });
      if (taken >= wanted) break;
      count = longer(count, taken, wanted);
    }
    timing.nanoseconds =
        median_of_three([&] { return trial(timing.calls, count, work) / static_cast<double>(count); });
    return true;
  });
  return timing;
}

// Everybody runs `run(count)` at once; a trial ends when all are done. Tells the time of one of `count`.
template <class Run>
Timing by_all_together(Rig& rig, Run&& run) {
  Timing timing;
  const auto together = [&](long count) {
    rig.rt.barrier();
    const double start = now_ns();
    run(count);
    rig.rt.barrier();
    timing.calls += count;
    return now_ns() - start;
  };
  long count = 1;
  while (true) {
    const double taken = quicker_of_two([&] { return together(count); });
    const long next = taken < rig.options.trial_ns ? longer(count, taken, rig.options.trial_ns) : 0;
    const long agreed = rig.rt.from_first(next);
    if (agreed == 0) break;
    count = agreed;
  }
  timing.nanoseconds = median_of_three([&] { return together(count) / static_cast<double>(count); });
  return timing;
}

// Everybody calls `work(i)` count times.
template <class Work>
Timing by_all(Rig& rig, Work&& work) {
  long calls = 0;
  return by_all_together(rig, [&](long count) { trial(calls, count, work); });
}

}  // namespace bench
