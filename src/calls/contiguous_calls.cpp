// The calls put, get, acc and their non-blocking forms. Each tries the short direct path first.
#include "calls/batched_calls.h"
#include "calls/plain_target.h"
#include "calls/transfer.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

struct Bytes {  // the caller's memory, the target's, and the number of bytes
  void* near = nullptr;
  void* far = nullptr;
  int bytes = 0;
};
struct Accumulate {
  int op = 0;
  void* scale = nullptr;
};

// The long way for everything that the short path does not serve or refuses. It starts from the beginning.
[[gnu::noinline]] int transfer(const Call& call, const op::Arguments& request, const Bytes& of,
                               const Finish& finish) {
  runtime::Reach target;
  runtime::Runtime* const runtime = enter(call, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  op::Arguments resolved = request;
  resolved.target = target.worker();
  const Result<Operation> operation = op::validate(resolved, of.near, of.far, of.bytes);
  return carry_out(*runtime, call.name, operation, target, of.far, finish);
}

[[gnu::noinline]] int accumulate(const Call& call, const Accumulate& as, const Bytes& of,
                                 const Finish& finish) {
  runtime::Runtime* const runtime = runtime::enter(call.name);
  op::Arguments request{.action = Action::acc, .scale = as.scale};
  if (runtime == nullptr || !find_scalar(*runtime, call.name, as.op, request.scalar)) return COMEX_FAILURE;
  return transfer(call, request, of, finish);
}

[[gnu::noinline]] int blocking_put(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return transfer({"put", proc, group}, {.action = Action::put}, {src, dst, bytes}, Finish::block());
}

[[gnu::noinline]] int blocking_get(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return transfer({"get", proc, group}, {.action = Action::get}, {dst, src, bytes}, Finish::block());
}

inline bool small_put(const void* src, void* dst, int bytes, int proc, comex_group_t group) {
  PlainTarget to(proc, group);
  if (!to || bytes <= 0 || src == nullptr) return false;
  to.count(activity::Kind::put, static_cast<std::uint64_t>(bytes));
  return to.direct().try_put(to.place(), to.target(), src, dst, static_cast<std::uint64_t>(bytes));
}

inline bool small_get(const void* src, void* dst, int bytes, int proc, comex_group_t group) {
  PlainTarget from(proc, group);
  if (!from || bytes <= 0 || dst == nullptr) return false;
  from.count(activity::Kind::get, static_cast<std::uint64_t>(bytes));
  return from.direct().try_get(from.place(), from.target(), dst, src, static_cast<std::uint64_t>(bytes));
}

// The bytes of whole elements.
inline std::uint64_t whole_bytes(Scalar scalar, int bytes) {
  return static_cast<std::uint64_t>(bytes) & ~(std::uint64_t{scalar_bytes(scalar)} - 1);
}

inline bool small_acc(const Call& call, const Accumulate& as, const Bytes& of) {
  PlainTarget to(call.proc, call.group);
  const Scalar scalar = scalar_of(as.op);
  if (!to || scalar == Scalar::none || of.bytes <= 0 || as.scale == nullptr || of.near == nullptr)
    return false;
  const std::uint64_t whole = whole_bytes(scalar, of.bytes);
  if (whole == 0) return false;
  to.count(activity::Kind::acc, whole);
  bool recovered = false;
  const bool is_done =
      to.direct().try_acc(to.place(), to.target(), {scalar, as.scale}, {of.near, of.far, whole}, recovered);
  if (recovered) [[unlikely]]
    say_recovered(to.runtime(), {call.name, Target(call.proc)});
  return is_done;
}

bool appended_put(const void* src, void* dst, int bytes, int proc, comex_group_t group) {
  if (bytes <= 0) return false;
  runtime::Runtime* const runtime = behind_server(op::Way::put, src, dst, proc, group);
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far) {
    return remote.append_put(src, dst, static_cast<std::uint64_t>(bytes), far);
  };
  if (runtime == nullptr || !runtime->append({"nbput", proc}, static_cast<Worker>(proc), append))
    return false;
  runtime->count(activity::Kind::put, runtime->place(static_cast<Worker>(proc)),
                 static_cast<std::uint64_t>(bytes));
  return true;
}

bool appended_acc(const Call& call, const Accumulate& as, const Bytes& of) {
  const Scalar scalar = scalar_of(as.op);
  if (scalar == Scalar::none || as.scale == nullptr || of.bytes <= 0) return false;
  runtime::Runtime* const runtime = behind_server(op::Way::acc, of.near, of.far, call.proc, call.group);
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far) {
    return remote.append_acc({scalar, as.scale}, of.near, of.far, whole_bytes(scalar, of.bytes), far);
  };
  const auto target = static_cast<Worker>(call.proc);
  if (runtime == nullptr || !runtime->append({call.name, call.proc}, target, append)) return false;
  runtime->count(activity::Kind::acc, runtime->place(target), whole_bytes(scalar, of.bytes));
  return true;
}

bool appended_get(const void* src, void* dst, int bytes, int proc, comex_group_t group,
                  comex_request_t* handle) {
  runtime::Runtime* const runtime = bytes > 0 ? behind_server(op::Way::get, dst, src, proc, group) : nullptr;
  if (runtime == nullptr || !runtime->remote().takes(static_cast<std::uint64_t>(bytes))) return false;
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far, nb::Completion& completion) {
    return remote.append_get(dst, src, static_cast<std::uint64_t>(bytes), far, completion);
  };
  if (!appended_and_awaited(*runtime, {"nbget", proc}, handle, append)) return false;
  runtime->count(activity::Kind::get, runtime->place(static_cast<Worker>(proc)),
                 static_cast<std::uint64_t>(bytes));
  return true;
}

inline int completed(comex_request_t* handle) {
  if (handle != nullptr) *handle = nb::HandleTable::completed_handle;
  return COMEX_SUCCESS;
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  if (small_put(src, dst, bytes, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return blocking_put(src, dst, bytes, proc, group);
}

int comex_get(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  if (small_get(src, dst, bytes, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return blocking_get(src, dst, bytes, proc, group);
}

int comex_acc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group) {
  const Call call{"acc", proc, group};
  if (small_acc(call, {op, scale}, {src, dst, bytes})) [[likely]]
    return COMEX_SUCCESS;
  return accumulate(call, {op, scale}, {src, dst, bytes}, Finish::block());
}

int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  if (small_put(src, dst, bytes, proc, group)) return completed(handle);
  if (appended_put(src, dst, bytes, proc, group)) return completed(handle);
  return transfer({"nbput", proc, group}, {.action = Action::put}, {src, dst, bytes}, Finish::by(handle));
}

int comex_nbget(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  if (small_get(src, dst, bytes, proc, group)) return completed(handle);
  if (appended_get(src, dst, bytes, proc, group, handle)) return COMEX_SUCCESS;
  return transfer({"nbget", proc, group}, {.action = Action::get}, {dst, src, bytes}, Finish::by(handle));
}

int comex_nbacc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
                comex_request_t* handle) {
  const Call call{"nbacc", proc, group};
  if (small_acc(call, {op, scale}, {src, dst, bytes})) return completed(handle);
  if (appended_acc(call, {op, scale}, {src, dst, bytes})) return completed(handle);
  return accumulate(call, {op, scale}, {src, dst, bytes}, Finish::by(handle));
}
