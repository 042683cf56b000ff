// Carries out the data calls of all layouts, once their arguments are an Operation.
#pragma once

#include <comex/comex.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <span>

#include "core/operation.h"
#include "op/validate.h"
#include "runtime/call.h"
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
  // For an operation that is complete.
  int complete() const {
    if (handle != nullptr) *handle = nb::HandleTable::completed_handle;
    return COMEX_SUCCESS;
  }
};

// Does the operation once with each of the scatters. On the own host a wrong one of them leaves all undone;
// servers refuse messages one by one. Returns COMEX_SUCCESS or COMEX_FAILURE.
int carry_out(runtime::Runtime& runtime, const char* name, Operation& operation,
              std::span<const Scatter> scatters, const runtime::Reach& target, const Finish& finish);
int carry_out(runtime::Runtime& runtime, const char* name, Result<Operation> operation,
              const runtime::Reach& target, const void* far, const Finish& finish);

// Converts an accumulate code of comex.h to a scalar; none if it is unknown.
constexpr Scalar scalar_of(int code) {
  constexpr Scalar scalars[] = {Scalar::int32,         Scalar::float64,        Scalar::float32,
                                Scalar::complex_float, Scalar::complex_double, Scalar::int64};
  static_assert(COMEX_ACC_LNG - COMEX_ACC_INT + 1 == std::size(scalars));
  return code < COMEX_ACC_INT || code > COMEX_ACC_LNG ? Scalar::none : scalars[code - COMEX_ACC_INT];
}

template <class T>
constexpr Scale scale_by_one() {
  Scale one{};
  const auto bytes = std::bit_cast<std::array<unsigned char, sizeof(T)>>(T{1});
  std::copy(bytes.begin(), bytes.end(), one.bytes);
  return one;
}
inline constexpr Scale ones[] = {{},
                                 scale_by_one<std::int32_t>(),
                                 scale_by_one<std::int64_t>(),
                                 scale_by_one<float>(),
                                 scale_by_one<double>(),
                                 scale_by_one<float>(),
                                 scale_by_one<double>()};
static_assert(std::size(ones) == scalar_kinds);

// What a call asks for: an action and, of an accumulate, a type and a scale, or a type and an operation.
struct DataCall {
  Action action = Action::acc;
  int type = 0;
  const void* scale = nullptr;
  int op = COMEX_OP_SUM;

  bool is_known() const { return op >= COMEX_OP_SUM && op <= COMEX_OP_XOR; }
  Combine combine() const { return static_cast<Combine>(op - COMEX_OP_SUM); }
  // The scalar is none if anything is wrong but the scale's address.
  Scaling scaling() const {
    const Scalar scalar = scalar_of(type);
    if (!is_known() || !can_combine(combine(), scalar)) return {};
    return {scalar, scale, combine()};
  }
};
static_assert(COMEX_OP_XOR - COMEX_OP_SUM + 1 == combine_kinds && COMEX_OP_MIN - COMEX_OP_SUM == 1 &&
              COMEX_OP_MAX - COMEX_OP_SUM == 2 && COMEX_OP_PROD - COMEX_OP_SUM == 3 &&
              COMEX_OP_REPLACE - COMEX_OP_SUM == 4 && COMEX_OP_AND - COMEX_OP_SUM == 5 &&
              COMEX_OP_OR - COMEX_OP_SUM == 6);
inline constexpr DataCall as_put{.action = Action::put};
inline constexpr DataCall as_get{.action = Action::get};
inline DataCall as_acc(int type, const void* scale) {
  return {.type = type, .scale = scale};
}
inline DataCall as_acc_op(int op, int type) {
  return {.type = type, .scale = &ones[static_cast<unsigned>(scalar_of(type))], .op = op};
}
// The same as enter() above, and finds what op::validate() takes.
runtime::Runtime* enter(const Call& call, const DataCall& request, runtime::Reach& target,
                        op::Arguments& found);

// Reports that a lock of a dead process was taken over.
[[gnu::noinline]] void say_recovered(const runtime::Runtime& runtime, const Context& where);

// Starts a remote operation and completes it as the caller asked: the one place where blocking, handled and
// implicit completion differ. `leaves_to`: if set, the call returns only when the message has left for this
// target, lies in a batch, or waits behind large operations.
template <class Begin>
int finish_remote(runtime::Runtime& runtime, op::Remote& to, const op::WaitReason& reason,
                  const Finish& finish, Begin&& begin, const op::RemoteTarget* leaves_to = nullptr) {
  switch (finish.kind) {
    case Finish::Kind::blocking: {
      nb::Completion completion;
      runtime.start_at_once([&] { begin(completion); });
      runtime.wait(completion, reason);
      if (leaves_to != nullptr) runtime.wait_until_out(to, *leaves_to, reason);
      return runtime::result_of(runtime, completion.take_failure());
    }
    case Finish::Kind::implicit:
      runtime.start(
          to, reason, [&] { begin(runtime.implicit().of(reason.target)); }, leaves_to);
      return COMEX_SUCCESS;
    case Finish::Kind::handle:
      break;
  }
  int issued = 0;
  const auto begin_with_handle = [&] {
    issued = runtime.handles().issue();
    if (issued == 0) return;
    nb::Completion& completion = *runtime.handles().find(issued);
    begin(completion);
    completion.complete();  // completes the part with which issue() began
    runtime.note_handle(issued, reason);
  };
  runtime.start(to, reason, begin_with_handle, leaves_to);
  if (issued == 0) {
    return runtime.reporter().fail(runtime.context(reason.operation, reason.target, reason.named),
                                   "no handle is free");
  }
  *finish.handle = issued;
  return COMEX_SUCCESS;
}

}  // namespace comex::calls
