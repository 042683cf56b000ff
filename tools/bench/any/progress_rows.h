// What happens beside computing: transfers that go on while the origin computes, and requests that are served
// while the target computes or everybody has slept.
#pragma once

#include <unistd.h>

#include "contiguous_rows.h"
#include "meeting_rows.h"

namespace bench {

constexpr int transfer_bytes = 1 << 20;

// The share of a transfer's time that is saved by computing meanwhile: 100 % when both together take no
// longer than the longer of them, 0 % when they take the sum.
inline Answer overlap_row(Rig& rig, bool is_get) {
  const Place place = rig.places(transfer_bytes).front();
  fill_pattern(rig.near(), transfer_bytes);
  alone(rig, [&] {
    rig.rt.put(rig.near(), place, transfer_bytes);
    rig.rt.fence(place.proc);
    return true;
  });
  constexpr std::size_t last = transfer_bytes / 8 - 1;
  bool brought = true;
  // The last word of each transfer is to be seen on the other side: of the last put, of every get.
  const auto begin = [&] {
    if (is_get) {
      rig.spare()[last] = 0;
      rig.rt.nbget(place, rig.spare(), transfer_bytes);
    } else {
      ++rig.near()[last];
      rig.rt.nbput(rig.near(), place, transfer_bytes);
    }
  };
  const auto end = [&] {
    rig.rt.wait();
    if (!is_get) rig.rt.fence(place.proc);
    brought = brought && (!is_get || rig.spare()[last] == pattern(last));
  };
  const Timing transfer = by_origin(rig, [&](long) {
    begin();
    end();
  });
  const long trial_steps = 100000;
  const Timing computing = by_origin(rig, [&](long) { compute(trial_steps); });
  const long steps = static_cast<long>(static_cast<double>(trial_steps) * transfer.nanoseconds /
                                       std::max(computing.nanoseconds, 1.0));
  const Timing computed = by_origin(rig, [&](long) { compute(steps); });
  // What was transferred before proves nothing.
  if (is_get) std::fill_n(rig.spare(), transfer_bytes / 8, 0.0);
  if (!is_get) std::reverse(rig.near(), rig.near() + transfer_bytes / 8);
  const Timing both = by_origin(rig, [&](long) {
    begin();
    compute(steps);
    end();
  });
  const bool is_right = alone(rig, [&] {
    if (!is_get) rig.rt.get(place, rig.spare(), transfer_bytes);
    return brought && std::equal(rig.near(), rig.near() + transfer_bytes / 8, rig.spare());
  });
  const double saved = transfer.nanoseconds + computed.nanoseconds - both.nanoseconds;
  const double most = std::min(transfer.nanoseconds, computed.nanoseconds);
  return answer(rig, rig.is_origin() ? std::clamp(100 * saved / most, 0.0, 100.0) : 0.0, is_right);
}

enum class Asked { get, add, acc };

inline double median_of(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : values[values.size() / 2];
}

// Everybody but worker 0 computes without calling anything; worker 0 asks for as long as they surely do. The
// median of rounds of a few requests: where processes outnumber cores, some meet a whole time slice of
// another.
inline Answer beside_computing_row(Rig& rig, Asked asked) {
  const Place word = rig.word(rig.target(), 3);
  const double computing_ns = std::max(4 * rig.options.trial_ns, 10e6);
  constexpr long there = 0x5eed;  // what gets find, from the beginning to the end
  set_word(rig, word, asked == Asked::get ? there : 0);
  rig.rt.barrier();
  const double start = now_ns();
  constexpr int round = 8;
  std::vector<double> taken;
  long calls = 0;
  bool is_right = true;
  if (rig.is_origin()) {
    compute_until(start + 0.1 * computing_ns);
    double one = 1;
    double before = now_ns();
    do {
      for (int i = 0; i < round; ++i, ++calls) {
        long value = asked == Asked::acc ? calls : -1;
        if (asked == Asked::get) rig.rt.get(word, &value, 8);
        if (asked == Asked::add) value = rig.rt.fetch_add(word, 1);
        if (asked == Asked::acc) {
          rig.rt.acc(&one, word, 8);
          rig.rt.fence(word.proc);
        }
        is_right = is_right && value == (asked == Asked::get ? there : calls);
      }
      const double now = now_ns();
      taken.push_back((now - before) / round);
      before = now;
    } while (before < start + 0.7 * computing_ns);
  } else {
    compute_until(start + computing_ns);
  }
  rig.rt.barrier();
  const bool arrived = alone(rig, [&] {
    long found = -1;
    double sum = -1;
    rig.rt.get(word, asked == Asked::acc ? static_cast<void*>(&sum) : &found, 8);
    return asked == Asked::acc ? sum == static_cast<double>(calls)
                               : found == (asked == Asked::get ? there : calls);
  });
  return answer(rig, median_of(taken), is_right && arrived);
}

// The first get after everybody has slept, or while the others compute again after a pause of worker 0.
inline Answer first_request_row(Rig& rig, bool others_compute) {
  const Place word = rig.word(rig.target(), 3);
  constexpr int times = 5;
  constexpr double pause_ns = 20e6;
  std::vector<double> taken;
  bool is_right = true;
  for (int i = 0; i < times; ++i) {
    set_word(rig, word, i);
    rig.rt.barrier();
    if (!rig.is_origin()) {
      if (others_compute) {
        compute_until(now_ns() + 1.3 * pause_ns);
      } else {
        usleep(static_cast<useconds_t>(1.3 * pause_ns / 1e3));
      }
      rig.rt.wait_for_origin();
      continue;
    }
    usleep(static_cast<useconds_t>(pause_ns / 1e3));
    long value = -1;
    const double start = now_ns();
    rig.rt.get(word, &value, 8);
    taken.push_back(now_ns() - start);
    is_right = is_right && value == i;
    rig.rt.origin_is_done();
  }
  return answer(rig, median_of(taken), is_right);
}

constexpr std::size_t fewest_requests = 100;  // of which one of a hundred can be told

// One large put after another, each begun and ended with a word to worker 0. A short run has smaller ones,
// since most of its time would go into fresh pages, and more of them, so that there are requests enough. On a
// full machine worker 0 asks seldom beside each, and there are more of them.
struct LargePuts {
  explicit LargePuts(const Options& options)
      : bytes(options.is_short() ? 16 << 20 : 256 << 20), times(options.is_short() ? 8 : 3) {}

