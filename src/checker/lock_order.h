// Which mutexes were taken while others were held, and cycles in that: orders in which workers could wait for
// each other for ever.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "checker/clocks.h"

namespace comex::checker {

struct Mutex {
  std::int32_t number = 0;
  std::int32_t owner = -1;                                        // none
  friend auto operator<=>(const Mutex&, const Mutex&) = default;  // NOLINT(modernize-use-nullptr)
};

// An origin took `second` while it held `first`. Plain data: workers send it to each other.
struct LockStep {
  Mutex first = {};
  Mutex second = {};
  std::uint32_t origin = 0;
  std::uint32_t site = 0;  // of `second`, in the worker's table
  Time time = 0;
  std::array<Mutex, 12> held = {};  // all that it held then, `first` too; who holds more is not followed
};

struct LockSteps {
  std::vector<LockStep> steps = {};
  std::vector<Time> rows = {};  // one for each step: what its origin knew without the order of mutexes
  std::size_t origins = 0;
};

// The steps of each cycle, one cycle for each set of mutexes. Steps of a cycle are of different origins, none
// comes before another by anything but mutexes, and no mutex is held in two of them.
std::vector<std::vector<LockStep>> lock_cycles(const LockSteps& all);

}  // namespace comex::checker
