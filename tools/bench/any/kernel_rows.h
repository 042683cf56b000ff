// Two small applications, by all workers at once, over memory of all workers.
//
// get-compute-accumulate: tasks are numbered by a shared counter; a task gets a block of 1 to 10 kB,
// computes, and accumulates the result elsewhere. GUPS: random updates by the rules of HPCC RandomAccess (its
// stream, look-ahead of 64 of the 1,024 that are allowed, at most 1 % lost), on a table small enough for a
// quick run.
#pragma once

#include "meeting_rows.h"

namespace bench {

inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The block of task t: 128 to 1,280 elements of worker p's lower (source) or upper (target) half.
struct Task {
  static constexpr std::size_t half = Rig::big_bytes / 2;

  Task(std::uint64_t t, int workers)
      : elements(128 + mixed(t) % 1153),
        from_proc(static_cast<int>(mixed(t + 1) % static_cast<std::uint64_t>(workers))),
        to_proc(static_cast<int>(mixed(t + 2) % static_cast<std::uint64_t>(workers))),
        from_offset(mixed(t + 3) % (half / 8 - elements) * 8),
        to_offset(half + mixed(t + 4) % (half / 8 - elements) * 8) {}

  std::size_t elements;
  int from_proc;
  int to_proc;
  std::size_t from_offset;
  std::size_t to_offset;
};

// The sum of pattern(i) over all i below `end`.
inline double pattern_sum(std::size_t end) {
  const std::size_t rest = end % 1021;
  return static_cast<double>(end / 1021 * (1021 * 1022 / 2) + rest * (rest + 1) / 2);
}

// Right if the block that it got comes to what it should.
inline void do_task(Rig& rig, std::uint64_t number, double* block, bool& is_right) {
  const Task task(number, rig.rt.size());
  const int bytes = static_cast<int>(task.elements * 8);
  rig.rt.get(rig.big().place(task.from_proc, task.from_offset), block, bytes);
  double sum = 0;
  for (int pass = 0; pass < 4; ++pass) {  // some work on every element, exact in doubles
    for (std::size_t e = 0; e < task.elements; ++e) block[e] = 2 * block[e] - block[0] + block[0];
  }
  for (std::size_t e = 0; e < task.elements; ++e) sum += block[e];
  const std::size_t first = task.from_offset / 8;
  is_right = is_right && sum == 16 * (pattern_sum(first + task.elements) - pattern_sum(first));
  rig.rt.acc(block, rig.big().place(task.to_proc, task.to_offset), bytes);
}

// Takes back what those tasks have added to this worker's memory.
inline void undo_tasks(const Rig& rig, long count, double* mine) {
  for (long t = 0; t < count; ++t) {
    const Task task(static_cast<std::uint64_t>(t), rig.rt.size());
    if (task.to_proc != rig.rt.me()) continue;
    double* const to = mine + task.to_offset / 8;
    for (std::size_t e = 0; e < task.elements; ++e) to[e] -= 16 * pattern(task.from_offset / 8 + e);
  }
}

inline Answer task_row(Rig& rig) {
  const Place counter = rig.word(0, 4);
  double* const mine = reinterpret_cast<double*>(rig.rt.own(rig.big()));
  for (std::size_t e = 0; e < Task::half / 8; ++e) mine[e] = pattern(e);
  std::fill_n(mine + Task::half / 8, Task::half / 8, 0.0);
  set_word(rig, counter, 0);
  std::vector<double> block(1280 + 1);
  std::vector<long> counts;
  bool has_got = true;
  const Timing timing = by_all_together(rig, [&](long count) {
    counts.push_back(count);
    while (true) {
      const long t = rig.rt.fetch_add(counter, 1);
      if (t >= count) break;
      do_task(rig, static_cast<std::uint64_t>(t), block.data(), has_got);
    }
    rig.rt.barrier();  // nobody counts any more
    if (rig.is_origin()) {
      long zero = 0;
      rig.rt.put(&zero, counter, 8);
      rig.rt.fence(0);
    }
  });
  rig.rt.barrier();
  for (const long count : counts) undo_tasks(rig, count, mine);
  const double* const sums = mine + Task::half / 8;
  const bool has_added = std::all_of(sums, sums + Task::half / 8, [](double left) { return left == 0; });
  rig.rt.barrier();
  return answer(rig, timing.nanoseconds, has_added && has_got);
}

class Updates {
 public:
  static constexpr std::uint64_t local_words = 1 << 18;

  Updates(int worker, int workers)
      : now_(mixed(static_cast<std::uint64_t>(worker))), workers_(static_cast<std::uint64_t>(workers)) {}
  std::uint64_t next() {
    now_ = (now_ << 1) ^ ((now_ >> 63) != 0 ? 7U : 0U);
    return now_;
  }
  int owner(std::uint64_t value) const { return static_cast<int>((value >> 40) % workers_); }
  static std::uint64_t word(std::uint64_t value) { return value % local_words; }

 private:
  std::uint64_t now_;
  std::uint64_t workers_;
};

inline Answer gups_row(Rig& rig) {
  constexpr int at_once = 64;
  auto* const table = reinterpret_cast<std::uint64_t*>(rig.rt.own(rig.big()));
  for (std::uint64_t i = 0; i < Updates::local_words; ++i) table[i] = i;
  Updates updates(rig.rt.me(), rig.rt.size());
  std::uint64_t values[at_once];
  std::uint64_t words[at_once];
  Place places[at_once];
  const Timing timing = by_all(rig, [&](long) {
    for (std::size_t i = 0; i < at_once; ++i) {
      values[i] = updates.next();
      places[i] = rig.big().place(updates.owner(values[i]), Updates::word(values[i]) * 8);
      rig.rt.nbget(places[i], &words[i], 8);
    }
    rig.rt.wait();
    for (std::size_t i = 0; i < at_once; ++i) {
      words[i] ^= values[i];
      rig.rt.nbput(&words[i], places[i], 8);
    }
    rig.rt.wait();
  });
  // The same updates once more, by the owner, undo all that arrived.
  const long made = timing.calls * at_once;
  auto* const after = reinterpret_cast<std::uint64_t*>(rig.rt.own(rig.big()));
  for (int worker = 0; worker < rig.rt.size(); ++worker) {
    Updates again(worker, rig.rt.size());
    for (long i = 0; i < made; ++i) {
      const std::uint64_t value = again.next();
      if (again.owner(value) == rig.rt.me()) after[Updates::word(value)] ^= value;
    }
  }
  std::uint64_t lost = 0;
  for (std::uint64_t i = 0; i < Updates::local_words; ++i) lost += after[i] == i ? 0 : 1;
  const std::uint64_t most = std::min(Updates::local_words, static_cast<std::uint64_t>(made)) / 100;
  rig.rt.barrier();
  return answer(rig, timing.nanoseconds / at_once / rig.rt.size(), lost <= most);
}

inline void add_kernel_rows(Rows& rows) {
  rows.push_back({"get_compute_acc", "ns", Need::accumulates_by_all, task_row});
  rows.push_back({"gups", "ns", Need::everybody, gups_row});
}

}  // namespace bench
