// Fences, waits, barriers, groups and mutexes, as this library shows them to the program.
#include <comex.h>
#include <comex/worlds.h>

#include "checked/follow.h"
#include "runtime/facade.h"

using namespace comex::checker;

namespace {

// A fence or wait has happened even if its code reports a refusal.
template <class Done>
int after_any(int code, const Done& done) {
  return after(COMEX_SUCCESS, done), code;
}

// A collective call over `parent` that makes a group.
template <auto Function, class... Arguments>
int makes_group(const FollowedCall& call, comex_group_t parent, const comex_group_t* made,
                Arguments... arguments) {
  const int code = together<Function>(call, parent, false, arguments...);
  return after(code, [&](Checker& check) { check.made_part(parent, *made); });
}

// A call of the members of `group` by which worlds meet: it fences first, and makes an inter-group.
template <auto Function, class... Arguments>
int makes_inter(const FollowedCall& call, comex_group_t group, const comex_group_t* made,
                Arguments... arguments) {
  if (Checker* const check = checker()) check->fenced_everybody(group);
  const int code = together<Function>(call, group, false, arguments...);
  return after(code, [&](Checker& check) { check.made_inter_group(*made); });
}

}  // namespace

int comex_barrier(comex_group_t group) {
  return together<&comex_barrier>(COMEX_CALL, group, true, group);
}

int comex_fence_all(comex_group_t group) {
  return after_any(next<&comex_fence_all>(__func__)(group), [&](Checker& check) { check.fenced_all(group); });
}

int comex_fence_proc(int proc, comex_group_t group) {
  return after_any(next<&comex_fence_proc>(__func__)(proc, group),
                   [&](Checker& check) { check.fenced(proc, group); });
}

int comex_fence_allocation(void* ptr, comex_group_t group) {
  return after_any(next<&comex_fence_allocation>(__func__)(ptr, group),
                   [&](Checker& check) { check.fenced_allocation(ptr, group); });
}

int comex_nbfence(int proc, comex_group_t group, comex_request_t* handle) {
  return follow_start<&comex_nbfence>(CheckedFence{COMEX_CALL, proc, group}, handle, proc, group);
}

int comex_wait_all(comex_group_t group) {
  return after_any(next<&comex_wait_all>(__func__)(group), [&](Checker& check) { check.waited_all(group); });
}

int comex_wait_proc(int proc, comex_group_t group) {
  return after_any(next<&comex_wait_proc>(__func__)(proc, group),
                   [&](Checker& check) { check.waited(proc, group); });
}

int comex_wait(comex_request_t* handle) {
  auto* const real = next<&comex_wait>(__func__);
  Checker* const check = checker();
  if (check == nullptr || handle == nullptr || !Pending::is_ours(*handle)) return real(handle);
  int of_runtime = 0;
  if (!check->find_real_handle(*handle, of_runtime))
    return next<&comex_progress>("comex_progress")();  // complete
  const int code = real(&of_runtime);
  const int refusal = check->complete(*handle);
  return code != COMEX_SUCCESS ? code : refusal;
}

int comex_test(comex_request_t* handle, int* status) {
  auto* const real = next<&comex_test>(__func__);
  Checker* const check = checker();
  if (check == nullptr || handle == nullptr || !Pending::is_ours(*handle) || status == nullptr)
    return real(handle, status);
  int of_runtime = 0;
  if (!check->find_real_handle(*handle, of_runtime)) {
    *status = 0;
    return next<&comex_progress>("comex_progress")();
  }
  const int code = real(&of_runtime, status);
  if (code == COMEX_SUCCESS && *status != 0) return code;
  const int refusal = check->complete(*handle);
  return code != COMEX_SUCCESS ? code : refusal;
}

int comex_group_create(int n, int* pid_list, comex_group_t group, comex_group_t* new_group) {
  return after(next<&comex_group_create>(__func__)(n, pid_list, group, new_group),
               [&](Checker& check) { check.made_group(group, *new_group); });
}

int comex_group_create_without_limit(int n, int* pid_list, comex_group_t group, comex_group_t* new_group) {
  return after(next<&comex_group_create_without_limit>(__func__)(n, pid_list, group, new_group),
               [&](Checker& check) { check.made_group(group, *new_group); });
}

int comex_group_from_lpids(int n, const int lpids[], comex_group_t* group) {
  return after(next<&comex_group_from_lpids>(__func__)(n, lpids, group),
               [&](Checker& check) { check.made_group(COMEX_GROUP_WORLD, *group); });
}

