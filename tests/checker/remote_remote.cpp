// Operations of several workers on the same bytes of a third one.
#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));

constexpr Case cases[] = {
    {"fence_that_began_before_the_put", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) {
         comex_request_t handle = 0;
         bed.done(comex_nbfence(2, everyone, &handle));
         bed.put(a[2], many, 2);
         bed.done(comex_wait(&handle));
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.get(a[2], many, 2);
       }
     }},
    {"two_puts", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.is({0, 1})) bed.put(a[2], many, 2, bed.me);
     }},
    {"put_and_get", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.put(a[2], many, 2);
       if (bed.me == 1) bed.get(a[2], many, 2);
     }},
    {"put_and_accumulate", race,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       if (bed.me == 0) bed.put(a[2], many, 2);
       if (bed.me == 3) bed.acc(a[2], many, 2);
     }},
    {"accumulate_and_get", race,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       if (bed.me == 0) bed.get(a[1], many, 1);
       if (bed.me == 3) bed.acc(a[1], many, 1);
     }},
    {"accumulates_of_two_types", race,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       if (bed.me == 0) bed.acc(a[3], many, 3);
       if (bed.me == 1) bed.acc(reinterpret_cast<long*>(a[3]), many, 3);
     }},
    {"patches_that_overlap", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.put(a[2], 10, 2);
       if (bed.me == 1) bed.put(a[2] + 8, many - 8, 2);
     }},
    {"one_byte_in_common", race,
     [](Bed& bed) {
       const auto a = bed.allocate<char>(64);
       if (bed.me == 0) bed.put(a[2], 17, 2);
       if (bed.me == 3) bed.put(a[2] + 16, 20, 2);
     }},
    {"message_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) {
         bed.put(a[2], many, 2);
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.get(a[2], many, 2);
       }
     }},
    {"fence_of_another_target", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) {
         bed.put(a[2], many, 2);
         bed.fence(3);
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.put(a[2], many, 2, 5);
       }
     }},
    {"flag_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(a[2], many, 2);
         bed.put(flag[2], 1, 2);
       }
       if (bed.me == 1) {
         bed.poll(flag[2], 2, 1);
         bed.get(a[2], many, 2);
       }
     }},
    {"flag_at_another_target", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(a[2], many, 2);
         bed.fence(3);
         bed.put(flag[3], 1, 3);
       }
       if (bed.me == 1) {
         bed.poll(flag[3], 3, 1);
         bed.get(a[2], many, 2);
       }
     }},
    {"barrier_without_the_reader", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const comex_group_t three = bed.group({0, 1, 2});
       if (bed.me == 0) bed.put(a[2], many, 2);
       if (bed.me != 3) bed.done(comex_barrier(three));
       if (bed.me == 3) bed.get(a[2], many, 2);
     }},
    {"barrier_without_the_target", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const comex_group_t pair = bed.group({0, 1});
       if (bed.me == 0) bed.put(a[2], many, 2);
       if (bed.is({0, 1})) bed.done(comex_barrier(pair));
       if (bed.me == 1) bed.get(a[2], many, 2);
     }},
    {"fence_of_another_allocation", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       if (bed.me == 0) {
         bed.put(a[2], many, 2);
         bed.done(comex_fence_allocation(b[0], everyone));
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.get(a[2], many, 2);
       }
     }},
    {"fence_of_a_group_without_the_target", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const comex_group_t pair = bed.group({0, 1});
       if (bed.me == 0) {
         bed.put(a[3], many, 3);
         bed.done(comex_fence_all(pair));
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.get(a[3], many, 3);
       }
     }},
    {"fence_that_is_not_waited_for", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) {
         comex_request_t handle = 0;
         bed.put(a[2], many, 2);
         bed.done(comex_nbfence(2, everyone, &handle));
         bed.send(1);
         bed.done(comex_wait(&handle));
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.get(a[2], many, 2);
       }
     }},
    {"wait_is_no_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) {
         comex_request_t handle = 0;
         bed.done(comex_nbput(bed.local(many), a[2], bytes, 2, everyone, &handle));
         bed.done(comex_wait(&handle));
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.get(a[2], many, 2);
       }
     }},
    {"get_waited_for_after_the_barrier", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       comex_request_t handle = 0;
       if (bed.me == 0) bed.done(comex_nbget(a[1], bed.local(many), bytes, 1, everyone, &handle));
       bed.barrier();
       if (bed.me == 2) bed.put(a[1], many, 1);
       if (bed.me == 0) bed.done(comex_wait(&handle));
     }},
    {"one_of_three_without_order", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 1) bed.receive(0);
       if (bed.me != 2) bed.put(a[2], many, 2, bed.me);
       if (bed.me == 0) {
         bed.fence(2);
         bed.send(1);
       }
     }},
    {"next_version_without_acknowledgement", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) {
         bed.put(a[2], many, 2);
         bed.fence(2);
         bed.send(1);
         bed.put(a[2], many, 2, 2);
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.get(a[2], many, 2);
       }
     }},

    {"phases_between_barriers", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.put(a[2], many, 2, 4);
       bed.barrier();
       bed.acc(a[2], many, 2, 1);
       bed.barrier();
       bed.require(bed.get(a[2], many, 2)[many - 1] == 8, "the value after both phases");
       bed.barrier();
       if (bed.me == 3) bed.put(a[2], many, 2, 9);
     }},
    {"ring_of_puts", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long token = bed.me;
       for (int round = 0; round < 5; ++round) {
         bed.put(a[bed.next()], many, bed.next(), token);
         bed.barrier();
         token = bed.read(a[bed.me], many) / many + 1;
         bed.barrier();
       }
       bed.require(token == bed.previous() + 5, "the token");
     }},
    {"words_next_to_each_other", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers);
       for (int round = 0; round < 4; ++round) bed.put(a[0] + bed.me, 1, 0, bed.me + round);
       bed.barrier();
       if (bed.me == 0) bed.require(bed.read(a[0], needed_workers) == 18, "the sum of all words");
     }},
    {"bytes_next_to_each_other", right,
     [](Bed& bed) {
       const auto a = bed.allocate<char>(64);
       bed.put(a[3] + 5 * bed.me, 5, 3);
       bed.fence(3);
       bed.require(bed.get(a[3] + 5 * bed.me + 1, 3, 3)[2] == 1, "the own bytes");
     }},
    {"concurrent_gets", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.write(a[bed.me], many, bed.me);
       bed.barrier();
       for (int from = 0; from < bed.workers; ++from) {
         bed.require(bed.get(a[from], many, from)[3] == from, "what all read at once");
       }
     }},
    {"one_origin_in_program_order", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       const int to = bed.next();
       long* const mine = a[to] + bed.me * many;
       bed.put(mine, many, to, 3);
       bed.put(mine + 1, many - 1, to, 5);
       bed.acc(mine, many, to, 2);
       bed.require(bed.get(mine, many, to)[1] == 7, "the own writes in order");
       comex_request_t handle = 0;
       long* const result = bed.local(many);
       bed.done(comex_nbget(mine, result, bytes, to, everyone, &handle));
       bed.put(mine, many, to, 11);  // a later write never changes what an earlier get returns
       bed.done(comex_wait(&handle));
       bed.require(result[1] == 7, "the earlier get");
     }},
    {"flag_after_fence", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(a[2], many, 2, 6);
         bed.fence(2);
         bed.put(flag[2], 1, 2);
       }
       if (bed.is({1, 3})) {
         bed.poll(flag[2], 2, 1);
         bed.require(bed.get(a[2], many, 2)[many - 1] == 6, "what the flag publishes");
       }
     }},
    {"flag_elsewhere_after_fence", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(a[1], many, 1, 6);
         bed.put(a[2], many, 2, 6);
         bed.done(comex_fence_all(everyone));
         bed.put(flag[3], 1, 3);
       }
       if (bed.me == 3) {
         bed.await(flag[3], 1);
         bed.require(bed.get(a[1], many, 1)[0] + bed.get(a[2], many, 2)[0] == 12, "both blocks");
       }
     }},
    {"ping_pong_by_flags", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       const int other = bed.me ^ 1;
       for (long round = 1; round <= 5; ++round) {
         if (bed.me % 2 == 1) bed.await(flag[bed.me], round);
         if (bed.me % 2 == 1) bed.require(bed.read(a[bed.me], many) == round * many, "the ping");
         bed.put(a[other], many, other, round);
         bed.fence(other);
         bed.put(flag[other], 1, other, round);
         if (bed.me % 2 == 0) bed.await(flag[bed.me], round);
         if (bed.me % 2 == 0) bed.require(bed.read(a[bed.me], many) == round * many, "the pong");
       }
     }},
    {"barrier_of_a_group", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const comex_group_t low = bed.group({0, 1});
       const comex_group_t high = bed.group({3, 2});
       const comex_group_t mine = bed.me < 2 ? low : high;
       bed.put(a[bed.me ^ 1], many, bed.me ^ 1, bed.me + 1);
       bed.done(comex_barrier(mine));
       bed.require(bed.read(a[bed.me], many) == ((bed.me ^ 1) + 1) * many, "what the other one put");
       bed.done(comex_group_free(mine));
     }},
    {"fence_and_barrier_without_the_target", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const comex_group_t pair = bed.group({0, 1});
       if (bed.me == 0) {
         bed.put(a[2], many, 2, 3);
         bed.fence(2);
       }
       if (bed.is({0, 1})) bed.done(comex_barrier(pair));
       if (bed.me == 1) bed.require(bed.get(a[2], many, 2)[0] == 3, "what was fenced");
       if (bed.is({0, 1})) bed.done(comex_group_free(pair));
     }},
    {"transposition", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       for (int to = 0; to < bed.workers; ++to) bed.put(a[to] + bed.me * many, many, to, bed.me * 4 + to);
       bed.barrier();
       for (int from = 0; from < bed.workers; ++from) {
         const long sum = bed.read(a[bed.me] + from * many, many);
         bed.require(sum == (from * 4 + bed.me) * many, "a block of the transposed matrix");
       }
     }},
};

}  // namespace

Cases remote_remote() {
  return cases;
}

}  // namespace comex::checker
