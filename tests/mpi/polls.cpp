// Every call of comex.h, extended.h and worlds.h that returns at once makes progress where a worker serves
// itself: polls.h.
//
// Usage: polls [names]
#include "polls.h"

#include <comex/worlds.h>
#include <comex/comex.hpp>

namespace {

constexpr comex_group_t world = COMEX_GROUP_WORLD;
constexpr comex_group_t alone = COMEX_GROUP_SELF;
constexpr int mine = 0;   // who polls
constexpr int other = 1;  // on another host, in a fence

long near_words[4];
long* own = nullptr;     // memory of this worker
long* theirs = nullptr;  // of the other one
int one_run[1] = {sizeof(long)};
int number = 0;
int numbers[2];
int first_rank[1] = {0};
double one = 1;
comex_request_t handle;
void* from[1];
void* to[1];
comex_giov_t pairs = {from, to, 1, sizeof(long)};
comex_gpid_t gpid;
comex_gpid_t gpids[2];
comex_group_t between_both = COMEX_GROUP_NULL;  // an inter-group of the two workers

comex_giov_t* between(void* source, void* target) {
  from[0] = source;
  to[0] = target;
  return &pairs;
}

std::size_t wide = 0;
std::size_t found = 0;
std::size_t wide_run[1] = {sizeof(long)};
comex_giov_x_t wide_pairs = {from, to, 1, sizeof(long)};

comex_giov_x_t* wide_between(void* source, void* target) {
  between(source, target);
  return &wide_pairs;
}

template <class Make>
void make_and_free(const Make& make) {
  comex_group_t group = COMEX_GROUP_NULL;
  make(&group);
  comex_group_free(group);
}

const Poll polls[] = {
    {"comex_init", [] { comex_init(); }},
    {"comex_init_args", [] { comex_init_args(nullptr, nullptr); }},
    {"comex_init_comm", [] { comex_init_comm(MPI_COMM_WORLD); }},
    {"comex_initialized", [] { comex_initialized(); }},
    {"comex_set_errors", [] { comex_set_errors(COMEX_ERRORS_ABORT); }},
    {"comex_get_errors", [] { comex_get_errors(&number); }},
    {"comex_version", [] { comex_version(&number, &number, &number); }},
    {"comex_thread_level", [] { comex_thread_level(); }},

    {"comex_group_create comex_group_free",
     [] { make_and_free([](comex_group_t* group) { comex_group_create(1, first_rank, alone, group); }); }},
    {"comex_group_dup", [] { make_and_free([](comex_group_t* group) { comex_group_dup(alone, group); }); }},
    {"comex_group_split",
     [] { make_and_free([](comex_group_t* group) { comex_group_split(alone, 0, 0, group); }); }},
    {"comex_group_shrink",
     [] { make_and_free([](comex_group_t* group) { comex_group_shrink(alone, group); }); }},
    {"comex_group_from_lpids",
     [] { make_and_free([](comex_group_t* group) { comex_group_from_lpids(1, first_rank, group); }); }},
    {"comex_group_create_endpoints",
     [] { make_and_free([](comex_group_t* group) { comex_group_create_endpoints(alone, 1, group); }); }},
    {"comex_group_rank", [] { comex_group_rank(world, &number); }},
    {"comex_group_size", [] { comex_group_size(world, &number); }},
    {"comex_group_comm",
     [] {
       MPI_Comm comm = MPI_COMM_NULL;
       comex_group_comm(world, &comm);
     }},
    {"comex_group_translate_ranks",
     [] { comex_group_translate_ranks(1, world, first_rank, world, &number); }},
    {"comex_group_translate_world", [] { comex_group_translate_world(world, mine, &number); }},
    {"comex_group_remote_size", [] { comex_group_remote_size(between_both, &number); }},
    {"comex_host_of", [] { comex_host_of(mine, world, &number); }},
    {"comex_group_compare", [] { comex_group_compare(world, alone, &number); }},
    {"comex_group_compare_basic", [] { comex_group_compare_basic(world, alone, &number); }},
    {"comex_group_same_context", [] { comex_group_same_context(world, alone, &number); }},
    {"comex_group_relation", [] { comex_group_relation(world, alone, &number); }},
    {"comex_group_same_endpoint", [] { comex_group_same_endpoint(world, alone, &number); }},

    {"comex_gpid", [] { comex_gpid(world, mine, &gpid); }},
    {"comex_gpids", [] { comex_gpids(world, 2, gpids, &number); }},
    {"comex_gpid_to_lpid", [] { comex_gpid_to_lpid(gpid, &number); }},
    {"comex_gpids_to_lpids", [] { comex_gpids_to_lpids(1, &gpid, &number); }},
    {"comex_lpid_to_gpid", [] { comex_lpid_to_gpid(mine, &gpid); }},
    {"comex_lpids", [] { comex_lpids(world, 2, numbers); }},
    {"comex_lpid_count", [] { comex_lpid_count(&number); }},
    {"comex_process_ranks",
     [] {
       comex_process_ranks_t ranks{};
       comex_process_ranks(mine, &ranks);
     }},
    {"comex_table_references", [] { comex_table_references(world, &number); }},
    {"comex_connection_references", [] { comex_connection_references(gpid, &number); }},
    {"comex_world_references", [] { comex_world_references(gpid.world, &number); }},
    {"comex_set_card_hook", [] { comex_set_card_hook(nullptr); }},
    {"comex_world_parent",
     [] {
       comex_group_t parent = COMEX_GROUP_NULL;
       comex_world_parent(&parent);
     }},
    {"comex_world_open_port comex_world_close_port",
     [] {
       char port[1024];
       comex_world_open_port(port, sizeof port);
       comex_world_close_port(port);
     }},

    {"comex_barrier", [] { comex_barrier(alone); }},
    {"comex_fence_all", [] { comex_fence_all(world); }},
    {"comex_fence_proc", [] { comex_fence_proc(mine, world); }},
    {"comex_wait_all", [] { comex_wait_all(world); }},
    {"comex_wait_proc", [] { comex_wait_proc(other, world); }},
    {"comex_wait", [] { comex_wait(&handle); }},
    {"comex_test", [] { comex_test(&handle, &number); }},
    {"comex_progress", [] { comex_progress(); }},
    {"comex_wait_until", [] { comex_wait_until(own, COMEX_CMP_EQ, *own); }},

    {"comex_put", [] { comex_put(near_words, own, sizeof(long), mine, world); }},
    {"comex_get", [] { comex_get(own, near_words, sizeof(long), mine, world); }},
    {"comex_acc", [] { comex_acc(COMEX_ACC_DBL, &one, near_words, own, sizeof(long), mine, world); }},
    {"comex_puts", [] { comex_puts(near_words, nullptr, own, nullptr, one_run, 0, mine, world); }},
    {"comex_gets", [] { comex_gets(own, nullptr, near_words, nullptr, one_run, 0, mine, world); }},
    {"comex_accs",
     [] { comex_accs(COMEX_ACC_DBL, &one, near_words, nullptr, own, nullptr, one_run, 0, mine, world); }},
    {"comex_putv", [] { comex_putv(between(near_words, own), 1, mine, world); }},
    {"comex_getv", [] { comex_getv(between(own, near_words), 1, mine, world); }},
    {"comex_accv", [] { comex_accv(COMEX_ACC_DBL, &one, between(near_words, own), 1, mine, world); }},
    {"comex_nbput", [] { comex_nbput(near_words, own, sizeof(long), mine, world, nullptr); }},
    {"comex_nbget", [] { comex_nbget(own, near_words, sizeof(long), mine, world, nullptr); }},
    {"comex_nbacc",
     [] { comex_nbacc(COMEX_ACC_DBL, &one, near_words, own, sizeof(long), mine, world, nullptr); }},
    {"comex_nbputs",
     [] { comex_nbputs(near_words, nullptr, own, nullptr, one_run, 0, mine, world, nullptr); }},
    {"comex_nbgets",
     [] { comex_nbgets(own, nullptr, near_words, nullptr, one_run, 0, mine, world, nullptr); }},
    {"comex_nbaccs",
     [] {
       comex_nbaccs(COMEX_ACC_DBL, &one, near_words, nullptr, own, nullptr, one_run, 0, mine, world, nullptr);
     }},
    {"comex_nbputv", [] { comex_nbputv(between(near_words, own), 1, mine, world, nullptr); }},
    {"comex_nbgetv", [] { comex_nbgetv(between(own, near_words), 1, mine, world, nullptr); }},
    {"comex_nbaccv",
     [] { comex_nbaccv(COMEX_ACC_DBL, &one, between(near_words, own), 1, mine, world, nullptr); }},
    {"comex_rmw", [] { comex_rmw(COMEX_FETCH_AND_ADD_LONG, near_words, own, 1, mine, world); }},
    {"comex_nbrmw", [] { comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, near_words, own, 1, mine, world, nullptr); }},
    {"comex_put_signal", [] { comex_put_signal(nullptr, nullptr, 0, own, 1, mine, world); }},
    // To the other host they return as soon as they are under way.
    {"comex_nbput", [] { comex_nbput(near_words, theirs, sizeof(long), other, world, nullptr); }},
    {"comex_nbget", [] { comex_nbget(theirs, near_words + 1, sizeof(long), other, world, nullptr); }},
    {"comex_nbrmw",
     [] { comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, near_words + 2, theirs, 1, other, world, nullptr); }},
    // Those of extended.h.
    {"comex_atomic",
     [] {
       comex_atomic(COMEX_ATOMIC_ADD, COMEX_TYPE_INT64, nullptr, near_words, nullptr, own, mine, world);
     }},
    {"comex_nbatomic",
     [] {
       comex_nbatomic(COMEX_ATOMIC_ADD, COMEX_TYPE_INT64, nullptr, near_words, nullptr, own, mine, world,
                      nullptr);
     }},
    {"comex_nbatomic",
     [] {
       comex_nbatomic(COMEX_ATOMIC_ADD, COMEX_TYPE_INT64, nullptr, near_words, nullptr, theirs, other, world,
                      nullptr);
     }},
    {"comex_put_signal_x", [] { comex_put_signal_x(nullptr, nullptr, 0, own, 1, mine, world); }},
    {"comex_put_signal_add", [] { comex_put_signal_add(nullptr, nullptr, 0, own, 1, mine, world); }},
    {"comex_nbput_signal", [] { comex_nbput_signal(nullptr, nullptr, 0, own, 1, mine, world, nullptr); }},
    {"comex_nbput_signal_add",
     [] { comex_nbput_signal_add(nullptr, nullptr, 0, own, 1, mine, world, nullptr); }},
    {"comex_wait_until_all", [] { comex_wait_until_all(own, 1, nullptr, COMEX_CMP_EQ, *own); }},
    {"comex_wait_until_any", [] { comex_wait_until_any(own, 1, nullptr, COMEX_CMP_EQ, *own, &wide); }},
    {"comex_wait_until_some",
     [] { comex_wait_until_some(own, 1, nullptr, COMEX_CMP_EQ, *own, &wide, &found); }},
    {"comex_nbfence", [] { comex_nbfence(mine, world, nullptr); }},
    {"comex_nbfence", [] { comex_nbfence(other, world, nullptr); }},
    {"comex_fence_allocation", [] { comex_fence_allocation(nullptr, alone); }},
    {"comex_error_text", [] { static_cast<void>(comex_error_text()); }},
    {"comex_failed", [] { comex_failed(world, &number, nullptr); }},
    {"comex_put_x", [] { comex_put_x(near_words, own, sizeof(long), mine, world); }},
    {"comex_puts_x", [] { comex_puts_x(near_words, nullptr, own, nullptr, wide_run, 0, mine, world); }},
    {"comex_putv_x", [] { comex_putv_x(wide_between(near_words, own), 1, mine, world); }},
    {"comex_get_x", [] { comex_get_x(own, near_words, sizeof(long), mine, world); }},
    {"comex_gets_x", [] { comex_gets_x(own, nullptr, near_words, nullptr, wide_run, 0, mine, world); }},
    {"comex_getv_x", [] { comex_getv_x(wide_between(own, near_words), 1, mine, world); }},
    {"comex_acc_x", [] { comex_acc_x(COMEX_ACC_DBL, &one, near_words, own, sizeof(long), mine, world); }},
    {"comex_accs_x",
     [] { comex_accs_x(COMEX_ACC_DBL, &one, near_words, nullptr, own, nullptr, wide_run, 0, mine, world); }},
    {"comex_accv_x",
     [] { comex_accv_x(COMEX_ACC_DBL, &one, wide_between(near_words, own), 1, mine, world); }},
    {"comex_acc_op",
     [] { comex_acc_op(COMEX_OP_MAX, COMEX_ACC_DBL, near_words, own, sizeof(long), mine, world); }},
    {"comex_accs_op",
     [] {
       comex_accs_op(COMEX_OP_MAX, COMEX_ACC_DBL, near_words, nullptr, own, nullptr, wide_run, 0, mine,
                     world);
     }},
    {"comex_accv_op",
     [] { comex_accv_op(COMEX_OP_MAX, COMEX_ACC_DBL, wide_between(near_words, own), 1, mine, world); }},
    {"comex_nbput_x", [] { comex_nbput_x(near_words, own, sizeof(long), mine, world, nullptr); }},
    {"comex_nbputs_x",
     [] { comex_nbputs_x(near_words, nullptr, own, nullptr, wide_run, 0, mine, world, nullptr); }},
    {"comex_nbputv_x", [] { comex_nbputv_x(wide_between(near_words, own), 1, mine, world, nullptr); }},
    {"comex_nbget_x", [] { comex_nbget_x(own, near_words, sizeof(long), mine, world, nullptr); }},
    {"comex_nbgets_x",
     [] { comex_nbgets_x(own, nullptr, near_words, nullptr, wide_run, 0, mine, world, nullptr); }},
    {"comex_nbgetv_x", [] { comex_nbgetv_x(wide_between(own, near_words), 1, mine, world, nullptr); }},
    {"comex_nbacc_x",
     [] { comex_nbacc_x(COMEX_ACC_DBL, &one, near_words, own, sizeof(long), mine, world, nullptr); }},
    {"comex_nbaccs_x",
     [] {
       comex_nbaccs_x(COMEX_ACC_DBL, &one, near_words, nullptr, own, nullptr, wide_run, 0, mine, world,
                      nullptr);
     }},
    {"comex_nbaccv_x",
     [] { comex_nbaccv_x(COMEX_ACC_DBL, &one, wide_between(near_words, own), 1, mine, world, nullptr); }},
    {"comex_nbacc_op",
     [] {
       comex_nbacc_op(COMEX_OP_MAX, COMEX_ACC_DBL, near_words, own, sizeof(long), mine, world, nullptr);
     }},
    {"comex_nbaccs_op",
     [] {
       comex_nbaccs_op(COMEX_OP_MAX, COMEX_ACC_DBL, near_words, nullptr, own, nullptr, wide_run, 0, mine,
                       world, nullptr);
     }},
    {"comex_nbaccv_op",
     [] {
       comex_nbaccv_op(COMEX_OP_MAX, COMEX_ACC_DBL, wide_between(near_words, own), 1, mine, world, nullptr);
     }},

    {"comex_malloc comex_free",
     [] {
       void* memory = nullptr;
       comex_malloc(&memory, 64, alone);
       comex_free(memory, alone);
     }},
    {"comex_malloc_mem_dev comex_free_dev",
     [] {
       void* memory = nullptr;
       comex_malloc_mem_dev(&memory, 64, alone, nullptr);
       comex_free_dev(memory, alone);
     }},
    {"comex_malloc_local comex_free_local", [] { comex_free_local(comex_malloc_local(64)); }},
    {"comex_free_local", [] { comex_free_local(nullptr); }},
    {"comex_access_begin", [] { comex_access_begin(&number, sizeof number, COMEX_ACCESS_READ); }},
    {"comex_access_end", [] { comex_access_end(&number); }},
    {"comex_lock comex_unlock",
     [] {
       comex_lock(0, mine);
       comex_unlock(0, mine);
     }},
    {"comex_trylock",
     [] {
       comex_trylock(0, mine, &number);
       comex_unlock(0, mine);
     }},

    // These end the job or the runtime, or wait for the others, whom they serve meanwhile.
    {"comex_error comex_finalize comex_create_mutexes comex_destroy_mutexes", nullptr},
    {"comex_world_spawn comex_world_accept comex_world_connect comex_world_disconnect", nullptr},
    {"comex_intergroup_create comex_group_merge", nullptr},
    // The façade's alone: its own polls make it.
    {"comex_group_create_without_limit", nullptr},
    // Kept memory takes progress ranks, and no worker serves itself then.
    {"comex_malloc_kept comex_keep comex_recover", nullptr},
};

