// The calls put, get, acc and acc_op, and their non-blocking forms. Each tries the short direct path first.
#include "calls/short_paths.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

struct ContiguousArguments {  // as the program passed them, unchecked
  void* near = nullptr;
  void* far = nullptr;
  std::int64_t bytes = 0;
};

void* writable(const void* source) {  // no call writes to its source
  return const_cast<void*>(source);
}

// The long way for everything that the short path does not serve or refuses. It starts from the beginning.
[[gnu::noinline]] int transfer(const Call& call, const DataCall& request,
                               const ContiguousArguments& arguments, const Finish& finish) {
  runtime::Reach target;
  op::Arguments resolved;
  runtime::Runtime* const runtime = enter(call, request, target, resolved);
  if (runtime == nullptr) return COMEX_FAILURE;
  return carry_out(*runtime, call.name,
                   op::validate(resolved, arguments.near, arguments.far, arguments.bytes), target,
                   arguments.far, finish);
}

// Takes its arguments one by one: a short path whose arguments lie in memory for it takes half as long again.
[[gnu::noinline]] int blocking_acc(int op, const void* scale, void* src, void* dst, std::int64_t bytes,
                                   int proc, comex_group_t group) {
  return transfer({"acc", proc, group}, as_acc(op, scale), {src, dst, bytes}, Finish::block());
}

// A put or a get, as its Action says.
template <Action action>
[[gnu::noinline]] int blocking_copy(void* near, void* far, std::int64_t bytes, int proc,
                                    comex_group_t group) {
  return transfer({action == Action::put ? "put" : "get", proc, group}, {.action = action},
                  {near, far, bytes}, Finish::block());
}

template <Action action, class Count>
inline bool small_copy(void* near, void* far, Count bytes, int proc, comex_group_t group) {
  PlainTarget to(proc, group);
  if (!to || bytes <= 0 || near == nullptr) return false;
  const auto count = static_cast<std::uint64_t>(bytes);
  to.count(op::kind_of(action), count);
  return action == Action::put ? to.direct().try_put(to.place(), to.target(), near, far, count)
                               : to.direct().try_get(to.place(), to.target(), near, far, count);
}

// The bytes of whole elements.
inline std::uint64_t whole_bytes(Scalar scalar, std::int64_t bytes) {
  return static_cast<std::uint64_t>(bytes) & ~(std::uint64_t{scalar_bytes(scalar)} - 1);
}

inline bool small_acc(const Call& call, const DataCall& acc, const ContiguousArguments& arguments) {
  PlainTarget to(call.proc, call.group);
  const Scalar scalar = acc.scaling().scalar;
  if (!to || scalar == Scalar::none || arguments.bytes <= 0 || acc.scale == nullptr ||
      arguments.near == nullptr)
    return false;
  const std::uint64_t whole = whole_bytes(scalar, arguments.bytes);
  if (whole == 0) return false;
  to.count(activity::Kind::acc, whole);
  bool recovered = false;
  const bool is_done = to.direct().try_acc(to.place(), to.target(), {scalar, acc.scale, acc.combine()},
                                           {arguments.near, arguments.far, whole}, recovered);
  if (recovered) [[unlikely]]
    say_recovered(to.runtime(), {call.name, Target(call.proc)});
  return is_done;
}

bool appended_put(const void* src, void* dst, std::int64_t bytes, int proc, comex_group_t group) {
  if (bytes <= 0) return false;
  runtime::Runtime* const runtime = behind_server(activity::Kind::put, src, dst, proc, group);
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far) {
    return remote.batches().append_put(src, dst, static_cast<std::uint64_t>(bytes), far);
  };
  return runtime != nullptr &&
         appended(*runtime, activity::Kind::put, {"nbput", proc}, static_cast<std::uint64_t>(bytes), append);
}

bool appended_acc(const Call& call, const DataCall& acc, const ContiguousArguments& arguments) {
  const Scaling scaling = acc.scaling();
  const bool is_sum = scaling.combine == Combine::sum;  // others are in no batch
  if (scaling.scalar == Scalar::none || !is_sum || acc.scale == nullptr || arguments.bytes <= 0) return false;
  runtime::Runtime* const runtime =
      behind_server(activity::Kind::acc, arguments.near, arguments.far, call.proc, call.group);
  const std::uint64_t whole = whole_bytes(scaling.scalar, arguments.bytes);
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far) {
    return remote.batches().append_acc(scaling, arguments.near, arguments.far, whole, far);
  };
  return runtime != nullptr && appended(*runtime, activity::Kind::acc, call, whole, append);
}

bool appended_get(const void* src, void* dst, std::int64_t bytes, int proc, comex_group_t group,
                  comex_request_t* handle) {
  runtime::Runtime* const runtime =
      bytes > 0 ? behind_server(activity::Kind::get, dst, src, proc, group) : nullptr;
  if (runtime == nullptr || !runtime->remote().batches().takes(static_cast<std::uint64_t>(bytes)))
    return false;
  const auto append = [&](op::Remote& remote, const op::RemoteTarget& far, nb::Completion& completion) {
    return remote.batches().append_get(dst, src, static_cast<std::uint64_t>(bytes), far, completion);
  };
  return appended_and_awaited(*runtime, activity::Kind::get, {"nbget", proc},
                              static_cast<std::uint64_t>(bytes), handle, append);
}

