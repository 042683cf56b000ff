// The clock, and how long a trial is.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bench {

struct Timing {
  double nanoseconds = 0;  // of one call
  long calls = 0;          // all that were made, warm-up included
};

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The compiler must take the value as used, and memory as changed.
template <class T>
void keep(T&& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

template <class Work>
double trial(long& calls, long count, Work&& work) {
  const double start = now_ns();
  for (const long end = calls + count; calls < end; ++calls) work(calls);
  return now_ns() - start;
}

// The next number of calls: towards the wanted time, at most tenfold, since a first call may be slow or
// quick.
inline long longer(long count, double taken, double wanted) {
  const double factor = taken <= 0 ? 10.0 : std::clamp(1.1 * wanted / taken, 1.5, 10.0);
  return static_cast<long>(std::ceil(static_cast<double>(count) * factor));
}

// A trial that was long because something else ran says nothing about how long it is.
template <class Once>
double quicker_of_two(Once&& once) {
  const double first = once();
  return std::min(first, once());
}

template <class Once>
double median_of_three(Once&& once) {
  double a = once();
  double b = once();
  const double c = once();
  if (a > b) std::swap(a, b);
  return std::clamp(c, a, b);
}

// Busy without calling any library, as a program that computes.
inline void compute_until(double deadline_ns) {
  double x = 1;
  while (now_ns() < deadline_ns) {
    for (int i = 0; i < 200; ++i) x = x * 1.0000001 + 1e-9;
    keep(x);
  }
}

// `steps` of work; calibrated by who wants a certain time.
inline void compute(long steps) {
  double x = 1;
  for (long i = 0; i < steps; ++i) {
    x = x * 1.0000001 + 1e-9;
    keep(x);
  }
}

}  // namespace bench