int comex_group_dup(comex_group_t group, comex_group_t* dup) {
  return makes_group<&comex_group_dup>(COMEX_CALL, group, dup, group, dup);
}

int comex_group_split(comex_group_t group, int color, int key, comex_group_t* part) {
  return makes_group<&comex_group_split>(COMEX_CALL, group, part, group, color, key, part);
}

int comex_group_shrink(comex_group_t group, comex_group_t* smaller) {
  return after(next<&comex_group_shrink>(__func__)(group, smaller),
               [&](Checker& check) { check.made_group(group, *smaller); });
}

int comex_group_create_endpoints(comex_group_t parent, int my_count, comex_group_t handles[]) {
  const int code =
      together<&comex_group_create_endpoints>(COMEX_CALL, parent, false, parent, my_count, handles);
  return after(code, [&](Checker& check) { check.made_endpoints(parent, handles, my_count); });
}

int comex_group_free(comex_group_t group) {
  if (Checker* const check = checker()) check->freeing_group(COMEX_CALL, group);
  return next<&comex_group_free>(__func__)(group);
}

int comex_intergroup_create(comex_group_t local, int local_leader, comex_group_t peer, int remote_leader,
                            int tag, comex_group_t* inter) {
  return makes_inter<&comex_intergroup_create>(COMEX_CALL, local, inter, local, local_leader, peer,
                                               remote_leader, tag, inter);
}

int comex_group_merge(comex_group_t inter, int high, comex_group_t* merged) {
  const int code = together<&comex_group_merge>(COMEX_CALL, inter, false, inter, high, merged);
  return after(code, [&](Checker& check) { check.made_group(inter, *merged); });
}

int comex_world_parent(comex_group_t* parent) {
  return after(next<&comex_world_parent>(__func__)(parent),
               [&](Checker& check) { check.met_parents(*parent); });
}

int comex_world_spawn(const char* command, char* const argv[], int processes, int root, comex_group_t group,
                      comex_group_t* children) {
  return makes_inter<&comex_world_spawn>(COMEX_CALL, group, children, command, argv, processes, root, group,
                                         children);
}

int comex_world_accept(const char* port, int root, comex_group_t group, double timeout_s,
                       comex_group_t* peer) {
  return makes_inter<&comex_world_accept>(COMEX_CALL, group, peer, port, root, group, timeout_s, peer);
}

int comex_world_connect(const char* port, int root, comex_group_t group, double timeout_s,
                        comex_group_t* peer) {
  return makes_inter<&comex_world_connect>(COMEX_CALL, group, peer, port, root, group, timeout_s, peer);
}

int comex_world_disconnect(comex_group_t* peer) {
  if (Checker* const check = checker(); check != nullptr && peer != nullptr)
    check->freeing_group(COMEX_CALL, *peer);
  return next<&comex_world_disconnect>(__func__)(peer);
}

int comex_create_mutexes(int num) {
  return together<&comex_create_mutexes>(COMEX_CALL, COMEX_GROUP_WORLD, false, num);
}

int comex_destroy_mutexes() {
  const FollowedCall call = COMEX_CALL;
  if (Checker* const check = checker()) check->destroys_mutexes(call);
  return together<&comex_destroy_mutexes>(call, COMEX_GROUP_WORLD, false);
}

int comex_lock(int mutex, int proc) {
  const FollowedCall call = COMEX_CALL;
  if (Checker* const check = checker(); check != nullptr && !check->may_lock(call, mutex, proc))
    return COMEX_SUCCESS;
  const int code = next<&comex_lock>(__func__)(mutex, proc);
  if (Checker* const check = checker(); check != nullptr && code != COMEX_FAILURE)
    check->locked(call, mutex, proc, true);
  return code;
}

int comex_trylock(int mutex, int proc, int* acquired) {
  const int code = next<&comex_trylock>(__func__)(mutex, proc, acquired);
  if (Checker* const check = checker(); check != nullptr && code != COMEX_FAILURE && *acquired != 0)
    check->locked(COMEX_CALL, mutex, proc, false);
  return code;
}

int comex_unlock(int mutex, int proc) {
  if (Checker* const check = checker(); check != nullptr && !check->may_unlock(mutex, proc))
    return COMEX_SUCCESS;
  return next<&comex_unlock>(__func__)(mutex, proc);
}
