// An owner's plain loads and stores, and local buffers in the own part, against operations of others.
#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));

// The owner polls a word by plain loads, which it need not tell of.
void look_for(const Bed& bed, const long* word, long value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value) bed.done(comex_progress());
}

constexpr Case cases[] = {
    {"store_and_put", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.put(a[1], many, 1);
       if (bed.me == 1) bed.write(a[1], many);
     }},
    {"load_and_put", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 3) bed.put(a[1], many, 1);
       if (bed.me == 1) bed.read(a[1], many);
     }},
    {"store_and_get", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.get(a[2], many, 2);
       if (bed.me == 2) bed.write(a[2] + many - 1, 1);
     }},
    {"load_and_accumulate", race,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       if (bed.me == 0) bed.acc(a[2], many, 2);
       if (bed.me == 2) bed.read(a[2], many);
     }},
    {"store_and_accumulate", race,
     [](Bed& bed) {
       const auto a = bed.allocate<float>(many);
       if (bed.me != 2) bed.acc(a[2], many, 2);
       if (bed.me == 2) bed.write(a[2], many);
     }},
    {"load_that_goes_on_over_a_barrier", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 1) bed.done(comex_access_begin(a[1], bytes, COMEX_ACCESS_READ));
       bed.barrier();
       if (bed.me == 0) bed.put(a[1], many, 1);
       bed.barrier();
       if (bed.me == 1) bed.done(comex_access_end(a[1]));
     }},
    {"put_from_a_block_that_is_written", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.put(a[1], many, 1);
       if (bed.me == 1) bed.done(comex_put(a[1], a[2], bytes, 2, everyone));
     }},
    {"signal_from_a_block_that_is_written", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate(1);
       if (bed.me == 0) bed.put(a[1], many, 1);
       if (bed.me == 1) bed.done(comex_put_signal(a[1], a[2], bytes, word[2], 1, 2, everyone));
     }},
    {"get_into_a_block_that_is_read", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.get(a[1], many, 1);
       if (bed.me == 1) bed.done(comex_get(a[2], a[1], bytes, 2, everyone));
     }},
    {"get_into_a_block_that_is_written", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 3) bed.put(a[1] + 4, 4, 1);
       if (bed.me == 1) bed.done(comex_get(a[0], a[1], bytes, 0, everyone));
     }},
    {"accumulate_from_a_block_that_is_accumulated", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto b = bed.allocate(many);
       long scale = 2;
       if (bed.me == 0) bed.acc(a[1], many, 1);
       if (bed.me == 1) bed.done(comex_acc(COMEX_ACC_LNG, &scale, a[1], b[3], bytes, 3, everyone));
     }},
    {"source_in_the_own_part_told_too_early", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       comex_request_t handle = 0;
       if (bed.me == 1) {
         bed.done(comex_nbput(a[1], a[2], bytes, 2, everyone, &handle));
         bed.send(0);
         bed.done(comex_wait(&handle));
       }
       if (bed.me == 0) {
         bed.receive(1);
         bed.put(a[1], many, 1);
       }
     }},
    {"result_in_the_own_part_read_too_early", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       comex_request_t handle = 0;
       if (bed.me == 1) {
         bed.done(comex_nbget(a[3], a[1], bytes, 3, everyone, &handle));
         bed.send(2);
         bed.done(comex_wait(&handle));
       }
       if (bed.me == 2) {
         bed.receive(1);
         bed.get(a[1], many, 1);
       }
     }},
    {"store_after_it_was_told", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 1) {
         bed.send(0);
         bed.write(a[1], many);
       }
       if (bed.me == 0) {
         bed.receive(1);
         bed.get(a[1], many, 1);
       }
     }},
    {"owner_reads_after_a_flag_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(a[1], many, 1);
         bed.put(flag[1], 1, 1);
       }
       if (bed.me == 1) {
         bed.await(flag[1], 1);
         bed.read(a[1], many);
       }
     }},
    {"owner_clears_after_others_went_on", race,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       bed.barrier();
       bed.write(a[bed.me], many, 0);
       bed.acc(a[bed.next()], many, bed.next());
       bed.barrier();
     }},

    {"stores_before_a_barrier_gets_after_it", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       for (long round = 0; round < 3; ++round) {
         bed.write(a[bed.me], many, round + bed.me);
         bed.barrier();
         bed.require(bed.get(a[bed.next()], many, bed.next())[5] == round + bed.next(), "the round's value");
         bed.barrier();
       }
     }},
    {"owner_clears_then_barrier_then_accumulates", right,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       for (int round = 0; round < 3; ++round) {
         bed.write(a[bed.me], many, 0);
         bed.barrier();
         for (int to = 0; to < bed.workers; ++to) bed.acc(a[to], many, to, 0.5);
         bed.barrier();
         bed.require(bed.read(a[bed.me], many) == 2.0 * many, "the sum");
       }
     }},
    {"owner_and_others_in_their_own_blocks", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       bed.write(a[bed.me] + bed.me * many, many, 1);
       for (int to = 0; to < bed.workers; ++to) {
         if (to != bed.me) bed.put(a[to] + bed.me * many, many, to);
       }
       bed.require(bed.read(a[bed.me] + bed.me * many, many) == many, "the owner's block");
       bed.barrier();
       bed.require(bed.read(a[bed.me], many * needed_workers) == many * needed_workers, "all blocks");
     }},
    {"owner_and_others_read_at_once", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.write(a[bed.me], many, 2);
       bed.barrier();
       bed.done(comex_access_begin(a[bed.me], bytes, COMEX_ACCESS_READ));
       for (int from = 0; from < bed.workers; ++from) bed.require(bed.get(a[from], many, from)[1] == 2, "2");
       bed.done(comex_access_end(a[bed.me]));
     }},
    {"put_from_the_own_part", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       bed.write(a[bed.me], many, bed.me);
       bed.done(comex_put(a[bed.me], a[bed.next()] + many, bytes, bed.next(), everyone));
       bed.barrier();
       bed.require(bed.read(a[bed.me] + many, many) == bed.previous() * many, "the neighbour's block");
     }},
    {"get_into_the_own_part", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       bed.write(a[bed.me], many, bed.me);
       bed.barrier();
       bed.done(comex_get(a[bed.next()], a[bed.me] + many, bytes, bed.next(), everyone));
       bed.barrier();
       const int beyond = (bed.me + 2) % needed_workers;
       bed.require(bed.get(a[bed.next()] + many, many, bed.next())[0] == beyond, "the one beyond");
     }},
    {"source_in_the_own_part_over_a_barrier", right,  // a barrier completes non-blocking writes
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       comex_request_t handle = 0;
       bed.write(a[bed.me], many, 3);
       bed.done(comex_nbput(a[bed.me], a[bed.next()] + many, bytes, bed.next(), everyone, &handle));
       bed.barrier();
       bed.put(a[bed.next()], many, bed.next(), 4);
       bed.done(comex_wait(&handle));
       bed.barrier();
       bed.require(bed.read(a[bed.me], 2 * many) == 7 * many, "the first values were put");
     }},
    {"shift_within_the_own_part_in_phases", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       bed.write(a[bed.me], 2 * many, bed.me);
       for (int round = 0; round < 4; ++round) {
         bed.barrier();
         bed.done(comex_get(a[bed.next()], a[bed.me] + many, bytes, bed.next(), everyone));
         bed.barrier();
         bed.done(comex_put(a[bed.me] + many, a[bed.me], bytes, bed.me, everyone));
         bed.fence(bed.me);
       }
       bed.require(bed.read(a[bed.me], many) == bed.me * many, "the block that went round");
     }},
    {"accesses_that_nest_and_overlap", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       long* const own = a[bed.me];
       bed.done(comex_access_begin(own, bytes, COMEX_ACCESS_WRITE));
       bed.write(own, many, 4);
       bed.done(comex_access_begin(own + 2, 32, COMEX_ACCESS_READ));
       bed.require(bed.read(own, many) == 4 * many, "the own values");
       bed.done(comex_access_end(own));
       bed.done(comex_access_end(own + 2));
     }},
    {"stores_then_fence_then_message", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 1) {
         bed.write(a[1], many, 3);
         bed.fence(1);
         bed.send(0);
         bed.receive(0);
         bed.write(a[1], many, 4);
       }
       if (bed.me == 0) {
         bed.receive(1);
         bed.require(bed.get(a[1], many, 1)[7] == 3, "the value that was told of");
         bed.send(1);
       }
     }},
    {"owner_reads_after_flag_and_fence", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       bed.put(a[bed.next()], many, bed.next(), 5);
       bed.fence(bed.next());
       bed.put(flag[bed.next()], 1, bed.next(), 1);
       bed.await(flag[bed.me], 1);
       bed.require(bed.read(a[bed.me], many) == 5 * many, "what was put");
     }},
    {"owner_polls_a_flag", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       bed.put(a[bed.next()], many, bed.next(), 5);
       bed.fence(bed.next());
       bed.put(flag[bed.next()], 1, bed.next(), 1);
       look_for(bed, flag[bed.me], 1);
       bed.require(bed.read(a[bed.me], many) == 5 * many, "what was put");
     }},
    {"owner_polls_a_counter", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       const auto count = bed.allocate(1);
       bed.put(a[1] + bed.me * many, many, 1, 5);
       bed.fence(1);
       bed.acc(count[1], 1, 1);
       if (bed.me != 1) return;
       look_for(bed, count[1], needed_workers);
       bed.require(bed.read(a[1], needed_workers * many) == 5 * needed_workers * many, "what all have put");
     }},
    {"owner_polls_a_word_that_is_swapped", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate(1);
       bed.put(a[bed.next()], many, bed.next(), 5);
       bed.swap(word[bed.next()], bed.next(), 1);
       look_for(bed, word[bed.me], 1);
       bed.require(bed.read(a[bed.me], many) == 5 * many, "what came before the swap");
     }},
    {"token_that_goes_round_in_place", right,
     [](Bed& bed) {
       const auto token = bed.allocate(1);
       if (bed.me == 0) bed.write(token[0], 1, 1);
       if (bed.me != 0) bed.poll(token[bed.me], bed.me, 1);
       bed.done(comex_put(token[bed.me], token[bed.next()], sizeof(long), bed.next(), everyone));
     }},
    {"accesses_of_no_bytes", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.done(comex_access_begin(nullptr, 0, COMEX_ACCESS_READ));
       bed.done(comex_access_begin(a[bed.me], 0, COMEX_ACCESS_WRITE));
       bed.done(comex_access_end(a[bed.me]));
       bed.done(comex_access_end(nullptr));
     }},
    {"turns_of_owner_and_others", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       for (int turn = 0; turn < needed_workers; ++turn) {
         if (bed.me == turn && turn == 0) bed.write(a[0], many, 1);
         if (bed.me == turn && turn > 0) {
           long* const seen = bed.get(a[0], many, 0);
           bed.put(a[0], many, 0, seen[0] + 1);
         }
         bed.barrier();
       }
       if (bed.me == 0) bed.require(bed.read(a[0], many) == 4 * many, "a step for each turn");
     }},
};

}  // namespace

Cases local_remote() {
  return cases;
}

}  // namespace comex::checker
