// What distinguishes the packaged interface: its headers, and how its groups and handles map to comex.h.
//
// Every file of the façade includes "flavour.h" and is compiled once with each of the two. Both define the
// same names; types and codes differ only through the public headers.
#pragma once

#include <comex/armci-mpi/armci.h>
#include <comex/armci-mpi/armcix.h>
#include <comex/armci-mpi/message.h>
#include <comex/comex.h>

namespace comex::armci {

inline constexpr const char flavour_name[] = COMEX_PACKAGED_ARMCI;  // the library: it is named after its MPI

using FinalizeResult = int;
inline int finalize_result(int result) {
  return result;
}

// Malloc, Free, Barrier and messages without a group argument use the world, whatever the default group is.
// Global Arrays makes arrays of the world with Malloc while a smaller group is the default.
inline constexpr bool collectives_follow_default_group = false;

// As many calls of Finalize as of Init end it.
inline constexpr bool inits_are_counted = true;

comex_group_t handle_of(const ARMCI_Group* group);
void fill_group(comex_group_t handle, ARMCI_Group* group);
void forget_group(comex_group_t handle);

// The code of a handle. 0: nothing; positive: a request of comex.h; negative: an aggregate.
inline int code_of(const armci_hdl_t* handle) {
  return handle->target;
}
inline void set_code(armci_hdl_t* handle, int code) {
  handle->target = code;
  handle->aggregate = code < 0 ? 1 : 0;
}

}  // namespace comex::armci
