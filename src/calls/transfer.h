// How the data calls of all layouts are carried out once their arguments are an Operation.
#pragma once

#include <comex/comex.h>

#include <iterator>
#include <span>

#include "core/operation.h"
#include "op/validate.h"
#include "runtime/runtime.h"

namespace comex::calls {

// A call of the program: its name, and whom it names.
struct Call {
  const char* name = nullptr;
  int proc = 0;
  comex_group_t group = COMEX_GROUP_WORLD;
};

// The runtime, and how to get to whom the call names. Null, and told, where there is none.
runtime::Runtime* enter(const Call& call, runtime::Reach& target);

// How a caller wants to learn of the end: it blocks, has a handle, or asks for all at once later.
struct Finish {
  enum class Kind : unsigned char { blocking, handle, implicit };
  Kind kind = Kind::blocking;
  comex_request_t* handle = nullptr;

  static Finish block() { return {}; }
  static Finish by(comex_request_t* handle) {
    return {handle == nullptr ? Kind::implicit : Kind::handle, handle};
  }
};

// Operations of one call to one target, all of one action. COMEX_SUCCESS or COMEX_FAILURE.
int carry_out(runtime::Runtime& runtime, const char* name, std::span<const Operation> operations,
              const runtime::Reach& target, op::Way way, const Finish& finish);
int carry_out(runtime::Runtime& runtime, const char* name, const Result<Operation>& operation,
              const runtime::Reach& target, const void* far, const Finish& finish);

// An accumulate code of comex.h as a scalar; none if it is unknown.
constexpr Scalar scalar_of(int code) {
  constexpr Scalar scalars[] = {Scalar::int32,         Scalar::float64,        Scalar::float32,
                                Scalar::complex_float, Scalar::complex_double, Scalar::int64};
  static_assert(COMEX_ACC_LNG - COMEX_ACC_INT + 1 == std::size(scalars));
  return code < COMEX_ACC_INT || code > COMEX_ACC_LNG ? Scalar::none : scalars[code - COMEX_ACC_INT];
}
// The same; reports an unknown one.
bool find_scalar(runtime::Runtime& runtime, const char* name, int code, Scalar& scalar);

// A lock of a dead process was taken over on the way.
void say_recovered(const runtime::Runtime& runtime, const Context& where);

// Starts something remote and finishes it the way the caller asked for. What begin() may append goes to
// `appended_to`.
template <class Begin>
int finish_remote(runtime::Runtime& runtime, op::Remote& to, const op::WaitReason& reason,
                  const Finish& finish, Begin&& begin, const op::RemoteTarget* appended_to = nullptr);

}  // namespace comex::calls

#include "calls/transfer_finish.h"
