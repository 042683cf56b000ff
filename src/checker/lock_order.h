// Which mutexes were taken while others were held, and cycles in that: orders in which workers could wait for
// each other for ever.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/clocks.h"

namespace comex::checker {

struct Mutex {
  std::int32_t number = 0;
  std::int32_t owner = 0;
  friend auto operator<=>(const Mutex&, const Mutex&) = default;
};

// A worker took `second` while it held `first`. Plain data: workers send it to each other.
struct LockStep {
  Mutex first;
  Mutex second;
  std::uint32_t worker = 0;
  std::uint32_t site = 0;    // of `second`, in the worker's table
  std::uint32_t others = 0;  // further mutexes that it held then: a range of LockSteps::held
  std::uint32_t others_count = 0;
  std::uint32_t known = 0;  // a row of LockSteps::rows
  Time time = 0;
};

struct LockSteps {
  std::vector<LockStep> steps = {};
  std::vector<Mutex> held = {};
  std::vector<Time> rows = {};  // what the worker knew of the others without the order of mutexes
  std::size_t workers = 0;

  void append(const LockSteps& more);
};

// The steps of each cycle, one cycle for each set of mutexes. Steps of a cycle are of different workers, none
// comes before another by anything but mutexes, and no mutex is held in two of them.
std::vector<std::vector<LockStep>> lock_cycles(const LockSteps& all);

}  // namespace comex::checker
