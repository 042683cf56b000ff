// rmw and nbrmw, put_signal and wait_until.
#include <atomic>
#include <iterator>

#include "api/call.h"
#include "api/small.h"
#include "api/transfer.h"

namespace comex::api {
namespace {

struct Code {
  protocol::Atomic atomic;
  Scalar scalar;
};

bool find_code(int op, Code& code) {
  using protocol::Atomic;
  constexpr Atomic atomics[] = {Atomic::swap,      Atomic::fetch_add, Atomic::compare_swap,
                                Atomic::fetch_and, Atomic::fetch_or,  Atomic::fetch_xor};
  // In pairs: of an int, of a long.
  static_assert(COMEX_FETCH_AND_XOR_LONG - COMEX_SWAP + 1 == 2 * std::size(atomics));
  static_assert(COMEX_SWAP_LONG - COMEX_SWAP == 1 && COMEX_FETCH_AND_ADD - COMEX_SWAP == 2 &&
                COMEX_COMPARE_AND_SWAP - COMEX_SWAP == 4 && COMEX_FETCH_AND_AND - COMEX_SWAP == 6 &&
                COMEX_FETCH_AND_OR - COMEX_SWAP == 8);
  if (op < COMEX_SWAP || op > COMEX_FETCH_AND_XOR_LONG) return false;
  const auto index = static_cast<unsigned>(op - COMEX_SWAP);
  code = {atomics[index / 2], index % 2 == 0 ? Scalar::int32 : Scalar::int64};
  return true;
}

inline bool small_rmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group) {
  const Small to(proc, group);
  Code code{};
  if (!to || ploc == nullptr || !find_code(op, code)) return false;
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(prem) % scalar_bytes(code.scalar) == 0;
  return is_aligned &&
         to.direct().try_atomic(to.place(), to.target(), code.scalar, code.atomic, ploc, prem, extra);
}

[[gnu::noinline]] int rmw(const char* name, int op, void* ploc, void* prem, int extra, int proc,
                          comex_group_t group, const Finish& finish) {
  Runtime* runtime = enter(name);
  Reach target;
  if (runtime == nullptr || !find_reach(*runtime, name, proc, group, target)) return COMEX_FAILURE;
  const Context where{name, target.lpid, prem};
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
                            .target = target.worker(),
                            .near = static_cast<std::byte*>(ploc),
                            .far = static_cast<std::byte*>(prem),
                            .operand = extra,
                            .is_blocking = finish.kind == Finish::Kind::blocking};
  if (const Status valid = op::validate(operation); !valid) {
    return runtime->reporter.fail(where, valid.failure());
  }
  if (runtime->is_direct(op::Way::atomic, target)) {
    runtime->order_before_direct(target);
    const op::Checked checked = target.direct->atomic(operation, target.place);
    if (!checked) {
      return runtime->reporter.fail(where, target.direct->describe(checked, target.worker(), target.place));
    }
    if (finish.kind == Finish::Kind::handle) *finish.handle = nb::HandleTable::completed_handle;
    return COMEX_SUCCESS;
  }
  const op::FarSide far = target.far_side();
  op::Remote& remote = *target.remote;
  const bool is_small = finish.kind != Finish::Kind::blocking;
  const auto begin = [&](nb::Completion& completion) {
    if (is_small && remote.append_atomic(operation, far, completion)) return;
    remote.start_atomic(operation, far, completion);
  };
  return finish_remote(*runtime, remote, {name, target.lpid, far.server}, finish, begin,
                       is_small ? &far : nullptr);
}

int signal(Runtime& runtime, const char* name, long* word, long value, const Reach& target) {
  const Context where{name, target.lpid, word};
  if (word == nullptr || reinterpret_cast<std::uintptr_t>(word) % sizeof(long) != 0) {
    return runtime.reporter.fail(where, "the signal word is null or not aligned to its 8 bytes");
  }
  const auto bits = static_cast<std::uint64_t>(value);
  if (runtime.is_direct(op::Way::put, target)) {
    runtime.order_before_direct(target);
    const op::Direct& direct = *target.direct;
    const op::Checked checked = direct.store(target.place, target.worker(), word, bits, sizeof(long));
    if (checked) return COMEX_SUCCESS;
    return runtime.reporter.fail(where, direct.describe(checked, target.worker(), target.place));
  }
  const op::FarSide far = target.far_side();
  return finish_remote(runtime, *target.remote, {name, target.lpid, far.server}, Finish::block(),
                       [&](nb::Completion& completion) {
                         target.remote->start_store(word, sizeof(long), bits, far, completion);
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
  if (small_rmw(op, ploc, prem, extra, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return rmw("rmw", op, ploc, prem, extra, proc, group, Finish::block());
}

int comex_nbrmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group,
                comex_request_t* handle) {
  if (small_rmw(op, ploc, prem, extra, proc, group)) {
    if (handle != nullptr) *handle = comex::nb::HandleTable::completed_handle;
    return COMEX_SUCCESS;
  }
  return rmw("nbrmw", op, ploc, prem, extra, proc, group, Finish::by(handle));
}

int comex_put_signal(void* src, void* dst, int bytes, long* signal_word, long value, int proc,
                     comex_group_t group) {
  const char* name = "put_signal";
  Runtime* runtime = enter(name);
  Reach target;
  if (runtime == nullptr || !find_reach(*runtime, name, proc, group, target)) return COMEX_FAILURE;
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