template <Action action, class Count>
inline int copy_bytes(void* near, void* far, Count bytes, int proc, comex_group_t group) {
  if (small_copy<action>(near, far, bytes, proc, group)) [[likely]]
    return COMEX_SUCCESS;
  return blocking_copy<action>(near, far, bytes, proc, group);
}

inline int acc_bytes(int op, const void* scale, void* src, void* dst, std::int64_t bytes, int proc,
                     comex_group_t group) {
  if (small_acc({"acc", proc, group}, as_acc(op, scale), {src, dst, bytes})) [[likely]]
    return COMEX_SUCCESS;
  return blocking_acc(op, scale, src, dst, bytes, proc, group);
}

[[gnu::noinline]] int nbput_bytes(void* src, void* dst, std::int64_t bytes, int proc, comex_group_t group,
                                  comex_request_t* handle) {
  if (small_copy<Action::put>(src, dst, bytes, proc, group)) return Finish::by(handle).complete();
  if (appended_put(src, dst, bytes, proc, group)) return Finish::by(handle).complete();
  return transfer({"nbput", proc, group}, as_put, {src, dst, bytes}, Finish::by(handle));
}

[[gnu::noinline]] int nbget_bytes(void* src, void* dst, std::int64_t bytes, int proc, comex_group_t group,
                                  comex_request_t* handle) {
  if (small_copy<Action::get>(dst, src, bytes, proc, group)) return Finish::by(handle).complete();
  if (appended_get(src, dst, bytes, proc, group, handle)) return COMEX_SUCCESS;
  return transfer({"nbget", proc, group}, as_get, {dst, src, bytes}, Finish::by(handle));
}

[[gnu::noinline]] int nbacc_bytes(const Call& call, const DataCall& acc, const ContiguousArguments& arguments,
                                  comex_request_t* handle) {
  if (small_acc(call, acc, arguments)) return Finish::by(handle).complete();
  if (appended_acc(call, acc, arguments)) return Finish::by(handle).complete();
  return transfer(call, acc, arguments, Finish::by(handle));
}

}  // namespace
}  // namespace comex::calls

using namespace comex::calls;
using comex::Action;
using comex::op::size_of;

[[gnu::flatten]] int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return copy_bytes<Action::put>(src, dst, bytes, proc, group);
}

[[gnu::flatten]] int comex_put_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group) {
  return copy_bytes<Action::put>(writable(src), dst, size_of(bytes), proc, group);
}

[[gnu::flatten]] int comex_get(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return copy_bytes<Action::get>(dst, src, bytes, proc, group);
}

[[gnu::flatten]] int comex_get_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group) {
  return copy_bytes<Action::get>(dst, writable(src), size_of(bytes), proc, group);
}

int comex_acc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return acc_bytes(op, scale, src, dst, bytes, proc, group);
}

int comex_acc_x(int type, const void* scale, const void* src, void* dst, size_t bytes, int proc,
                comex_group_t group) {
  return acc_bytes(type, scale, writable(src), dst, size_of(bytes), proc, group);
}

int comex_acc_op(int op, int type, const void* src, void* dst, size_t bytes, int proc, comex_group_t group) {
  const Call call{"acc_op", proc, group};
  const DataCall acc = as_acc_op(op, type);
  const ContiguousArguments arguments{writable(src), dst, size_of(bytes)};
  if (small_acc(call, acc, arguments)) return COMEX_SUCCESS;
  return transfer(call, acc, arguments, Finish::block());
}

int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  return nbput_bytes(src, dst, bytes, proc, group, handle);
}

int comex_nbput_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group,
                  comex_request_t* handle) {
  return nbput_bytes(writable(src), dst, size_of(bytes), proc, group, handle);
}

int comex_nbget(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  return nbget_bytes(src, dst, bytes, proc, group, handle);
}

int comex_nbget_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group,
                  comex_request_t* handle) {
  return nbget_bytes(writable(src), dst, size_of(bytes), proc, group, handle);
}

int comex_nbacc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
                comex_request_t* handle) {
  return nbacc_bytes({"nbacc", proc, group}, as_acc(op, scale), {src, dst, bytes}, handle);
}

int comex_nbacc_x(int type, const void* scale, const void* src, void* dst, size_t bytes, int proc,
                  comex_group_t group, comex_request_t* handle) {
  return nbacc_bytes({"nbacc", proc, group}, as_acc(type, scale), {writable(src), dst, size_of(bytes)},
                     handle);
}

int comex_nbacc_op(int op, int type, const void* src, void* dst, size_t bytes, int proc, comex_group_t group,
                   comex_request_t* handle) {
  return nbacc_bytes({"nbacc_op", proc, group}, as_acc_op(op, type), {writable(src), dst, size_of(bytes)},
                     handle);
}
