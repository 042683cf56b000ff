// Adds up the seconds spent in marked stretches.
#pragma once

#include <chrono>
#include <utility>

namespace spgemm {

inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Runs `work`, adds its duration to `seconds`, returns what it returns.
template <class Work>
decltype(auto) timed(double& seconds, Work&& work) {
  struct Adder {
    double& seconds;
    double begin = now_seconds();
    ~Adder() { seconds += now_seconds() - begin; }
  } const adder{seconds};
  return std::forward<Work>(work)();
}

}  // namespace spgemm
