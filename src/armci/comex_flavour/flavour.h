// What distinguishes the ComEx interface: its headers, and how its groups and handles map to comex.h.
//
// Every file of the façade includes "flavour.h" and is compiled once with each of the two. Both define the
// same names; types and codes differ only through the public headers.
#pragma once

#include <comex/armci.h>
#include <comex/comex.h>
#include <comex/iterator.h>
#include <comex/message.h>
#include <comex/parmci.h>

namespace comex::armci {

inline constexpr const char flavour_name[] = "libarmci";

using FinalizeResult = void;
inline void finalize_result(int) {}

// Malloc, Free, Barrier and messages without a group argument use the default group, not the world.
inline constexpr bool collectives_follow_default_group = true;

// The first call of Finalize ends it.
inline constexpr bool inits_are_counted = false;

inline comex_group_t handle_of(const ARMCI_Group* group) {
  return *group;
}
inline void fill_group(comex_group_t handle, ARMCI_Group* group) {
  *group = handle;
}
inline void forget_group(comex_group_t) {}

// The code of a handle. 0: nothing; positive: a request of comex.h; negative: an aggregate.
inline int code_of(const armci_hdl_t* handle) {
  return *handle;
}
inline void set_code(armci_hdl_t* handle, int code) {
  *handle = code;
}

}  // namespace comex::armci
