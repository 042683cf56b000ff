// A put that its origin neither waits for nor fences: it computes on and makes no call. Somebody else has to
// send what lies there.
#pragma once

#include <sched.h>

#include <limits>

#include "progress_rows.h"

namespace bench {

// Worker 0 tells the target a number, the target looks at its own memory and tells it back; so only one clock
// is read. Neither makes a call meanwhile; the target yields.
class Unattended {
 public:
  explicit Unattended(Rig& rig) : rig_(rig), told_(rig.word(rig.target(), 5)), answer_(rig.word(0, 6)) {
    set_word(rig, told_, 0);
    set_word(rig, answer_, 0);
    rig.rt.barrier();
  }

  // The time until the answer is there. Where none comes, the job has a limit.
  void ask(std::vector<double>& taken) {
    compute_until(now_ns() + 0.5e6);
    word_ = ++turn_;
    const double start = now_ns();
    rig_.rt.nbput(&word_, told_, 8);
    const volatile long* const heard = rig_.own_word(6);
    while (*heard < turn_) compute(100);
    taken.push_back(now_ns() - start);
    rig_.rt.wait();
    rig_.rt.fence(told_.proc);
  }
  void stop() {
    word_ = last;
    rig_.rt.put_and_fence(&word_, told_, 8);
  }
  // At the target: true if each number came, and nothing else.
  bool answer_all() {
    const volatile long* const heard = rig_.own_word(5);
    bool is_right = true;
    for (long turn = 1;; ++turn) {
      while (*heard < turn) sched_yield();
      long now = *heard;
      if (now == last) return is_right;
      is_right = is_right && now == turn;
      rig_.rt.put_and_fence(&now, answer_, 8);
    }
  }

 private:
  static constexpr long last = std::numeric_limits<long>::max();

  Rig& rig_;
  Place told_;
  Place answer_;
  long turn_ = 0;
  long word_ = 0;
};

inline Answer unattended_row(Rig& rig) {
  constexpr std::size_t least = 20;
  Unattended exchange(rig);
  std::vector<double> taken;
  bool is_right = true;
  if (rig.is_origin()) {
    const double end = now_ns() + 10 * rig.options.trial_ns;
    while (taken.size() < least || now_ns() < end) exchange.ask(taken);
    exchange.stop();
  } else if (rig.rt.me() == rig.target()) {
    is_right = exchange.answer_all();
  }
  rig.rt.barrier();
  return answer(rig, median_of(taken), is_right);
}

inline void add_unattended_rows(Rows& rows) {
  rows.push_back({"unattended.put.8", "ns", Need::unattended, unattended_row});
}

}  // namespace bench
