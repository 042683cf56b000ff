#include "calls/carry_out.h"

#include <string>

#include "runtime/call.h"
#include "runtime/opening/server_options.h"

namespace comex::calls {
namespace {

const void* far_of(const Operation& operation) {
  return operation.layout == protocol::Layout::vector ? operation.scatter.far[0] : operation.far;
}

std::uint64_t bytes_of(const Operation& operation) {
  return operation.layout == protocol::Layout::vector ? operation.scatter.total_bytes()
                                                      : operation.patch.total_bytes();
}

// Counts the operations of a call; with COMEX_TRACE the last one's event lasts as long as the call.
class CountedCall {
 public:
  CountedCall(const runtime::Runtime& runtime, std::span<const Operation> operations,
              const runtime::Reach& target)
      : activity_(runtime.activity()) {
    for (const Operation& operation : operations)
      event_ = runtime.count(op::kind_of(operation.action), target, bytes_of(operation));
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;
  ~CountedCall() {
    if (event_ != 0) activity_.end_event(event_);
  }

 private:
  const activity::Recorder& activity_;
  std::uint32_t event_ = 0;
};

bool moves_nothing(const Operation& operation) {
  return operation.layout == protocol::Layout::vector ? operation.scatter.empty() : operation.patch.empty();
}

int carry_out_directly(runtime::Runtime& runtime, const char* name, std::span<const Operation> operations,
                       const runtime::Reach& target) {
  runtime.order_before_direct(target);
  const op::Direct& direct = *target.direct;
  const auto refuse = [&](const Operation& operation, const op::Checked& checked) {
    return runtime.reporter().fail(runtime.context(name, target, far_of(operation)),
                                   direct.describe(checked, target.worker(), target.place));
  };
  if (operations.size() > 1) {  // all or none of them
    for (const Operation& operation : operations) {
      const op::Checked checked = direct.check_all(operation, target.place);
      if (!checked) return refuse(operation, checked);
    }
  }
  bool recovered = false;
  for (const Operation& operation : operations) {
    const op::Checked checked = direct.run(operation, target.place, recovered);
    if (!checked) return refuse(operation, checked);
  }
  if (recovered) say_recovered(runtime, runtime.context(name, target));
  return COMEX_SUCCESS;
}

}  // namespace

runtime::Runtime* enter(const Call& call, runtime::Reach& target) {
  runtime::Runtime* const runtime = runtime::enter(call.name);
  const bool is_found =
      runtime != nullptr && runtime::find_reach(*runtime, call.name, call.proc, call.group, target);
  return is_found ? runtime : nullptr;
}

void say_recovered(const runtime::Runtime& runtime, const Context& where) {
  runtime.reporter().warn(where, runtime::memory_recovered_text());
}

int carry_out(runtime::Runtime& runtime, const char* name, std::span<const Operation> operations,
              const runtime::Reach& target, activity::Kind kind, const Finish& finish) {
  const CountedCall counted(runtime, operations, target);
  if (runtime.is_direct(kind, target)) {
    const int result = carry_out_directly(runtime, name, operations, target);
    if (result == COMEX_SUCCESS && finish.kind == Finish::Kind::handle) {
      *finish.handle = nb::HandleTable::completed_handle;
    }
    return result;
  }
  const op::RemoteTarget remote_target = target.remote_target();
  op::Remote& remote = *target.remote;
  const bool is_blocking = finish.kind == Finish::Kind::blocking;
  const bool may_append = !is_blocking && operations.size() == 1 && remote.takes(operations[0]);
  const auto begin = [&](nb::Completion& completion) {
    for (Operation operation : operations) {
      operation.is_blocking = is_blocking;
      if (may_append) {
        remote.append_or_start(operation, remote_target, completion);
      } else {
        remote.start(operation, remote_target, completion);
      }
    }
  };
  std::uint64_t bytes = 0;
  for (const Operation& operation : operations) bytes += bytes_of(operation);
  return finish_remote(runtime, remote, target.reason(name), finish, begin,
                       !is_blocking && op::Remote::is_small(bytes) ? &remote_target : nullptr);
}

int carry_out(runtime::Runtime& runtime, const char* name, const Result<Operation>& operation,
              const runtime::Reach& target, const void* far, const Finish& finish) {
  if (!operation) {
    return runtime.reporter().fail(runtime.context(name, target, far), operation.failure());
  }
  const std::size_t operations = moves_nothing(operation.value()) ? 0 : 1;
  return carry_out(runtime, name, std::span(&operation.value(), operations), target,
                   op::kind_of(operation->action), finish);
}

bool find_arguments(runtime::Runtime& runtime, const char* name, const Accumulate& acc,
                    op::Arguments& found) {
  const Scaling scaling = acc.scaling();
  found = {.action = Action::acc, .scalar = scaling.scalar, .scale = acc.scale, .combine = scaling.combine};
  if (found.scalar != Scalar::none) return true;
  std::string text;
  if (!acc.is_known()) {
    text = "the operation " + std::to_string(acc.op) + " is unknown; COMEX_OP_SUM to COMEX_OP_XOR are " +
           std::to_string(COMEX_OP_SUM) + " to " + std::to_string(COMEX_OP_XOR);
  } else if (scalar_of(acc.type) == Scalar::none) {
    text = "the accumulate type " + std::to_string(acc.type) +
           " is unknown; COMEX_ACC_INT to COMEX_ACC_LNG are " + std::to_string(COMEX_ACC_INT) + " to " +
           std::to_string(COMEX_ACC_LNG);
  } else if (acc.combine() >= Combine::bit_and) {
    text = "COMEX_OP_AND, _OR and _XOR work on COMEX_ACC_INT and COMEX_ACC_LNG only";
  } else {
    text = "COMEX_OP_MIN and _MAX do not work on complex numbers, COMEX_ACC_CPL and COMEX_ACC_DCP";
  }
  runtime.reporter().fail({.operation = name}, text);
  return false;
}

}  // namespace comex::calls
