// docs/memory-model.md as a program: every outcome that it permits to a small program of workers.
//
// Each worker has a list of what it has begun and what has not taken effect yet. A step of the model is
// either the next instruction of a worker, or one entry of a list taking effect. All orders of steps are gone
// through; states that were met before are not gone through again. Each rule in permitted.cpp names its
// sentence of the document. It says nothing of what the library does beyond its promises.
#pragma once

#include <cstddef>
#include <set>

#include "rules/program.h"

namespace comex::rules {

struct Permitted {
  std::set<Outcome> outcomes;
  bool may_hang = false;    // some order of steps leaves a worker waiting for ever
  bool is_complete = true;  // false: there were more than most_states
  std::size_t states = 0;
};

Permitted permitted_outcomes(const Program& program, std::size_t most_states = 1'000'000);

}  // namespace comex::rules
