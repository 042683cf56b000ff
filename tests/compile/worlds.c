/* Declares every function of worlds.h once more, which fails where a type differs, and holds every value and
 * layout. Compiled as C99 and, by worlds.cpp, as C++20. */
#include <comex/worlds.h>
#include <stddef.h>

#ifdef __cplusplus
#define HOLDS(condition) static_assert(condition, #condition)
#else
#define HOLDS_JOIN_(a, b) a##b
#define HOLDS_JOIN(a, b) HOLDS_JOIN_(a, b)
#define HOLDS(condition) typedef char HOLDS_JOIN(holds_, __LINE__)[(condition) ? 1 : -1]
#endif

HOLDS(COMEX_GROUP_SELF == -2 && COMEX_RANK_INVALID == -1);
HOLDS(COMEX_IDENT == 0 && COMEX_CONGRUENT == 1 && COMEX_SIMILAR == 2 && COMEX_UNEQUAL == 3);
HOLDS(COMEX_ALIASED == (COMEX_IDENT | 1 << 2) && COMEX_CONGRUENT_ALIAS == (COMEX_CONGRUENT | 1 << 2));
HOLDS(COMEX_SIMILAR_ALIAS == (COMEX_SIMILAR | 1 << 2) && COMEX_UNEQUAL_ALIAS == (COMEX_UNEQUAL | 1 << 2));
HOLDS(sizeof(comex_gpid_t) == 8 && offsetof(comex_gpid_t, world) == 0 && offsetof(comex_gpid_t, rank) == 4);
HOLDS(sizeof(comex_process_ranks_t) == 4 * sizeof(int));
HOLDS(offsetof(comex_process_ranks_t, vpid) == 0);
HOLDS(offsetof(comex_process_ranks_t, local_rank) == sizeof(int));
HOLDS(offsetof(comex_process_ranks_t, node_rank) == 2 * sizeof(int));
HOLDS(offsetof(comex_process_ranks_t, app_rank) == 3 * sizeof(int));

#ifdef __cplusplus
extern "C" {
#endif
int comex_gpid(comex_group_t, int, comex_gpid_t*);
int comex_gpids(comex_group_t, int, comex_gpid_t[], int*);
int comex_gpid_to_lpid(comex_gpid_t, int*);
int comex_gpids_to_lpids(int, const comex_gpid_t[], int[]);
int comex_lpid_to_gpid(int, comex_gpid_t*);
int comex_lpids(comex_group_t, int, int[]);
int comex_lpid_count(int*);
int comex_group_from_lpids(int, const int[], comex_group_t*);
int comex_process_ranks(int, comex_process_ranks_t*);
int comex_group_compare(comex_group_t, comex_group_t, int*);
int comex_group_compare_basic(comex_group_t, comex_group_t, int*);
int comex_group_same_context(comex_group_t, comex_group_t, int*);
int comex_group_relation(comex_group_t, comex_group_t, int*);
int comex_group_same_endpoint(comex_group_t, comex_group_t, int*);
int comex_group_dup(comex_group_t, comex_group_t*);
int comex_group_split(comex_group_t, int, int, comex_group_t*);
int comex_group_create_endpoints(comex_group_t, int, comex_group_t[]);
int comex_world_spawn(const char*, char* const[], int, int, comex_group_t, comex_group_t*);
int comex_world_parent(comex_group_t*);
int comex_world_open_port(char*, int);
int comex_world_close_port(const char*);
int comex_world_accept(const char*, int, comex_group_t, double, comex_group_t*);
int comex_world_connect(const char*, int, comex_group_t, double, comex_group_t*);
int comex_world_disconnect(comex_group_t*);
int comex_group_remote_size(comex_group_t, int*);
int comex_intergroup_create(comex_group_t, int, comex_group_t, int, int, comex_group_t*);
int comex_group_merge(comex_group_t, int, comex_group_t*);
int comex_set_card_hook(const comex_card_hook_t*);
int comex_table_references(comex_group_t, int*);
int comex_connection_references(comex_gpid_t, int*);
int comex_world_references(uint32_t, int*);
#ifdef __cplusplus
}
#endif

typedef int (*collect_f)(uint32_t, uint32_t, void*, size_t*, void*);
typedef int (*deliver_f)(uint32_t, uint32_t, const void*, size_t, void*);
typedef int (*ready_f)(comex_group_t, comex_group_t, int, const comex_gpid_t[], int, void*);

comex_card_hook_t comex_test_hook(collect_f collect, deliver_f deliver, ready_f ready, void* context);
comex_card_hook_t comex_test_hook(collect_f collect, deliver_f deliver, ready_f ready, void* context) {
  comex_card_hook_t hook;
  hook.collect = collect;
  hook.deliver = deliver;
  hook.ready = ready;
  hook.context = context;
  return hook;
}
