// The calls rmw and nbrmw.
#include <iterator>

#include "calls/batched_calls.h"
#include "calls/plain_target.h"
#include "calls/transfer.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

struct Code {
  protocol::Atomic atomic;
  Scalar scalar;
};

bool find_code(int op, Code& code) {
  using protocol::Atomic;
  constexpr Atomic atomics[] = {Atomic::swap,      Atomic::fetch_add, Atomic::compare_swap,
                                Atomic::fetch_and, Atomic::fetch_or,  Atomic::fetch_xor};
  // in pairs: one for an int, one for a long
  static_assert(COMEX_FETCH_AND_XOR_LONG - COMEX_SWAP + 1 == 2 * std::size(atomics));
  static_assert(COMEX_SWAP_LONG - COMEX_SWAP == 1 && COMEX_FETCH_AND_ADD - COMEX_SWAP == 2 &&
                COMEX_COMPARE_AND_SWAP - COMEX_SWAP == 4 && COMEX_FETCH_AND_AND - COMEX_SWAP == 6 &&
                COMEX_FETCH_AND_OR - COMEX_SWAP == 8);
  if (op < COMEX_SWAP || op > COMEX_FETCH_AND_XOR_LONG) return false;
  const auto index = static_cast<unsigned>(op - COMEX_SWAP);
  code = {atomics[index / 2], index % 2 == 0 ? Scalar::int32 : Scalar::int64};
  return true;
}

bool is_aligned(const void* word, Scalar scalar) {
  return reinterpret_cast<std::uintptr_t>(word) % scalar_bytes(scalar) == 0;
}

struct Rmw {  // the arguments of the program
  int op = 0;
  void* near = nullptr;
  void* far = nullptr;
  int extra = 0;

  // For the short ways. Returns false if an argument is wrong.
  bool to_operation(int proc, AtomicOperation& operation) const {
    Code code{};
    if (near == nullptr || !find_code(op, code) || !is_aligned(far, code.scalar)) return false;
    operation = to_operation(code, static_cast<Worker>(proc));
    return true;
  }
  AtomicOperation to_operation(const Code& code, Worker target) const {
    return {.atomic = code.atomic,
            .scalar = code.scalar,
            .target = target,
            .near = static_cast<std::byte*>(near),
            .far = static_cast<std::byte*>(far),
            .operand = extra};
  }
};

inline bool small_rmw(const Rmw& rmw, int proc, comex_group_t group) {
  PlainTarget to(proc, group);
  AtomicOperation operation;
  if (!to || !rmw.to_operation(proc, operation)) return false;
  to.count(activity::Kind::rmw, scalar_bytes(operation.scalar));
  return to.direct().try_atomic(operation, to.place());
}

bool appended_rmw(const Rmw& rmw, int proc, comex_group_t group, comex_request_t* handle) {
  runtime::Runtime* const runtime = behind_server(op::Way::atomic, rmw.near, rmw.far, proc, group);
  AtomicOperation operation;
  if (runtime == nullptr || !rmw.to_operation(proc, operation)) return false;
  if (!runtime->remote().takes(scalar_bytes(operation.scalar))) return false;
  operation.is_blocking = false;
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far, nb::Completion& completion) {
    return remote.append_atomic(operation, far, completion);
  };
  if (!appended_and_awaited(*runtime, {"nbrmw", proc}, handle, append)) return false;
  runtime->count(activity::Kind::rmw, runtime->place(operation.target), scalar_bytes(operation.scalar));
  return true;
}

[[gnu::noinline]] int perform(const Call& call, const Rmw& rmw, const Finish& finish) {
  runtime::Reach target;
  runtime::Runtime* const runtime = enter(call, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  const auto where = [&] { return runtime->context(call.name, target, rmw.far); };
  Code code{};
  if (!find_code(rmw.op, code)) {
    return runtime->reporter().fail(where(), "the operation " + std::to_string(rmw.op) +
                                                 " is unknown; COMEX_SWAP to "
                                                 "COMEX_FETCH_AND_XOR_LONG are " +
                                                 std::to_string(COMEX_SWAP) + " to " +
                                                 std::to_string(COMEX_FETCH_AND_XOR_LONG));
  }
  AtomicOperation operation = rmw.to_operation(code, target.worker());
  operation.is_blocking = finish.kind == Finish::Kind::blocking;
  if (const Status valid = op::validate(operation); !valid) {
    return runtime->reporter().fail(where(), valid.failure());
  }
  if (runtime->is_direct(op::Way::atomic, target)) {
    runtime->order_before_direct(target);
    const op::Checked checked = target.direct->atomic(operation, target.place);
    if (!checked) {
      return runtime->reporter().fail(where(),
                                      target.direct->describe(checked, target.worker(), target.place));
    }
    if (finish.kind == Finish::Kind::handle) *finish.handle = nb::HandleTable::completed_handle;
    runtime->count(activity::Kind::rmw, target, scalar_bytes(operation.scalar));
    return COMEX_SUCCESS;
  }
  runtime->count(activity::Kind::rmw, target, scalar_bytes(operation.scalar));
  const op::RemoteTarget far = target.remote_target();
  op::Remote& remote = *target.remote;
  const bool may_append = !operation.is_blocking;
  const auto begin = [&](nb::Completion& completion) { remote.append_or_start(operation, far, completion); };
  return finish_remote(*runtime, remote, target.reason(call.name), finish, begin,
                       may_append ? &far : nullptr);
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_rmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group) {
  const Rmw rmw{op, ploc, prem, extra};
  if (small_rmw(rmw, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return perform({"rmw", proc, group}, rmw, Finish::block());
}

int comex_nbrmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group,
                comex_request_t* handle) {
  const Rmw rmw{op, ploc, prem, extra};
  if (small_rmw(rmw, proc, group)) {
    if (handle != nullptr) *handle = nb::HandleTable::completed_handle;
    return COMEX_SUCCESS;
  }
  if (appended_rmw(rmw, proc, group, handle)) return COMEX_SUCCESS;
  return perform({"nbrmw", proc, group}, rmw, Finish::by(handle));
}