// What of comex.hpp need not call anything.
comex::future<> complete;
comex::future<int> result(1);
auto continued = comex::future<int>(1).then([](int value) { return value + 1; });
auto none = comex::when_all(std::vector<comex::future<>>());
const Poll polls_of_cpp[] = {{"future<void>::ready", [] { complete.ready(); }},
                             {"future<int>::ready", [] { result.ready(); }},
                             {"continuation::ready", [] { continued.ready(); }},
                             {"future<void>::wait", [] { complete.wait(); }},
                             {"future<int>::get", [] { result.get(); }},
                             {"continuation::wait", [] { continued.wait(); }},
                             {"all_in::ready", [] { none.ready(); }},
                             {"all_in::wait", [] { none.wait(); }}};

}  // namespace

int main(int argc, char** argv) {
  constexpr int count = sizeof polls / sizeof polls[0];
  if (argc > 1) {
    poll_names(polls, count);
    return 0;
  }
  MPI_Init(&argc, &argv);  // without threads
  comex_init();
  int me = 0;
  void* memory[2];
  comex_group_rank(world, &me);
  comex_malloc(memory, 8 * sizeof(long), world);
  own = static_cast<long*>(memory[me]);
  theirs = static_cast<long*>(memory[1 - me]);
  memset(own, 0, 8 * sizeof(long));
  comex_create_mutexes(1);
  comex_gpid(world, mine, &gpid);
  comex_intergroup_create(alone, 0, world, 1 - me, 0, &between_both);
  comex_nbput(near_words, own, 0, me, world, &handle);
  comex_barrier(world);
  poll_all(polls, count, me);
  poll_all(polls_of_cpp, std::size(polls_of_cpp), me);
  comex_finalize();
  MPI_Finalize();
  return 0;
}
