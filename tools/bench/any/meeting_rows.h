// Words and locks that workers meet at, alone and all at once; barrier; collective allocation.
//
// A row "by all" tells the time for one operation of anybody: so many were done in all, in so much time.
#pragma once

#include <unistd.h>

#include <atomic>

#include "contiguous_rows.h"

namespace bench {

inline void set_word(Rig& rig, const Place& word, long value) {
  alone(rig, [&] {
    rig.rt.put(&value, word, 8);
    rig.rt.fence(word.proc);
    return true;
  });
}

inline Answer add_row(Rig& rig) {
  const std::vector<Place> places = rig.places(8);
  const std::size_t mask = places.size() - 1;
  std::fill_n(rig.near(), 1, 0.0);
  alone(rig, [&] {
    write_places(rig, places, 8);
    return true;
  });
  double sum = 0;
  const Timing timing = by_origin(rig, [&](long i) {
    sum += static_cast<double>(rig.rt.fetch_add(places[static_cast<std::size_t>(i) & mask], 1));
  });
  double expected = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto n = static_cast<double>(visits(timing.calls, places.size(), i));
    expected += n * (n - 1) / 2;
  }
  return answer(rig, timing.nanoseconds, !rig.is_origin() || sum == expected);
}

// One word of the last worker, hit by all: what a worker is told grows, and in the end all have counted.
inline Answer add_by_all_row(Rig& rig) {
  const Place word = rig.word(rig.target());
  set_word(rig, word, 0);
  long told = -1;
  bool grows = true;
  const Timing timing = by_all(rig, [&](long) {
    const long old = rig.rt.fetch_add(word, 1);
    grows = grows && old > told;
    told = old;
  });
  const bool has_all = alone(rig, [&] { return rig.rt.fetch_add(word, 1) == timing.calls * rig.rt.size(); });
  return answer(rig, timing.nanoseconds / rig.rt.size(), grows && has_all);
}

// The worker of the other half of them, which is the other of two hosts, that worker `me` has to do with.
inline int partner_of(int me, int size) {
  const int half = (size + 1) / 2;
  return me < half ? half + me % std::max(size - half, 1) : (me - half) % half;
}

// Blocking gets by everybody at once, each from another half's worker: words that say where they lie.
inline Answer get_by_all_row(Rig& rig, int bytes) {
  constexpr std::size_t room = 256;
  constexpr std::size_t slots = Rig::big_bytes / room;
  const auto value = [&](int proc, std::size_t slot) {
    return proc * double{slots} + static_cast<double>(slot);
  };
  for (std::size_t slot = 0; slot < slots; ++slot) {
    auto* const words = reinterpret_cast<double*>(rig.rt.own(rig.big()) + slot * room);
    std::fill_n(words, bytes / 8, value(rig.rt.me(), slot));
  }
  rig.rt.barrier();
  const int other = partner_of(rig.rt.me(), rig.rt.size());
  const int last = bytes / 8 - 1;
  bool is_right = true;
  const Timing timing = by_all(rig, [&](long i) {
    const std::size_t slot = static_cast<std::size_t>(i) * 4099 % slots;  // all of them, in no order
    rig.rt.get(rig.big().place(other, slot * room), rig.near(), bytes);
    is_right = is_right && rig.near()[0] == value(other, slot) && rig.near()[last] == value(other, slot);
  });
  return answer(rig, timing.nanoseconds / rig.rt.size(), is_right);
}

// Counts the word up, so that every one has to succeed.
inline Answer swap_row(Rig& rig) {
  const Place word = rig.word(rig.target());
  set_word(rig, word, 0);
  long failures = 0;
  const Timing timing = by_origin(rig, [&](long i) {
    if (rig.rt.compare_and_swap(word, i, i + 1) != i) ++failures;
  });
  const bool is_right = alone(rig, [&] {
    const long old = rig.rt.compare_and_swap(word, -1, 0);
    return failures == 0 && old == timing.calls;
  });
  return answer(rig, timing.nanoseconds, is_right);
}

// Every worker adds to a word by get and put under the lock: none may be lost.
inline bool excludes(Rig& rig, int proc) {
  constexpr int turns = 50;
  const Place word = rig.word(proc, 1);
  set_word(rig, word, 0);
  rig.rt.barrier();
  for (int i = 0; i < turns; ++i) {
    long value = 0;
    rig.rt.lock(proc);
    rig.rt.get(word, &value, 8);
    ++value;
    usleep(20);  // time enough for others to come in, if they can
    rig.rt.put(&value, word, 8);
    rig.rt.fence(proc);
    rig.rt.unlock(proc);
  }
  rig.rt.barrier();
  return alone(rig, [&] {
    long value = 0;
    rig.rt.get(word, &value, 8);
    return value == turns * rig.rt.size();
  });
}

