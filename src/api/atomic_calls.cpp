// rmw and nbrmw, put_signal and wait_until.
#include <atomic>

#include "api/call.h"
#include "api/transfer.h"

namespace comex::api {
namespace {

struct Code {
  protocol::Atomic atomic;
  Scalar scalar;
};

bool find_code(int op, Code& code) {
  using protocol::Atomic;
  switch (op) {
    case COMEX_SWAP:
      code = {Atomic::swap, Scalar::int32};
      return true;
    case COMEX_SWAP_LONG:
      code = {Atomic::swap, Scalar::int64};
      return true;
    case COMEX_FETCH_AND_ADD:
      code = {Atomic::fetch_add, Scalar::int32};
      return true;
    case COMEX_FETCH_AND_ADD_LONG:
      code = {Atomic::fetch_add, Scalar::int64};
      return true;
    case COMEX_COMPARE_AND_SWAP:
      code = {Atomic::compare_swap, Scalar::int32};
      return true;
    case COMEX_COMPARE_AND_SWAP_LONG:
      code = {Atomic::compare_swap, Scalar::int64};
      return true;
    case COMEX_FETCH_AND_AND:
      code = {Atomic::fetch_and, Scalar::int32};
      return true;
    case COMEX_FETCH_AND_AND_LONG:
      code = {Atomic::fetch_and, Scalar::int64};
      return true;
    case COMEX_FETCH_AND_OR:
      code = {Atomic::fetch_or, Scalar::int32};
      return true;
    case COMEX_FETCH_AND_OR_LONG:
      code = {Atomic::fetch_or, Scalar::int64};
      return true;
    case COMEX_FETCH_AND_XOR:
      code = {Atomic::fetch_xor, Scalar::int32};
      return true;
    case COMEX_FETCH_AND_XOR_LONG:
      code = {Atomic::fetch_xor, Scalar::int64};
      return true;
    default:
      return false;
  }
}

int rmw(const char* name, int op, void* ploc, void* prem, int extra, int proc, comex_group_t group,
        const Finish& finish) {
  Runtime* runtime = enter(name);
  Worker target = 0;
  if (runtime == nullptr || !find_target(*runtime, name, proc, group, target)) return COMEX_FAILURE;
  const Context where{name, static_cast<int>(target), prem};
  Code code{};
  if (!find_code(op, code)) {
    return runtime->reporter.fail(where, "the operation " + std::to_string(op) +
                                             " is unknown; COMEX_SWAP to "
                                             "COMEX_FETCH_AND_XOR_LONG are " +
                                             std::to_string(COMEX_SWAP) + " to " +
                                             std::to_string(COMEX_FETCH_AND_XOR_LONG));
  }
  AtomicOperation operation{.atomic = code.atomic,
                            .scalar = code.scalar,
                            .target = static_cast<Lpid>(target),
                            .near = static_cast<std::byte*>(ploc),
                            .far = static_cast<std::byte*>(prem),
                            .operand = extra};
  if (const Status valid = op::validate(operation); !valid) {
    return runtime->reporter.fail(where, valid.failure());
  }
  if (runtime->router.is_direct(op::Way::atomic, target)) {
    order_before_direct(*runtime, target);
    const groups::WorkerPlace& place = runtime->place(target);
    const op::Checked checked = runtime->direct.atomic(operation, place);
    if (!checked) {
      return runtime->reporter.fail(where, runtime->direct.describe(checked, target, place));
    }
    if (finish.kind == Finish::Kind::handle) *finish.handle = nb::HandleTable::completed_handle;
    return COMEX_SUCCESS;
  }
  const op::FarSide far = runtime->far_side(target);
  return finish_remote(
      *runtime, {name, static_cast<int>(target), far.server}, finish,
      [&](nb::Completion& completion) { runtime->remote.start_atomic(operation, far, completion); });
}

int signal(Runtime& runtime, const char* name, long* word, long value, Worker target) {
  const Context where{name, static_cast<int>(target), word};
  if (word == nullptr || reinterpret_cast<std::uintptr_t>(word) % sizeof(long) != 0) {
    return runtime.reporter.fail(where, "the signal word is null or not aligned to its 8 bytes");
  }
  const auto bits = static_cast<std::uint64_t>(value);
  if (runtime.router.is_direct(op::Way::put, target)) {
    order_before_direct(runtime, target);
    const groups::WorkerPlace& place = runtime.place(target);
    const op::Checked checked = runtime.direct.store(place, target, word, bits, sizeof(long));
    if (checked) return COMEX_SUCCESS;
    return runtime.reporter.fail(where, runtime.direct.describe(checked, target, place));
  }
  const op::FarSide far = runtime.far_side(target);
  return finish_remote(runtime, {name, static_cast<int>(target), far.server}, Finish::block(),
                       [&](nb::Completion& completion) {
                         runtime.remote.start_store(word, sizeof(long), bits, far, completion);
                       });
}

bool holds(long left, int compare, long right) {
  switch (compare) {
    case COMEX_CMP_EQ:
      return left == right;
    case COMEX_CMP_NE:
      return left != right;
    case COMEX_CMP_GT:
      return left > right;
    case COMEX_CMP_GE:
      return left >= right;
    case COMEX_CMP_LT:
      return left < right;
    default:
      return left <= right;
  }
}

}  // namespace
}  // namespace comex::api

using namespace comex::api;
using comex::Worker;

int comex_rmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group) {
  return rmw("rmw", op, ploc, prem, extra, proc, group, Finish::block());
}

int comex_nbrmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group,
                comex_request_t* handle) {
  return rmw("nbrmw", op, ploc, prem, extra, proc, group, Finish::by(handle));
}

int comex_put_signal(void* src, void* dst, int bytes, long* signal_word, long value, int proc,
                     comex_group_t group) {
  const char* name = "put_signal";
  Runtime* runtime = enter(name);
  Worker target = 0;
  if (runtime == nullptr || !find_target(*runtime, name, proc, group, target)) return COMEX_FAILURE;
  if (comex_put(src, dst, bytes, proc, group) != COMEX_SUCCESS) return COMEX_FAILURE;
  return signal(*runtime, name, signal_word, value, target);
}

int comex_wait_until(long* word, int compare, long value) {
  const char* name = "wait_until";
  Runtime* runtime = enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (word == nullptr || reinterpret_cast<std::uintptr_t>(word) % sizeof(long) != 0) {
    return runtime->reporter.fail({name, -1, word}, "the word is null or not aligned to its 8 bytes");
  }
  if (compare < COMEX_CMP_EQ || compare > COMEX_CMP_LE) {
    return runtime->reporter.fail(
        {name, -1, word},
        "the comparison " + std::to_string(compare) + " is unknown; COMEX_CMP_EQ to COMEX_CMP_LE are 0 to 5");
  }
  const std::atomic_ref<long> watched(*word);
  const auto is_true = [&] { return holds(watched.load(std::memory_order_acquire), compare, value); };
  if (!is_true()) runtime->engine.wait(is_true, {name});
  return COMEX_SUCCESS;
}