  int bytes;
  int times;  // at least
  Place there;
  Place told;  // to worker 0: odd while a put is under way; at the end, less than 0 by how many there were

  std::size_t size() const { return static_cast<std::size_t>(bytes); }
  std::vector<double> source() const {
    std::vector<double> made(size() / 8);
    fill_pattern(made.data(), bytes);
    return made;
  }
  // Until worker 0 has asked often enough.
  void make(Rig& rig, const volatile long* is_enough) const {
    std::vector<double> source = this->source();
    long made = 0;
    for (; made < times || (*is_enough == 0 && made < 20L * times); ++made) {
      source.back() = static_cast<double>(made);
      tell(rig, 2 * made + 1);
      rig.rt.put_and_fence(source.data(), there, bytes);
      tell(rig, 2 * made + 2);
    }
    tell(rig, -made);
  }
  void tell(Rig& rig, long word) const { rig.rt.put_and_fence(&word, told, 8); }
  bool have_arrived(const std::byte* memory) const {
    std::vector<double> wanted = source();
    wanted.back() = times - 1;
    return std::memcmp(memory, wanted.data(), size()) == 0;
  }
};

// What one of a hundred requests takes or exceeds: of fewer than that nothing can be told, and a short run
// has nothing to tell. taken: the origin's.
inline Answer one_of_a_hundred(Rig& rig, std::vector<double> taken, bool is_right) {
  const bool is_enough =
      rig.options.is_short() || rig.rt.all(!rig.is_origin() || taken.size() >= fewest_requests);
  std::sort(taken.begin(), taken.end());
  return answer(rig, taken.empty() ? 0.0 : taken[(taken.size() * 99 + 99) / 100 - 1], is_right && is_enough);
}

// Worker 1 puts 256 MiB to the target in one call, of a short run 16; worker 0 asks for 8 bytes meanwhile.
inline Answer beside_put_row(Rig& rig) {
  const Place word = rig.word(rig.target(), 3);
  const Place enough = rig.word(1, 5);
  const bool is_target = rig.rt.me() == rig.target();
  LargePuts puts(rig.options);
  Segment landing = rig.rt.allocate(is_target ? puts.size() : 0);
  puts.there = landing.place(rig.target(), 0);
  puts.told = rig.word(0, 4);
  if (is_target) std::memset(rig.rt.own(landing), 0, puts.size());  // its pages are there before
  set_word(rig, word, 42);
  set_word(rig, puts.told, 0);
  set_word(rig, enough, 0);
  std::vector<double> taken;
  bool is_right = true;
  if (rig.rt.me() == 1) puts.make(rig, rig.own_word(5));
  const volatile long* const heard = rig.own_word(4);
  if (rig.is_origin()) {
    while (*heard >= 0) {
      const bool is_beside = *heard % 2 == 1;
      long value = 0;
      const double before = now_ns();
      rig.rt.get(word, &value, 8);
      if (is_beside) taken.push_back(now_ns() - before);
      is_right = is_right && value == 42;
      if (is_beside && taken.size() == fewest_requests) {
        long yes = 1;
        rig.rt.put_and_fence(&yes, enough, 8);
      }
    }
  }
  rig.rt.barrier();
  puts.times = static_cast<int>(-rig.rt.from_first(*heard));
  if (is_target) is_right = puts.have_arrived(rig.rt.own(landing));
  is_right = rig.rt.all(is_right);
  rig.rt.release(landing);
  return one_of_a_hundred(rig, std::move(taken), is_right);
}

inline void add_progress_rows(Rows& rows) {
  rows.push_back(
      {"overlap.put.1048576", "percent", Need::everybody, [](Rig& rig) { return overlap_row(rig, false); }});
  rows.push_back(
      {"overlap.get.1048576", "percent", Need::everybody, [](Rig& rig) { return overlap_row(rig, true); }});
  const Need need = Need::everybody;
  rows.push_back({"busy.get.8", "ns", need, [](Rig& rig) { return beside_computing_row(rig, Asked::get); }});
  rows.push_back(
      {"busy.fetch_add", "ns", need, [](Rig& rig) { return beside_computing_row(rig, Asked::add); }});
  rows.push_back(
      {"busy.acc_fence.8", "ns", need, [](Rig& rig) { return beside_computing_row(rig, Asked::acc); }});
  rows.push_back({"beside_put.get.8", "ns", Need::third_worker, beside_put_row});
  rows.push_back({"first_get.idle", "ns", need, [](Rig& rig) { return first_request_row(rig, false); }});
  rows.push_back({"first_get.busy", "ns", need, [](Rig& rig) { return first_request_row(rig, true); }});
}

}  // namespace bench
