#include "api/transfer.h"

#include <string>

namespace comex::api {
namespace {

const void* far_of(const Operation& operation) {
  return operation.layout == protocol::Layout::vector ? operation.scatter.far[0] : operation.far;
}

bool moves_nothing(const Operation& operation) {
  return operation.layout == protocol::Layout::vector ? operation.scatter.empty() : operation.patch.empty();
}

int carry_out_directly(Runtime& runtime, const char* name, std::span<const Operation> operations,
                       Worker target) {
  order_before_direct(runtime, target);
  const groups::WorkerPlace& place = runtime.place(target);
  const auto refuse = [&](const Operation& operation, const op::Checked& checked) {
    return runtime.reporter.fail({name, static_cast<int>(target), far_of(operation)},
                                 runtime.direct.describe(checked, target, place));
  };
  if (operations.size() > 1) {  // all or nothing
    for (const Operation& operation : operations) {
      const op::Checked checked = runtime.direct.check_all(operation, place);
      if (!checked) return refuse(operation, checked);
    }
  }
  bool recovered = false;
  for (const Operation& operation : operations) {
    const op::Checked checked = runtime.direct.run(operation, place, recovered);
    if (!checked) return refuse(operation, checked);
  }
  if (recovered) say_recovered(runtime, target);
  return COMEX_SUCCESS;
}

}  // namespace

void say_recovered(Runtime& runtime, Worker target) {
  runtime.reporter.notice("a lock of a dead process on memory of worker " + std::to_string(target) +
                          " was taken over; what it guarded may be half updated");
}

void order_before_direct(Runtime& runtime, Worker target) {
  runtime.order_before_direct(target);
}

int carry_out(Runtime& runtime, const char* name, std::span<const Operation> operations, Worker target,
              op::Way way, const Finish& finish) {
  if (runtime.router.is_direct(way, target)) {
    const int result = carry_out_directly(runtime, name, operations, target);
    if (result == COMEX_SUCCESS && finish.kind == Finish::Kind::handle) {
      *finish.handle = nb::HandleTable::completed_handle;
    }
    return result;
  }
  const op::FarSide far = runtime.far_side(target);
  const op::WaitReason reason{name, static_cast<int>(target), far.server};
  if (finish.kind != Finish::Kind::blocking && operations.size() == 1) {
    bool appended = false;
    runtime.start(
        reason, [&] { appended = runtime.remote.append(operations[0], far); }, &far);
    if (appended) {
      if (finish.kind == Finish::Kind::handle) *finish.handle = nb::HandleTable::completed_handle;
      return COMEX_SUCCESS;
    }
  }
  return finish_remote(runtime, reason, finish, [&](nb::Completion& completion) {
    for (Operation operation : operations) {
      operation.is_blocking = finish.kind == Finish::Kind::blocking;
      runtime.remote.start(operation, far, completion);
    }
  });
}

int carry_out(Runtime& runtime, const char* name, const Result<Operation>& operation, Worker target,
              const void* far, const Finish& finish) {
  if (!operation) {
    return runtime.reporter.fail({name, static_cast<int>(target), far}, operation.failure());
  }
  const std::size_t operations = moves_nothing(operation.value()) ? 0 : 1;
  return carry_out(runtime, name, std::span(&operation.value(), operations), target,
                   op::way_of(operation->action), finish);
}

bool find_scalar(Runtime& runtime, const char* name, int code, Scalar& scalar) {
  scalar = scalar_of(code);
  if (scalar != Scalar::none) return true;
  runtime.reporter.fail({.operation = name}, "the accumulate type " + std::to_string(code) +
                                                 " is unknown; COMEX_ACC_INT to COMEX_ACC_LNG are " +
                                                 std::to_string(COMEX_ACC_INT) + " to " +
                                                 std::to_string(COMEX_ACC_LNG));
  return false;
}

}  // namespace comex::api