inline Answer lock_row(Rig& rig) {
  rig.rt.make_locks();
  const int proc = rig.target();
  const Timing timing = by_origin(rig, [&](long) {
    rig.rt.lock(proc);
    rig.rt.unlock(proc);
  });
  const bool is_right = excludes(rig, proc);
  rig.rt.drop_locks();
  return answer(rig, timing.nanoseconds, is_right);
}

inline Answer lock_by_all_row(Rig& rig) {
  rig.rt.make_locks();
  const int proc = rig.target();
  const Timing timing = by_all(rig, [&](long) {
    rig.rt.lock(proc);
    rig.rt.unlock(proc);
  });
  const bool is_right = excludes(rig, proc);
  rig.rt.drop_locks();
  return answer(rig, timing.nanoseconds / rig.rt.size(), is_right);
}

// The longest wait of any worker, as a multiple of its own mean one, while all take the lock again and again.
inline Answer longest_wait_row(Rig& rig) {
  rig.rt.make_locks();
  const int proc = rig.target();
  double longest = 0;
  double sum = 0;
  const Timing timing = by_all(rig, [&](long) {
    const double start = now_ns();
    rig.rt.lock(proc);
    const double waited = now_ns() - start;
    rig.rt.unlock(proc);
    longest = std::max(longest, waited);
    sum += waited;
  });
  const bool is_right = excludes(rig, proc);
  rig.rt.drop_locks();
  return answer(rig, rig.most_of(longest / (sum / static_cast<double>(timing.calls))), is_right);
}

// Each says which round it is in before it meets the others; behind that nobody may be a round behind.
inline bool all_meet(Rig& rig) {
  const int next = (rig.rt.me() + 1) % rig.rt.size();
  bool is_right = true;
  for (long round = 1; round <= 3; ++round) {
    std::atomic_ref(*rig.own_word(2)).store(round);
    rig.rt.meet();
    long there = 0;
    rig.rt.get(rig.word(next, 2), &there, 8);
    is_right = is_right && there >= round;
    rig.rt.barrier();
  }
  return is_right;
}

// Where only the origin reaches others: nobody may come out before it, who comes late, goes in. The clock is
// that of one machine.
inline bool all_meet_the_late_one(Rig& rig) {
  constexpr unsigned late_us = 2'000;
  rig.rt.barrier();
  if (rig.is_origin()) usleep(late_us);
  const double in = now_ns();
  rig.rt.meet();
  const double out = now_ns();
  return out >= static_cast<double>(rig.rt.from_first(static_cast<long>(in)));
}

inline Answer barrier_row(Rig& rig) {
  const bool is_right =
      rig.rt.can(Need::everybody, rig.target()) ? all_meet(rig) : all_meet_the_late_one(rig);
  const Timing timing = by_all(rig, [&](long) { rig.rt.meet(); });
  return answer(rig, timing.nanoseconds, is_right);
}

// Memory that was allocated must be there for others: each writes to its neighbour, then looks at its own.
inline Answer allocation_row(Rig& rig, std::size_t bytes) {
  const Timing timing = by_all(rig, [&](long) {
    Segment made = rig.rt.allocate(bytes);
    rig.rt.release(made);
  });
  Segment made = rig.rt.allocate(bytes);
  long value = rig.rt.me() + 100;
  const int next = (rig.rt.me() + 1) % rig.rt.size();
  rig.rt.put(&value, made.place(next, bytes - 8), 8);
  rig.rt.fence(next);
  rig.rt.barrier();
  long found = 0;
  std::memcpy(&found, rig.rt.own(made) + bytes - 8, 8);
  const int previous = (rig.rt.me() + rig.rt.size() - 1) % rig.rt.size();
  rig.rt.barrier();
  rig.rt.release(made);
  return answer(rig, timing.nanoseconds, found == previous + 100);
}

inline void add_meeting_rows(Rows& rows) {
  rows.push_back({"fetch_add.alone", "ns", Need::nothing, add_row});
  rows.push_back({"fetch_add.all", "ns", Need::everybody, add_by_all_row});
  for (const int bytes : {8, 200}) {
    rows.push_back({"get_by_all." + std::to_string(bytes), "ns", Need::everybody,
                    [=](Rig& rig) { return get_by_all_row(rig, bytes); }});
  }
  rows.push_back({"compare_swap", "ns", Need::compare_and_swap, swap_row});
  rows.push_back({"lock.alone", "ns", Need::locks, lock_row});
  rows.push_back({"lock.all", "ns", Need::everybody, lock_by_all_row});
  rows.push_back({"lock.longest_wait", "x mean", Need::everybody, longest_wait_row});
  rows.push_back({"barrier", "ns", Need::nothing, barrier_row});
}

}  // namespace bench
