// How the façade defines its C functions.
//
// A definition begins with COMEX_C. That of PARMCI_X begins with COMEX_PROFILED(X) instead, which also makes
// the weak name ARMCI_X, which a profiler may replace. A function that can fail begins with a CallName.
// Functions that move a few bytes do without, because it would cost them a third; comex.h's name (put, nbget,
// rmw) says as much.
#pragma once

#include "runtime/facade.h"

#define COMEX_C extern "C" __attribute__((visibility("default")))
#define COMEX_WEAK_NAME(name, target) \
  extern "C" decltype(target) name __attribute__((weak, alias(#target), visibility("default")))
#define COMEX_PROFILED(name)                    \
  COMEX_WEAK_NAME(ARMCI_##name, PARMCI_##name); \
  COMEX_C
