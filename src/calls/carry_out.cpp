#include "calls/carry_out.h"

#include <string>

#include "runtime/call.h"
#include "runtime/opening/server_options.h"

namespace comex::calls {
namespace {

std::uint64_t bytes_of(const Operation& operation, const Scatter& scatter) {
  return operation.layout == protocol::Layout::vector ? scatter.total_bytes() : operation.patch.total_bytes();
}

// Counts what a call does; with COMEX_TRACE the last event lasts as long as the call.
class CountedCall {
 public:
  CountedCall(const runtime::Runtime& runtime, const Operation& operation, std::span<const Scatter> scatters,
              const runtime::Reach& target)
      : activity_(runtime.activity()) {
    for (const Scatter& scatter : scatters) {
      const std::uint64_t bytes = bytes_of(operation, scatter);
      event_ = runtime.count(op::kind_of(operation.action), target, bytes);
      bytes_ += bytes;
    }
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;
  ~CountedCall() {
    if (event_ != 0) activity_.end_event(event_);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  const activity::Recorder& activity_;
  std::uint32_t event_ = 0;
  std::uint64_t bytes_ = 0;
};

int carry_out_directly(runtime::Runtime& runtime, const char* name, Operation& operation,
                       std::span<const Scatter> scatters, const runtime::Reach& target) {
  runtime.order_before_direct(target);
  const op::Direct& direct = *target.direct;
  const auto refuse = [&](const shm::BoundsCheck& checked) {
    const auto* const far = reinterpret_cast<const void*>(target.place.base + checked.offset);
    return runtime.reporter().fail(runtime.context(name, target, far),
                                   direct.describe(checked, target.place));
  };
  if (scatters.size() > 1) {  // all or none of them
    for (const Scatter& scatter : scatters) {
      operation.scatter = scatter;
      const shm::BoundsCheck checked = direct.check_all(operation, target.place);
      if (!checked) return refuse(checked);
    }
  }
  bool recovered = false;
  for (const Scatter& scatter : scatters) {
    operation.scatter = scatter;
    const shm::BoundsCheck checked = direct.run(operation, target.place, recovered);
    if (!checked) return refuse(checked);
  }
  if (recovered) say_recovered(runtime, runtime.context(name, target));
  return COMEX_SUCCESS;
}

std::string what_is_wrong(const DataCall& acc) {
  if (!acc.is_known()) {
    return "the operation " + std::to_string(acc.op) + " is unknown; COMEX_OP_SUM to COMEX_OP_XOR are " +
           std::to_string(COMEX_OP_SUM) + " to " + std::to_string(COMEX_OP_XOR);
  }
  if (scalar_of(acc.type) == Scalar::none) {
    return "the accumulate type " + std::to_string(acc.type) +
           " is unknown; COMEX_ACC_INT to COMEX_ACC_LNG are " + std::to_string(COMEX_ACC_INT) + " to " +
           std::to_string(COMEX_ACC_LNG);
  }
  return acc.combine() >= Combine::bit_and
             ? "COMEX_OP_AND, _OR and _XOR work on COMEX_ACC_INT and COMEX_ACC_LNG only"
             : "COMEX_OP_MIN and _MAX do not work on complex numbers, COMEX_ACC_CPL and COMEX_ACC_DCP";
}

}  // namespace

runtime::Runtime* enter(const Call& call, const DataCall& request, runtime::Reach& target,
                        op::Arguments& found) {
  runtime::Runtime* const runtime = runtime::enter(call.name);
  if (runtime == nullptr) return nullptr;
  const Scaling scaling = request.scaling();
  if (request.action == Action::acc && scaling.scalar == Scalar::none) {
    runtime->reporter().fail({.operation = call.name}, what_is_wrong(request));
    return nullptr;
  }
  if (!runtime::find_reach(*runtime, call.name, call.proc, call.group, target)) return nullptr;
  found = {.action = request.action,
           .target = target.worker(),
           .scalar = scaling.scalar,
           .scale = scaling.factor,
           .combine = scaling.combine};
  return runtime;
}

runtime::Runtime* enter(const Call& call, runtime::Reach& target) {
  runtime::Runtime* const runtime = runtime::enter(call.name);
  const bool is_found =
      runtime != nullptr && runtime::find_reach(*runtime, call.name, call.proc, call.group, target);
  return is_found ? runtime : nullptr;
}

void say_recovered(const runtime::Runtime& runtime, const Context& where) {
  runtime.reporter().warn(where, runtime::memory_recovered_text());
}

int carry_out(runtime::Runtime& runtime, const char* name, Operation& operation,
              std::span<const Scatter> scatters, const runtime::Reach& target, const Finish& finish) {
  const CountedCall counted(runtime, operation, scatters, target);
  if (runtime.is_direct(op::kind_of(operation.action), target)) {
    const int result = carry_out_directly(runtime, name, operation, scatters, target);
    return result == COMEX_SUCCESS ? finish.complete() : result;
  }
  const op::RemoteTarget remote_target = target.remote_target();
  op::Remote& remote = *target.remote;
  operation.is_blocking = finish.kind == Finish::Kind::blocking;
  const auto begin = [&](nb::Completion& completion) {
    for (const Scatter& scatter : scatters) {
      operation.scatter = scatter;
      remote.append_or_start(operation, remote_target, completion);
    }
  };
  return finish_remote(
      runtime, remote, target.reason(name), finish, begin,
      !operation.is_blocking && op::remote::Batches::is_small(counted.bytes()) ? &remote_target : nullptr);
}

// Contiguous and strided operations use no scatter: a span of one means that they are done once.
int carry_out(runtime::Runtime& runtime, const char* name, Result<Operation> operation,
              const runtime::Reach& target, const void* far, const Finish& finish) {
  if (!operation) {
    return runtime.reporter().fail(runtime.context(name, target, far), operation.failure());
  }
  const std::size_t times = operation->patch.empty() ? 0 : 1;
  return carry_out(runtime, name, operation.value(), std::span(&operation->scatter, times), target, finish);
}

}  // namespace comex::calls
