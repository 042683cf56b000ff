// Every call that needs a runtime, made where there is none, with nothing in its arguments: it fails before
// it looks at them. The driver compares the names with the public headers.
#pragma once

#include <comex/worlds.h>

#include <cstdio>
#include <string>

#include "bad_input_bed.h"

namespace bad_input {

template <class... Arguments>
bool fails_without_runtime(int (*call)(Arguments...)) {
  return call(Arguments()...) == COMEX_FAILURE;
}
template <class... Arguments>
bool fails_without_runtime(void* (*call)(Arguments...)) {
  return call(Arguments()...) == nullptr;
}

inline void call_all(const char* when) {
  const std::string text = std::string("called ") + when;
  const auto check = [&](const char* name, bool fails) {
    const std::string call = name + sizeof "comex_" - 1;
    if (!fails) std::printf("wrong\t%s %s succeeded\n", call.c_str(), text.c_str());
    const bool is_wide =
        call.ends_with("_x");  // lines name the operation, whatever the width of its arguments
    Bed::announce(call + " " + when, {is_wide ? call.substr(0, call.size() - 2) : call, text});
  };
#define CHECK_CALL(name) check(#name, fails_without_runtime(&name))
  CHECK_CALL(comex_group_create);
  CHECK_CALL(comex_group_free);
  CHECK_CALL(comex_group_rank);
  CHECK_CALL(comex_group_size);
  CHECK_CALL(comex_group_comm);
  CHECK_CALL(comex_group_translate_ranks);
  CHECK_CALL(comex_group_translate_world);
  CHECK_CALL(comex_host_of);
  CHECK_CALL(comex_barrier);
  CHECK_CALL(comex_fence_all);
  CHECK_CALL(comex_fence_proc);
  CHECK_CALL(comex_wait_all);
  CHECK_CALL(comex_wait_proc);
  CHECK_CALL(comex_wait);
  CHECK_CALL(comex_test);
  CHECK_CALL(comex_progress);
  CHECK_CALL(comex_put);
  CHECK_CALL(comex_get);
  CHECK_CALL(comex_acc);
  CHECK_CALL(comex_puts);
  CHECK_CALL(comex_gets);
  CHECK_CALL(comex_accs);
  CHECK_CALL(comex_putv);
  CHECK_CALL(comex_getv);
  CHECK_CALL(comex_accv);
  CHECK_CALL(comex_nbput);
  CHECK_CALL(comex_nbget);
  CHECK_CALL(comex_nbacc);
  CHECK_CALL(comex_nbputs);
  CHECK_CALL(comex_nbgets);
  CHECK_CALL(comex_nbaccs);
  CHECK_CALL(comex_nbputv);
  CHECK_CALL(comex_nbgetv);
  CHECK_CALL(comex_nbaccv);
  CHECK_CALL(comex_rmw);
  CHECK_CALL(comex_nbrmw);
  CHECK_CALL(comex_put_signal);
  CHECK_CALL(comex_wait_until);
  CHECK_CALL(comex_malloc);
  CHECK_CALL(comex_malloc_mem_dev);
  CHECK_CALL(comex_free);
  CHECK_CALL(comex_free_dev);
  CHECK_CALL(comex_malloc_local);
  CHECK_CALL(comex_free_local);
  CHECK_CALL(comex_create_mutexes);
  CHECK_CALL(comex_destroy_mutexes);
  CHECK_CALL(comex_lock);
  CHECK_CALL(comex_trylock);
  CHECK_CALL(comex_unlock);
  CHECK_CALL(comex_atomic);
  CHECK_CALL(comex_nbatomic);
  CHECK_CALL(comex_acc_op);
  CHECK_CALL(comex_accs_op);
  CHECK_CALL(comex_accv_op);
  CHECK_CALL(comex_nbacc_op);
  CHECK_CALL(comex_nbaccs_op);
  CHECK_CALL(comex_nbaccv_op);
  CHECK_CALL(comex_put_x);
  CHECK_CALL(comex_get_x);
  CHECK_CALL(comex_acc_x);
  CHECK_CALL(comex_puts_x);
  CHECK_CALL(comex_gets_x);
  CHECK_CALL(comex_accs_x);
  CHECK_CALL(comex_putv_x);
  CHECK_CALL(comex_getv_x);
  CHECK_CALL(comex_accv_x);
  CHECK_CALL(comex_nbput_x);
  CHECK_CALL(comex_nbget_x);
  CHECK_CALL(comex_nbacc_x);
  CHECK_CALL(comex_nbputs_x);
  CHECK_CALL(comex_nbgets_x);
  CHECK_CALL(comex_nbaccs_x);
  CHECK_CALL(comex_nbputv_x);
  CHECK_CALL(comex_nbgetv_x);
  CHECK_CALL(comex_nbaccv_x);
  CHECK_CALL(comex_put_signal_x);
  CHECK_CALL(comex_put_signal_add);
  CHECK_CALL(comex_nbput_signal);
  CHECK_CALL(comex_nbput_signal_add);
  CHECK_CALL(comex_wait_until_all);
  CHECK_CALL(comex_wait_until_any);
  CHECK_CALL(comex_wait_until_some);
  CHECK_CALL(comex_nbfence);
  CHECK_CALL(comex_fence_allocation);
  CHECK_CALL(comex_access_begin);
  CHECK_CALL(comex_access_end);
  CHECK_CALL(comex_failed);
  CHECK_CALL(comex_group_shrink);
  CHECK_CALL(comex_malloc_kept);
  CHECK_CALL(comex_keep);
  CHECK_CALL(comex_recover);
  CHECK_CALL(comex_gpid);
  CHECK_CALL(comex_gpids);
  CHECK_CALL(comex_gpid_to_lpid);
  CHECK_CALL(comex_gpids_to_lpids);
  CHECK_CALL(comex_lpid_to_gpid);
  CHECK_CALL(comex_lpids);
  CHECK_CALL(comex_lpid_count);
  CHECK_CALL(comex_group_from_lpids);
  CHECK_CALL(comex_process_ranks);
  CHECK_CALL(comex_group_compare);
  CHECK_CALL(comex_group_compare_basic);
  CHECK_CALL(comex_group_same_context);
  CHECK_CALL(comex_group_relation);
  CHECK_CALL(comex_group_same_endpoint);
  CHECK_CALL(comex_group_dup);
  CHECK_CALL(comex_group_split);
  CHECK_CALL(comex_group_create_endpoints);
  CHECK_CALL(comex_world_spawn);
  CHECK_CALL(comex_world_parent);
  CHECK_CALL(comex_world_open_port);
  CHECK_CALL(comex_world_close_port);
  CHECK_CALL(comex_world_accept);
  CHECK_CALL(comex_world_connect);
  CHECK_CALL(comex_world_disconnect);
  CHECK_CALL(comex_group_remote_size);
  CHECK_CALL(comex_intergroup_create);
  CHECK_CALL(comex_group_merge);
  CHECK_CALL(comex_set_card_hook);
  CHECK_CALL(comex_table_references);
  CHECK_CALL(comex_connection_references);
  CHECK_CALL(comex_world_references);
#undef CHECK_CALL
  int number = -5;
  void* place = &number;
  comex_malloc(&place, 8, COMEX_GROUP_WORLD);
  Bed::announce(std::string("malloc with a place ") + when, {"malloc", text});
  comex_group_create(0, nullptr, COMEX_GROUP_WORLD, &number);
  Bed::announce(std::string("group_create with a place ") + when, {"group_create", text});
  comex_init_comm(MPI_COMM_NULL);
  Bed::announce(std::string("init_comm ") + when, {"init_comm", "the communicator is MPI_COMM_NULL"});
  if (number != -5 || place != &number) std::printf("wrong\tan output was written %s\n", text.c_str());
  if (comex_initialized() != 0) std::printf("wrong\tcomex_initialized %s\n", text.c_str());
}

}  // namespace bad_input
