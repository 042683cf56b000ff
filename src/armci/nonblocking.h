// Turns a non-blocking call of ARMCI into one of comex.h, and decides what its handle stands for.
#pragma once

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
