// put, get, acc and their non-blocking forms: the small direct path first, then everything else.
#include "api/call.h"
#include "api/transfer.h"

namespace comex::api {
namespace {

// The target, if the call is one that can be served by a check and a copy.
inline bool is_small_path(const Runtime* runtime, op::Way way, const void* near, int bytes, int proc,
                          comex_group_t group) {
  return runtime != nullptr && group == COMEX_GROUP_WORLD && bytes > 0 && near != nullptr &&
         static_cast<std::uint32_t>(proc) < runtime->size() &&
         runtime->is_plain(way, static_cast<Worker>(proc));
}

[[gnu::noinline]] int transfer(const char* name, const op::Request& request, void* near, void* far, int bytes,
                               int proc, comex_group_t group, const Finish& finish) {
  Runtime* runtime = enter(name);
  Worker target = 0;
  if (runtime == nullptr || !find_target(*runtime, name, proc, group, target)) return COMEX_FAILURE;
  op::Request resolved = request;
  resolved.target = static_cast<Lpid>(target);
  return carry_out(*runtime, name, op::validate(resolved, near, far, bytes), target, far, finish);
}

int put(const char* name, void* src, void* dst, int bytes, int proc, comex_group_t group,
        const Finish& finish) {
  return transfer(name, {.action = Action::put}, src, dst, bytes, proc, group, finish);
}

int get(const char* name, void* src, void* dst, int bytes, int proc, comex_group_t group,
        const Finish& finish) {
  return transfer(name, {.action = Action::get}, dst, src, bytes, proc, group, finish);
}

int acc(const char* name, int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
        const Finish& finish) {
  Runtime* runtime = enter(name);
  op::Request request{.action = Action::acc, .scale = scale};
  if (runtime == nullptr || !find_scalar(*runtime, name, op, request.scalar)) return COMEX_FAILURE;
  return transfer(name, request, src, dst, bytes, proc, group, finish);
}

}  // namespace
}  // namespace comex::api

using namespace comex::api;
using comex::Worker;
using comex::op::Way;

int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  const Runtime* runtime = current();
  if (is_small_path(runtime, Way::put, src, bytes, proc, group)) [[likely]] {
    const auto target = static_cast<Worker>(proc);
    if (runtime->direct.put(runtime->place(target), target, src, dst, static_cast<std::uint64_t>(bytes)))
        [[likely]] {
      return COMEX_SUCCESS;
    }
  }
  return put("put", src, dst, bytes, proc, group, Finish::block());
}

int comex_get(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  const Runtime* runtime = current();
  if (is_small_path(runtime, Way::get, dst, bytes, proc, group)) [[likely]] {
    const auto target = static_cast<Worker>(proc);
    if (runtime->direct.get(runtime->place(target), target, dst, src, static_cast<std::uint64_t>(bytes)))
        [[likely]] {
      return COMEX_SUCCESS;
    }
  }
  return get("get", src, dst, bytes, proc, group, Finish::block());
}

int comex_acc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return acc("acc", op, scale, src, dst, bytes, proc, group, Finish::block());
}

int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  return put("nbput", src, dst, bytes, proc, group, Finish::by(handle));
}

int comex_nbget(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  return get("nbget", src, dst, bytes, proc, group, Finish::by(handle));
}

int comex_nbacc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
                comex_request_t* handle) {
  return acc("nbacc", op, scale, src, dst, bytes, proc, group, Finish::by(handle));
}
