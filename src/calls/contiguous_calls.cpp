// put, get, acc and their non-blocking forms: the small direct path first, then everything else.
#include "calls/appended.h"
#include "calls/small.h"
#include "calls/transfer.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

[[gnu::noinline]] int transfer(const char* name, const op::Arguments& request, void* near, void* far,
                               int bytes, int proc, comex_group_t group, const Finish& finish) {
  runtime::Runtime* runtime = runtime::enter(name);
  runtime::Reach target;
  if (runtime == nullptr || !runtime::find_reach(*runtime, name, proc, group, target)) return COMEX_FAILURE;
  op::Arguments resolved = request;
  resolved.target = target.worker();
  return carry_out(*runtime, name, op::validate(resolved, near, far, bytes), target, far, finish);
}

// What the small path does not serve, or refuses: all of it once more, and slowly.
[[gnu::noinline]] int put(const char* name, void* src, void* dst, int bytes, int proc, comex_group_t group,
                          const Finish& finish) {
  return transfer(name, {.action = Action::put}, src, dst, bytes, proc, group, finish);
}

[[gnu::noinline]] int get(const char* name, void* src, void* dst, int bytes, int proc, comex_group_t group,
                          const Finish& finish) {
  return transfer(name, {.action = Action::get}, dst, src, bytes, proc, group, finish);
}

[[gnu::noinline]] int acc(const char* name, int op, void* scale, void* src, void* dst, int bytes, int proc,
                          comex_group_t group, const Finish& finish) {
  runtime::Runtime* runtime = runtime::enter(name);
  op::Arguments request{.action = Action::acc, .scale = scale};
  if (runtime == nullptr || !find_scalar(*runtime, name, op, request.scalar)) return COMEX_FAILURE;
  return transfer(name, request, src, dst, bytes, proc, group, finish);
}

[[gnu::noinline]] int blocking_put(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return put("put", src, dst, bytes, proc, group, Finish::block());
}

[[gnu::noinline]] int blocking_get(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return get("get", src, dst, bytes, proc, group, Finish::block());
}

inline bool small_put(const void* src, void* dst, int bytes, int proc, comex_group_t group) {
  const Small to(proc, group);
  return to && bytes > 0 && src != nullptr &&
         to.direct().try_put(to.place(), to.target(), src, dst, static_cast<std::uint64_t>(bytes));
}

inline bool small_get(const void* src, void* dst, int bytes, int proc, comex_group_t group) {
  const Small from(proc, group);
  return from && bytes > 0 && dst != nullptr &&
         from.direct().try_get(from.place(), from.target(), dst, src, static_cast<std::uint64_t>(bytes));
}

inline bool small_acc(const char* name, int op, const void* scale, const void* src, void* dst, int bytes,
                      int proc, comex_group_t group) {
  const Small to(proc, group);
  const Scalar scalar = scalar_of(op);
  if (!to || scalar == Scalar::none || bytes <= 0 || scale == nullptr || src == nullptr) return false;
  const std::uint64_t whole = static_cast<std::uint64_t>(bytes) & ~(std::uint64_t{scalar_bytes(scalar)} - 1);
  bool recovered = false;
  const bool is_done =
      whole != 0 && to.direct().try_acc(to.place(), to.target(), scalar, scale, src, dst, whole, recovered);
  if (recovered) [[unlikely]]
    say_recovered(to.runtime(), {name, Target(proc)});
  return is_done;
}

bool appended_put(const void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return appended({"nbput", proc}, op::Way::put, src, dst, bytes, group,
                  [&](op::Remote& remote, const op::RemoteTarget& far) {
                    return remote.append_put(src, dst, static_cast<std::uint64_t>(bytes), far);
                  });
}

bool appended_acc(int op, const void* scale, const void* src, void* dst, int bytes, int proc,
                  comex_group_t group) {
  const Scalar scalar = scalar_of(op);
  if (scalar == Scalar::none || scale == nullptr) return false;
  const std::uint64_t whole = static_cast<std::uint64_t>(bytes) & ~(std::uint64_t{scalar_bytes(scalar)} - 1);
  return appended({"nbacc", proc}, op::Way::acc, src, dst, bytes, group,
                  [&](op::Remote& remote, const op::RemoteTarget& far) {
                    return remote.append_acc(scalar, scale, src, dst, whole, far);
                  });
}

bool appended_get(const void* src, void* dst, int bytes, int proc, comex_group_t group,
                  comex_request_t* handle) {
  runtime::Runtime* const runtime = bytes > 0 ? behind_server(op::Way::get, dst, src, proc, group) : nullptr;
  if (runtime == nullptr || !runtime->remote().takes(static_cast<std::uint64_t>(bytes))) return false;
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far, nb::Completion& completion) {
    return remote.append_get(dst, src, static_cast<std::uint64_t>(bytes), far, completion);
  };
  return appended_and_awaited(*runtime, {"nbget", proc}, handle, append);
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
  if (small_acc("acc", op, scale, src, dst, bytes, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return acc("acc", op, scale, src, dst, bytes, proc, group, Finish::block());
}

int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  if (small_put(src, dst, bytes, proc, group)) return completed(handle);
  if (appended_put(src, dst, bytes, proc, group)) return completed(handle);
  return put("nbput", src, dst, bytes, proc, group, Finish::by(handle));
}

int comex_nbget(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  if (small_get(src, dst, bytes, proc, group)) return completed(handle);
  if (appended_get(src, dst, bytes, proc, group, handle)) return COMEX_SUCCESS;
  return get("nbget", src, dst, bytes, proc, group, Finish::by(handle));
}

int comex_nbacc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
                comex_request_t* handle) {
  if (small_acc("nbacc", op, scale, src, dst, bytes, proc, group)) return completed(handle);
  if (appended_acc(op, scale, src, dst, bytes, proc, group)) return completed(handle);
  return acc("nbacc", op, scale, src, dst, bytes, proc, group, Finish::by(handle));
}
