// Turns a non-blocking call of ARMCI into one of comex.h, and decides what its handle stands for.
#pragma once

#include "armci/export.h"
#include "armci/state.h"

namespace comex::armci {

// `start` takes a comex_request_t* (null: implicit) and returns a result of comex.h.
template <class Start>
int start_nonblocking(armci_hdl_t* handle, const Start& start) {
  if (handle == nullptr) return start(nullptr);
  comex_request_t request = 0;
  const int result = start(&request);
  if (result != COMEX_SUCCESS) return result;
  if (state().aggregates.collects(code_of(handle))) return state().aggregates.attach(handle, request);
  set_code(handle, request);
  return COMEX_SUCCESS;
}

}  // namespace comex::armci

// Defines PARMCI_NAME by comex_CALL, and PARMCI_NbNAME, which takes a handle after the same parameters, by
// comex_nbCALL. Both begin with `first`; that is nothing where a CallName would cost too much
// (armci/export.h).
#define COMEX_ARMCI_PAIR_AFTER(first, name, call, parameters, ...)                           \
  COMEX_PROFILED(name) int PARMCI_##name(COMEX_LIST parameters) {                            \
    first;                                                                                   \
    return comex_##call(__VA_ARGS__, COMEX_GROUP_WORLD);                                     \
  }                                                                                          \
  COMEX_PROFILED(Nb##name) int PARMCI_Nb##name(COMEX_LIST parameters, armci_hdl_t* handle) { \
    first;                                                                                   \
    return comex::armci::start_nonblocking(handle, [&](comex_request_t* request) {           \
      return comex_nb##call(__VA_ARGS__, COMEX_GROUP_WORLD, request);                        \
    });                                                                                      \
  }
#define COMEX_ARMCI_PAIR(...) \
  COMEX_ARMCI_PAIR_AFTER(const comex::runtime::CallName called(__func__), __VA_ARGS__)
