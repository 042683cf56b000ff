// Local completion: when buffers may be used again, requests that must be completed, and accesses that must
// be ended.
#include <algorithm>
#include <array>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));

comex_request_t start_put(const Bed& bed, long* src, long* dst, int to) {
  comex_request_t handle = 0;
  bed.done(comex_nbput(src, dst, bytes, to, everyone, &handle));
  return handle;
}
comex_request_t start_get(const Bed& bed, long* src, long* dst, int from) {
  comex_request_t handle = 0;
  bed.done(comex_nbget(src, dst, bytes, from, everyone, &handle));
  return handle;
}
void complete(const Bed& bed, comex_request_t handle) {
  bed.done(comex_wait(&handle));
}

// A vector of two runs.
comex_request_t start_list(const Bed& bed, long* src, long* dst, int to) {
  void* from[2] = {src, src + 8};
  void* into[2] = {dst, dst + 8};
  comex_giov_t runs{from, into, 2, 4 * static_cast<int>(sizeof(long))};
  comex_request_t handle = 0;
  bed.done(comex_nbputv(&runs, 1, to, everyone, &handle));
  return handle;
}

constexpr Case cases[] = {
    {"source_of_a_put_changed", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const src = bed.local<long>(many, 1);
       const comex_request_t handle = start_put(bed, src, a[bed.next()], bed.next());
       src[3] = 2;
       complete(bed, handle);
     }},
    {"source_of_an_accumulate_changed", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       double* const src = bed.local<double>(many, 1);
       double scale = 2;
       comex_request_t handle = 0;
       if (bed.me != 0) return;
       bed.done(comex_nbacc(COMEX_ACC_DBL, &scale, src, a[3], bytes, 3, everyone, &handle));
       src[many - 1] = 5;
       complete(bed, handle);
     }},
    {"source_columns_changed", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const src = bed.local<long>(many, 1);
       int stride[1] = {32};
       int count[2] = {16, 4};
       comex_request_t handle = 0;
       bed.done(comex_nbputs(src, stride, a[bed.next()], stride, count, 1, bed.next(), everyone, &handle));
       std::fill_n(src, many, 9);
       complete(bed, handle);
     }},
    {"source_of_a_list_changed", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const src = bed.local<long>(many, 1);
       const comex_request_t handle = start_list(bed, src, a[bed.next()], bed.next());
       src[9] = 4;
       complete(bed, handle);
     }},
    {"source_of_an_implicit_put_changed", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const src = bed.local<long>(many, 1);
       bed.done(comex_nbput(src, a[bed.next()], bytes, bed.next(), everyone, nullptr));
       src[0] = 2;
       bed.fence(bed.next());
     }},
    {"source_of_a_large_put_changed", buffer,
     [](Bed& bed) {
       constexpr std::size_t large = 1 << 17;
       const auto a = bed.allocate<char>(large);
       char* const src = bed.local<char>(large, 'a');
       comex_request_t handle = 0;
       if (bed.me != 1) return;
       bed.done(comex_nbput_x(src, a[2], large, 2, everyone, &handle));
       src[large / 2] = 'b';
       complete(bed, handle);
     }},
    {"source_of_a_signal_changed", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate(1);
       long* const src = bed.local<long>(many, 1);
       comex_request_t handle = 0;
       if (bed.me != 0) return;
       bed.done(comex_nbput_signal(src, a[2], bytes, word[2], 1, 2, everyone, &handle));
       src[2] = 2;
       complete(bed, handle);
     }},
    {"source_of_a_maximum_changed", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const src = bed.local<long>(many, 1);
       comex_request_t handle = 0;
       bed.done(comex_nbacc_op(COMEX_OP_MAX, COMEX_ACC_LNG, src, a[3], bytes, 3, everyone, &handle));
       src[2] = 2;
       complete(bed, handle);
     }},
    {"wait_for_the_other_handle", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       long* const first = bed.local<long>(many, 1);
       long* const second = bed.local<long>(many, 1);
       const comex_request_t one = start_put(bed, first, a[bed.next()], bed.next());
       const comex_request_t two = start_put(bed, second, a[bed.next()] + many, bed.next());
       complete(bed, one);
       second[0] = 2;
       complete(bed, two);
     }},
    {"source_overwritten_by_a_get", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       bed.write(b[bed.me], many, 5);
       bed.barrier();
       long* const src = bed.local<long>(many, 1);
       const comex_request_t handle = start_put(bed, src, a[bed.next()], bed.next());
       bed.done(comex_get(b[bed.previous()], src, bytes, bed.previous(), everyone));
       complete(bed, handle);
     }},
    {"source_overwritten_by_an_rmw", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate(1);
       long* const src = bed.local<long>(many, 1);
       const comex_request_t handle = start_put(bed, src, a[bed.next()], bed.next());
       bed.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, src + 4, word[0], 7, 0, everyone));
       complete(bed, handle);
     }},
    {"result_put_before_the_wait", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       long* const result = bed.local(many);
       const comex_request_t handle = start_get(bed, a[bed.next()], result, bed.next());
       bed.done(comex_put(result, b[bed.previous()], bytes, bed.previous(), everyone));
       complete(bed, handle);
     }},
    {"result_of_an_rmw_put_before_the_wait", buffer,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       const auto b = bed.allocate(1);
       long* const result = bed.local(1);
       comex_request_t handle = 0;
       bed.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, result, word[0], 1, 0, everyone, &handle));
       bed.done(comex_put(result, b[bed.next()], sizeof(long), bed.next(), everyone));
       complete(bed, handle);
     }},
    {"two_gets_into_one_result", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const result = bed.local(many);
       const comex_request_t one = start_get(bed, a[bed.next()], result, bed.next());
       const comex_request_t two = start_get(bed, a[bed.previous()], result, bed.previous());
       complete(bed, one);
       complete(bed, two);
     }},
    {"two_gets_into_results_that_overlap", buffer,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const result = bed.local(2 * many);
       const comex_request_t one = start_get(bed, a[bed.next()], result, bed.next());
       bed.done(comex_get(a[bed.previous()], result + many - 1, bytes, bed.previous(), everyone));
       complete(bed, one);
     }},

    {"get_that_is_never_waited_for", unwaited,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       start_get(bed, a[bed.next()], bed.local(many), bed.next());
     }},
    {"put_that_is_never_waited_for", unwaited,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 2) start_put(bed, bed.local(many), a[0], 0);
     }},
    {"one_of_many_that_is_never_waited_for", unwaited,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       std::array<comex_request_t, 8> handles{};
       for (comex_request_t& each : handles) each = start_get(bed, a[1], bed.local(many), 1);
       for (std::size_t i = 1; i < handles.size(); ++i) complete(bed, handles[i]);
     }},
    {"rmw_that_is_never_waited_for", unwaited,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       comex_request_t handle = 0;
       bed.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, bed.local(1), word[3], 1, 3, everyone, &handle));
     }},
    {"implicit_get_that_is_never_completed", unwaited,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.done(comex_nbget(a[bed.next()], bed.local(many), bytes, bed.next(), everyone, nullptr));
     }},
    {"wait_for_the_requests_to_another", unwaited,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.done(comex_nbget(a[bed.next()], bed.local(many), bytes, bed.next(), everyone, nullptr));
       bed.done(comex_wait_proc(bed.previous(), everyone));
     }},

    {"end_without_begin", access,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.done(comex_access_end(a[bed.me]));
     }},
    {"ended_twice", access,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.write(a[bed.me], many, 1);
       bed.done(comex_access_end(a[bed.me]));
     }},
    {"end_of_another_address", access,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.done(comex_access_begin(a[bed.me], bytes, COMEX_ACCESS_READ));
       bed.done(comex_access_end(a[bed.me] + 1));
     }},
    {"open_at_finalize", access,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 1) bed.done(comex_access_begin(a[1], bytes, COMEX_ACCESS_WRITE));
     }},
    {"begun_twice_and_ended_once", access,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.done(comex_access_begin(a[bed.me], bytes, COMEX_ACCESS_READ));
       bed.read(a[bed.me], many);
     }},

    {"many_puts_then_wait_all_and_fence", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       for (int to = 0; to < needed_workers; ++to) {
         for (int i = 0; i < many; ++i) {
           bed.done(comex_nbput(bed.local<long>(1, i), a[to] + bed.me * many + i, sizeof(long), to, everyone,
                                nullptr));
         }
       }
       bed.done(comex_wait_all(everyone));
       bed.done(comex_fence_all(everyone));
       bed.require(bed.get(a[3] + bed.me * many, many, 3)[7] == 7, "an own word");
     }},
    {"get_ahead_into_two_buffers", right,
     [](Bed& bed) {
       const auto a = bed.allocate(8 * many);
       for (int i = 0; i < 8; ++i) bed.write(a[bed.me] + i * many, many, i);
       bed.barrier();
       long* const buffers[2] = {bed.local(many), bed.local(many)};
       comex_request_t handles[2] = {start_get(bed, a[bed.next()], buffers[0], bed.next()), 0};
       for (int i = 0; i < 8; ++i) {
         if (i < 7) {
           handles[(i + 1) % 2] =
               start_get(bed, a[bed.next()] + (i + 1) * many, buffers[(i + 1) % 2], bed.next());
         }
         complete(bed, handles[i % 2]);
         bed.require(buffers[i % 2][many - 1] == i, "the block of this step");
         buffers[i % 2][0] = -1;
       }
     }},
    {"implicit_get_by_a_fence_of_its_allocation", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       long* const result = bed.local(many);
       bed.done(comex_nbget(a[bed.next()], result, bytes, bed.next(), everyone, nullptr));
       bed.done(comex_fence_allocation(a[bed.me], everyone));
       bed.done(comex_put(result, b[bed.next()], bytes, bed.next(), everyone));
     }},
    {"implicit_gets_by_wait_proc_fence_and_barrier", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.write(a[bed.me], many, 4);
       bed.barrier();
       for (int way = 0; way < 3; ++way) {
         long* const result = bed.local(many);
         bed.done(comex_nbget(a[bed.next()], result, bytes, bed.next(), everyone, nullptr));
         if (way == 0) bed.done(comex_wait_proc(bed.next(), everyone));
         if (way == 1) bed.fence(bed.next());
         if (way == 2) bed.barrier();
         bed.require(result[many - 1] == 4, "the result");
         result[0] = 5;
       }
     }},
    {"wait_all_completes_handles", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const result = bed.local<long>(many, 1);
       start_get(bed, a[bed.next()], result, bed.next());
       bed.done(comex_wait_all(everyone));
       bed.require(result[0] == 0, "the result");
     }},
    {"tests_in_a_loop", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       long* const src = bed.local<long>(many, 3);
       comex_request_t handle = start_put(bed, src, a[bed.next()], bed.next());
       for (int pending = 1; pending != 0;) bed.done(comex_test(&handle, &pending));
       src[0] = 8;
       handle = start_put(bed, src, a[bed.next()] + many, bed.next());
       for (int pending = 1; pending != 0;) bed.done(comex_test(&handle, &pending));
       bed.barrier();
       bed.require(bed.read(a[bed.me], 2 * many) == 3 * many + 8 + 3 * (many - 1),
                   "both versions of the source");
     }},
    {"copy_of_a_handle", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       comex_request_t handle = start_get(bed, a[bed.next()], bed.local(many), bed.next());
       comex_request_t copy = handle;
       bed.done(comex_wait(&handle));
       bed.done(comex_wait(&handle));
       bed.done(comex_wait(&copy));
     }},
    {"one_source_for_many", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       long* const src = bed.local<long>(many, bed.me);
       std::array<comex_request_t, needed_workers> handles{};
       for (int to = 0; to < needed_workers; ++to) {
         handles[static_cast<std::size_t>(to)] = start_put(bed, src, a[to] + bed.me * many, to);
       }
       bed.require(src[0] == bed.me, "a source may be read");
       for (const comex_request_t handle : handles) complete(bed, handle);
       std::fill_n(src, many, -1);
       bed.barrier();
       bed.require(bed.read(a[bed.me], needed_workers * many) == 6 * many, "what all have put");
     }},
    {"result_used_after_the_wait", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       bed.write(a[bed.me], many, bed.me);
       bed.barrier();
       long* const result = bed.local(many);
       complete(bed, start_get(bed, a[bed.next()], result, bed.next()));
       complete(bed, start_put(bed, result, b[bed.previous()], bed.previous()));
       complete(bed, start_get(bed, a[bed.me], result, bed.me));
       bed.barrier();
       bed.require(bed.read(b[bed.me], many) == (bed.me + 2) % 4 * many, "what went over two");
     }},
    {"blocking_source_changed_at_once", right,
     [](Bed& bed) {
       const auto a = bed.allocate(8);
       long value = 0;
       for (int i = 0; i < 8; ++i) {
         value = i;
         bed.done(comex_put(&value, a[bed.next()] + i, sizeof value, bed.next(), everyone));
       }
       value = -1;
       bed.barrier();
       bed.require(bed.read(a[bed.me], 8) == 28, "every value");
     }},
    {"arrays_of_a_list_reused_at_once", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       long* const src = bed.local<long>(many, 2);
       const comex_request_t one = start_list(bed, src, a[bed.next()], bed.next());
       const comex_request_t two = start_list(bed, src, a[bed.next()] + many, bed.next());
       complete(bed, two);
       complete(bed, one);
       bed.barrier();
       bed.require(bed.read(a[bed.me], 2 * many) == 32, "both lists");
     }},
};

}  // namespace

Cases completion() {
  return cases;
}

}  // namespace comex::checker
