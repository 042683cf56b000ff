// How the façade defines its C functions.
//
// COMEX_C before a definition, or COMEX_PROFILED(X) after that of PARMCI_X, which gives it the weak name
// ARMCI_X that a profiler may replace. Each that can fail begins with a CallName, but
// those that move a few bytes: the name would cost them a third, and comex.h's (put, nbget, rmw) says as
// much.
#pragma once

#include "runtime/call_name.h"

#define COMEX_C extern "C" __attribute__((visibility("default")))
#define COMEX_WEAK_NAME(name, target) \
  extern "C" decltype(target) name __attribute__((weak, alias(#target), visibility("default")))
#define COMEX_PROFILED(name) COMEX_WEAK_NAME(ARMCI_##name, PARMCI_##name)
