// Carries out the data calls of all layouts, once their arguments are an Operation.
#pragma once

#include <comex/comex.h>

#include <iterator>
#include <span>

#include "core/operation.h"
#include "op/validate.h"
#include "runtime/runtime.h"

namespace comex::calls {

// A call of the program: its name, and its target.
struct Call {
  const char* name = nullptr;
  int proc = 0;
  comex_group_t group = COMEX_GROUP_WORLD;
};

// Returns the runtime and the way to the call's target. If there is none, reports it and returns null.
runtime::Runtime* enter(const Call& call, runtime::Reach& target);

// How a call completes: it blocks, gives out a handle, or is implicit.
struct Finish {
  enum class Kind : unsigned char { blocking, handle, implicit };
  Kind kind = Kind::blocking;
  comex_request_t* handle = nullptr;

  static Finish block() { return {}; }
  static Finish by(comex_request_t* handle) {
    return {handle == nullptr ? Kind::implicit : Kind::handle, handle};
  }
};

// All operations are of one call, to one target, with one action. Returns COMEX_SUCCESS or COMEX_FAILURE.
int carry_out(runtime::Runtime& runtime, const char* name, std::span<const Operation> operations,
              const runtime::Reach& target, op::Way way, const Finish& finish);
int carry_out(runtime::Runtime& runtime, const char* name, const Result<Operation>& operation,
              const runtime::Reach& target, const void* far, const Finish& finish);

// Converts an accumulate code of comex.h to a scalar; none if it is unknown.
constexpr Scalar scalar_of(int code) {
  constexpr Scalar scalars[] = {Scalar::int32,         Scalar::float64,        Scalar::float32,
                                Scalar::complex_float, Scalar::complex_double, Scalar::int64};
  static_assert(COMEX_ACC_LNG - COMEX_ACC_INT + 1 == std::size(scalars));
  return code < COMEX_ACC_INT || code > COMEX_ACC_LNG ? Scalar::none : scalars[code - COMEX_ACC_INT];
}
// The same; reports an unknown code.
bool find_scalar(runtime::Runtime& runtime, const char* name, int code, Scalar& scalar);

// Reports that a lock of a dead process was taken over.
void say_recovered(const runtime::Runtime& runtime, const Context& where);

// Starts a remote operation and completes it as the caller asked. `appended_to`: begin() may add to a batch.
template <class Begin>
int finish_remote(runtime::Runtime& runtime, op::Remote& to, const op::WaitReason& reason,
                  const Finish& finish, Begin&& begin, const op::RemoteTarget* appended_to = nullptr);

}  // namespace comex::calls

#include "calls/transfer_finish.h"
