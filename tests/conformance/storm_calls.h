// Every function of the C interface but those that start and end, called with arguments that a Confused makes
// up. storm_covers_test.py compares the tables with the headers.
#pragma once

#include <comex/worlds.h>

#include <vector>

#include "conformance/storm_bed.h"

namespace comex::whole::storm {

using Call = int (*)(Confused&);

// Its target is chosen before, since what memory is right depends on it.
#define CALL(...)         \
  [](Confused& c) {       \
    static_cast<void>(c); \
    return __VA_ARGS__;   \
  }

inline const std::vector<Call> transfers = {
    CALL(comex_put(c.near(), c.far(), c.bytes(), c.proc(), c.world())),
    CALL(comex_get(c.far(), c.near(), c.get_bytes(), c.proc(), c.world())),
    CALL(comex_acc(c.acc_type(), c.scale(), c.near(), c.far(), c.bytes(), c.proc(), c.world())),
    CALL(comex_nbput(c.near(), c.far(), c.bytes(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbget(c.far(), c.near(), c.get_bytes(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbacc(c.acc_type(), c.scale(), c.near(), c.far(), c.bytes(), c.proc(), c.world(),
                     c.new_handle())),
    CALL(comex_puts(c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(), c.counts<int>(),
                    c.levels(), c.proc(), c.world())),
    CALL(comex_gets(c.far(), c.far_strides<int>(), c.near(), c.near_strides<int>(), c.counts<int>(),
                    c.levels(), c.proc(), c.world())),
    CALL(comex_accs(c.acc_type(), c.scale(), c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(),
                    c.counts<int>(), c.levels(), c.proc(), c.world())),
    CALL(comex_nbputs(c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(), c.counts<int>(),
                      c.levels(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbgets(c.far(), c.far_strides<int>(), c.near(), c.near_strides<int>(), c.counts<int>(),
                      c.levels(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbaccs(c.acc_type(), c.scale(), c.near(), c.near_strides<int>(), c.far(), c.far_strides<int>(),
                      c.counts<int>(), c.levels(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_putv(c.giovs<comex_giov_t>(false), c.length(), c.proc(), c.world())),
    CALL(comex_getv(c.giovs<comex_giov_t>(true), c.length(), c.proc(), c.world())),
    CALL(comex_accv(c.acc_type(), c.scale(), c.giovs<comex_giov_t>(false), c.length(), c.proc(), c.world())),
    CALL(comex_nbputv(c.giovs<comex_giov_t>(false), c.length(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbgetv(c.giovs<comex_giov_t>(true), c.length(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbaccv(c.acc_type(), c.scale(), c.giovs<comex_giov_t>(false), c.length(), c.proc(), c.world(),
                      c.new_handle())),
    CALL(comex_rmw(9 + static_cast<int>(c.below(14)), c.near(), c.far(), 3, c.proc(), c.world())),
    CALL(comex_nbrmw(9 + static_cast<int>(c.below(14)), c.near(), c.far(), 3, c.proc(), c.world(),
                     c.new_handle())),
    CALL(comex_put_signal(c.near(), c.far(), c.bytes(), static_cast<long*>(c.far()), 1, c.proc(), c.world())),
    // wide sizes and other operations
    CALL(comex_put_x(c.near(), c.far(), c.bytes_x(), c.proc(), c.world())),
    CALL(comex_get_x(c.far(), c.near(), c.get_bytes_x(), c.proc(), c.world())),
    CALL(comex_acc_x(c.acc_type(), c.scale(), c.near(), c.far(), c.bytes_x(), c.proc(), c.world())),
    CALL(comex_nbput_x(c.near(), c.far(), c.bytes_x(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbget_x(c.far(), c.near(), c.get_bytes_x(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbacc_x(c.acc_type(), c.scale(), c.near(), c.far(), c.bytes_x(), c.proc(), c.world(),
                       c.new_handle())),
    CALL(comex_puts_x(c.near(), c.near_strides<std::ptrdiff_t>(), c.far(), c.far_strides<std::ptrdiff_t>(),
                      c.counts<std::size_t>(), c.levels(), c.proc(), c.world())),
    CALL(comex_gets_x(c.far(), c.far_strides<std::ptrdiff_t>(), c.near(), c.near_strides<std::ptrdiff_t>(),
                      c.counts<std::size_t>(), c.levels(), c.proc(), c.world())),
    CALL(comex_accs_x(c.acc_type(), c.scale(), c.near(), c.near_strides<std::ptrdiff_t>(), c.far(),
                      c.far_strides<std::ptrdiff_t>(), c.counts<std::size_t>(), c.levels(), c.proc(),
                      c.world())),
    CALL(comex_nbputs_x(c.near(), c.near_strides<std::ptrdiff_t>(), c.far(), c.far_strides<std::ptrdiff_t>(),
                        c.counts<std::size_t>(), c.levels(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbgets_x(c.far(), c.far_strides<std::ptrdiff_t>(), c.near(), c.near_strides<std::ptrdiff_t>(),
                        c.counts<std::size_t>(), c.levels(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbaccs_x(c.acc_type(), c.scale(), c.near(), c.near_strides<std::ptrdiff_t>(), c.far(),
                        c.far_strides<std::ptrdiff_t>(), c.counts<std::size_t>(), c.levels(), c.proc(),
                        c.world(), c.new_handle())),
    CALL(comex_putv_x(c.giovs<comex_giov_x_t>(false), c.length_x(), c.proc(), c.world())),
    CALL(comex_getv_x(c.giovs<comex_giov_x_t>(true), c.length_x(), c.proc(), c.world())),
    CALL(comex_accv_x(c.acc_type(), c.scale(), c.giovs<comex_giov_x_t>(false), c.length_x(), c.proc(),
                      c.world())),
    CALL(comex_nbputv_x(c.giovs<comex_giov_x_t>(false), c.length_x(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbgetv_x(c.giovs<comex_giov_x_t>(true), c.length_x(), c.proc(), c.world(), c.new_handle())),
    CALL(comex_nbaccv_x(c.acc_type(), c.scale(), c.giovs<comex_giov_x_t>(false), c.length_x(), c.proc(),
                        c.world(), c.new_handle())),
    CALL(comex_acc_op(c.operation(), c.acc_type(), c.near(), c.far(), c.bytes_x(), c.proc(), c.world())),
    CALL(comex_nbacc_op(c.operation(), c.acc_type(), c.near(), c.far(), c.bytes_x(), c.proc(), c.world(),
                        c.new_handle())),
    CALL(comex_accs_op(c.operation(), c.acc_type(), c.near(), c.near_strides<std::ptrdiff_t>(), c.far(),
                       c.far_strides<std::ptrdiff_t>(), c.counts<std::size_t>(), c.levels(), c.proc(),
                       c.world())),
    CALL(comex_nbaccs_op(c.operation(), c.acc_type(), c.near(), c.near_strides<std::ptrdiff_t>(), c.far(),
                         c.far_strides<std::ptrdiff_t>(), c.counts<std::size_t>(), c.levels(), c.proc(),
                         c.world(), c.new_handle())),
    CALL(comex_accv_op(c.operation(), c.acc_type(), c.giovs<comex_giov_x_t>(false), c.length_x(), c.proc(),
                       c.world())),
    CALL(comex_nbaccv_op(c.operation(), c.acc_type(), c.giovs<comex_giov_x_t>(false), c.length_x(), c.proc(),
                         c.world(), c.new_handle())),
    CALL(comex_atomic(c.atomic(), c.type(), c.place<void>(), c.near(), c.near(), c.far(), c.proc(),
                      c.world())),
    CALL(comex_nbatomic(c.atomic(), c.type(), c.near(), c.near(), c.near(), c.far(), c.proc(), c.world(),
                        c.new_handle())),
    CALL(comex_put_signal_x(c.near(), c.far(), c.bytes_x(), static_cast<long*>(c.far()), 1, c.proc(),
                            c.world())),
    CALL(comex_put_signal_add(c.near(), c.far(), c.bytes_x(), static_cast<long*>(c.far()), 1, c.proc(),
                              c.world())),
    CALL(comex_nbput_signal(c.near(), c.far(), c.bytes_x(), static_cast<long*>(c.far()), 1, c.proc(),
                            c.world(), c.new_handle())),
    CALL(comex_nbput_signal_add(c.near(), c.far(), c.bytes_x(), static_cast<long*>(c.far()), 1, c.proc(),
                                c.world(), c.new_handle())),
    CALL(comex_nbfence(c.proc(), c.world(), c.new_handle())),
};

inline const std::vector<Call> others = {
    CALL(comex_wait(c.handle())),
    CALL(comex_test(c.handle(), c.place<int>())),
    CALL(comex_wait_proc(c.proc(), c.world())),
    CALL(comex_wait_all(c.group())),
    CALL(comex_fence_proc(c.proc(), c.world())),
    CALL(comex_fence_all(c.group())),
    CALL(comex_fence_allocation(c.far(), c.group())),
    CALL(comex_failed(c.group(), c.place<int>(), nullptr)),
    CALL(comex_error_text() == nullptr ? COMEX_FAILURE : COMEX_SUCCESS),
    CALL(comex_progress()),
    [](Confused& c) {
      long* const word = c.words();
      return comex_wait_until(word, c.one_of({0, 3, 5, 6, -1}), *word);
    },
    CALL(comex_wait_until(c.one_of({static_cast<long*>(nullptr), reinterpret_cast<long*>(c.misplaced())}), 0,
                          0)),
    CALL(comex_wait_until_all(c.words(), c.below(8), c.place<int>(), c.one_of({0, 3, 7}), 0)),
    CALL(comex_wait_until_any(c.words(), c.below(8), nullptr, c.one_of({0, 3, -7}), 0,
                              c.place<std::size_t>())),
    CALL(comex_wait_until_some(c.words(), c.below(8), nullptr, 5, 0, c.place<std::size_t>(),
                               c.place<std::size_t>())),
    CALL(comex_trylock(static_cast<int>(c.below(6)) - 2, c.proc(), c.place<int>())),
    CALL(comex_lock(c.one_of({-1, 2, INT_MAX, INT_MIN}), c.proc())),
    CALL(comex_unlock(static_cast<int>(c.below(6)) - 2, c.proc())),
    // memory
    CALL(comex_malloc(c.place<void*>(), c.bytes_x(), c.bad_group())),
    CALL(comex_malloc_mem_dev(c.place<void*>(), 8, c.bad_group(), c.one_of({"numa:-1", "", "hbm"}))),
    CALL(comex_malloc_kept(c.place<void*>(), c.bytes_x(), c.one_of({0, 1, 8, -1}), c.bad_group())),
    CALL(comex_keep(c.far())),
    CALL(comex_recover(c.far(), c.bad_group(), c.place<void*>(), c.place<int>())),
    CALL(comex_free(c.far(), c.bad_group())),
    CALL(comex_free_dev(c.far(), c.bad_group())),
    [](Confused& c) {
      void*& block = c.block();
      const int result = comex_free_local(block);
      block = comex_malloc_local(
          c.one_of<std::size_t>({0, 1, 100, 5000, 1 << 20, std::size_t{1} << 40, SIZE_MAX, SIZE_MAX - 7}));
      return result;
    },
    CALL(comex_free_local(c.one_of<void*>({nullptr, c.misplaced(), reinterpret_cast<void*>(~7UL)}))),
    CALL(comex_access_begin(c.far(), c.bytes_x(), c.one_of({COMEX_ACCESS_READ, COMEX_ACCESS_WRITE, 0, -1}))),
    CALL(comex_access_end(c.far())),
    // groups and names
    CALL(comex_group_rank(c.group(), c.place<int>())),
    CALL(comex_group_size(c.group(), c.place<int>())),
    CALL(comex_group_comm(c.bad_group(), c.place<MPI_Comm>())),
    CALL(comex_group_free(c.one_of({0, -2, c.bad_group()}))),
    CALL(comex_group_shrink(c.bad_group(), c.place<comex_group_t>())),
    CALL(comex_group_create(c.one_of({-1, 2, INT_MAX}), c.one_of({static_cast<int*>(nullptr), c.ranks(true)}),
                            c.one_of({0, c.bad_group()}), c.place<int>())),
    CALL(comex_group_translate_ranks(c.one_of({0, 1, 4, -1}), c.group(), c.ranks(false), c.group(),
                                     c.place<int>())),
    CALL(comex_group_translate_world(c.group(), c.proc(), c.place<int>())),
    CALL(comex_host_of(c.proc(), c.group(), c.place<int>())),
    CALL(comex_gpid(c.group(), c.proc(), c.place<comex_gpid_t>())),
    CALL(comex_gpids(c.group(), c.one_of({-1, 0, 1, 3, 8}), c.place<comex_gpid_t>(), nullptr)),
    CALL(comex_gpid_to_lpid({c.below(3), c.below(6)}, c.place<int>())),
    [](Confused& c) {
      const comex_gpid_t gpids[] = {{c.below(3), c.below(6)}, {c.below(3), c.below(6)}};
      return comex_gpids_to_lpids(c.one_of({-1, 0, 1, 2}), c.below(4) == 0 ? nullptr : gpids, c.place<int>());
    },
    CALL(comex_lpid_to_gpid(c.proc(), c.place<comex_gpid_t>())),
    CALL(comex_lpids(c.group(), c.one_of({-1, 0, 1, 3, 8}), c.place<int>())),
    CALL(comex_lpid_count(c.place<int>())),
    CALL(comex_group_from_lpids(c.one_of({-1, 0, 2}), c.ranks(true), c.place<int>())),
    CALL(comex_process_ranks(c.proc(), c.place<comex_process_ranks_t>())),
    CALL(comex_group_compare(c.group(), c.group(), c.place<int>())),
    CALL(comex_group_compare_basic(c.group(), c.group(), c.place<int>())),
    CALL(comex_group_same_context(c.group(), c.group(), c.place<int>())),
    CALL(comex_group_relation(c.group(), c.group(), c.place<int>())),
    CALL(comex_group_same_endpoint(c.group(), c.group(), c.place<int>())),
    CALL(comex_group_dup(c.bad_group(), c.place<int>())),
    CALL(comex_group_split(c.bad_group(), -7, 0, c.place<int>())),
    CALL(comex_group_create_endpoints(c.bad_group(), -1, c.place<int>())),
    // worlds
    CALL(comex_world_spawn(nullptr, nullptr, -1, c.proc(), c.bad_group(), c.place<int>())),
    CALL(comex_world_open_port(c.place<char>(), c.one_of({0, -1, 3}))),
    CALL(comex_world_parent(c.place<int>())),
    CALL(comex_world_close_port(c.one_of(
        {static_cast<const char*>(nullptr), "", "x:1:0", "a:99999:0123456789abcdef0123456789abcdef"}))),
    CALL(comex_world_accept(nullptr, c.proc(), c.bad_group(), -1, c.place<int>())),
    CALL(comex_world_connect("nowhere", c.proc(), c.bad_group(), -1, c.place<int>())),
    [](Confused& c) {
      int peer = c.one_of({0, -2, c.bad_group()});
      return comex_world_disconnect(c.below(4) == 0 ? nullptr : &peer);
    },
    CALL(comex_group_remote_size(c.group(), c.place<int>())),
    CALL(comex_intergroup_create(c.bad_group(), c.proc(), c.group(), c.proc(), -1, c.place<int>())),
    CALL(comex_group_merge(c.group(), 2, c.place<int>())),
    [](Confused& c) {
      comex_card_hook_t hook{};
      return comex_set_card_hook(c.below(2) == 0 ? nullptr : &hook);
    },
    CALL(comex_table_references(c.group(), c.place<int>())),
    CALL(comex_connection_references({c.below(3), c.below(6)}, c.place<int>())),
    CALL(comex_world_references(c.below(3), c.place<int>())),
    // at any time
    CALL(comex_set_errors(c.one_of({-1, 2, COMEX_ERRORS_RETURN}))),
    CALL(comex_get_errors(c.place<int>())),
    CALL(comex_version(nullptr, nullptr, nullptr)),
    CALL(comex_initialized() != 0 ? COMEX_SUCCESS : COMEX_FAILURE),
    CALL(comex_thread_level() < 0 ? COMEX_FAILURE : COMEX_SUCCESS),
    CALL(comex_init_comm(MPI_COMM_NULL)),
};

#undef CALL

}  // namespace comex::whole::storm
