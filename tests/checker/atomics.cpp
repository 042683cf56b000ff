// Words that several workers change by rmw and atomic, accumulates, and what is ordered by them.
#include <array>

#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));

long fetch(const Bed& bed, long* word, int at) {
  long seen = 0;
  bed.done(comex_atomic(COMEX_ATOMIC_FETCH, COMEX_TYPE_INT64, &seen, nullptr, nullptr, word, at, everyone));
  return seen;
}

void combine(const Bed& bed, int op, long* dst, int count, long value, int to) {
  const std::vector<long> src(static_cast<std::size_t>(count), value);
  bed.done(comex_acc_op(op, COMEX_ACC_LNG, src.data(), dst, src.size() * sizeof(long), to, everyone));
}

// Each worker adds one to all of a block at worker 2 under a spin lock at worker `at`.
void spin(Bed& bed, int at, bool fences) {
  const auto a = bed.allocate(many);
  const auto lock = bed.allocate(1);
  while (bed.swap(lock[at], at, 1) != 0) {
  }
  bed.put(a[2], many, 2, bed.get(a[2], many, 2)[0] + 1);
  if (fences) bed.fence(2);
  bed.swap(lock[at], at, 0);
  if (!fences && at != 2) return;
  bed.barrier();
  bed.require(bed.get(a[2], many, 2)[many - 1] == needed_workers, "one for each worker");
}

constexpr Case cases[] = {
    {"refused_and_beside_a_put", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       bed.done(comex_set_errors(COMEX_ERRORS_RETURN));
       long old = 0;
       void* const word = reinterpret_cast<char*>(a[2]) + 2;
       const int code = comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, word, 1, 2, everyone);
       bed.require(code == COMEX_FAILURE, "a word that is not aligned is refused");
       bed.done(comex_set_errors(COMEX_ERRORS_ABORT));
       if (bed.me == 3) bed.put(a[2], many, 2);
     }},
    {"put_and_rmw", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me == 0) bed.put(word[2], 1, 2, 100);
       if (bed.me == 1) bed.add(word[2], 2);
     }},
    {"put_and_atomic", race,
     [](Bed& bed) {
       const auto word = bed.allocate<int>(1);
       const int five = 5;
       if (bed.me == 0) bed.put(word[2], 1, 2, 100);
       if (bed.me == 3) {
         bed.done(
             comex_atomic(COMEX_ATOMIC_MAX, COMEX_TYPE_INT32, nullptr, &five, nullptr, word[2], 2, everyone));
       }
     }},
    {"store_and_rmw", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me == 0) bed.write(word[0], 1);
       if (bed.me != 0) bed.add(word[0], 0);
     }},
    {"load_and_rmw", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me == 0) bed.read(word[0], 1);
       if (bed.me != 0) bed.add(word[0], 0);
     }},
    {"accumulate_and_rmw", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me == 0) bed.acc(word[1], 1, 1);
       if (bed.me == 2) bed.add(word[1], 1);
     }},
    {"atomics_of_two_widths", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       const int one = 1;
       if (bed.me == 0) bed.add(word[1], 1);
       if (bed.me == 2) {
         bed.done(
             comex_atomic(COMEX_ATOMIC_ADD, COMEX_TYPE_INT32, nullptr, &one, nullptr, word[1], 1, everyone));
       }
     }},
    {"rmw_at_another_target_publishes_nothing", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(a[2], many, 2);
         bed.add(word[3], 3);
       }
       if (bed.me == 1) {
         while (fetch(bed, word[3], 3) == 0) {
         }
         bed.get(a[2], many, 2);
       }
     }},
    {"counter_cleared_without_fence", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(word[3], 1, 3, 0);
         bed.send(1);
       }
       if (bed.me == 1) {
         bed.receive(0);
         bed.add(word[3], 3);
       }
     }},
    {"fetches_publish_nothing", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate(1);
       if (bed.me == 0) {
         bed.get(a[2], many, 2);
         fetch(bed, word[3], 3);
       }
       if (bed.me == 1) {
         for (int i = 0; i < 300; ++i) fetch(bed, word[3], 3);
         bed.put(a[2], many, 2);
       }
     }},
    {"fetch_beside_puts_of_two_values", race,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       if (bed.me == 0) bed.put(word[2], 1, 2, 4);
       if (bed.me == 0) bed.put(word[2], 1, 2, 5);
       if (bed.me == 3) fetch(bed, word[2], 2);  // one of these values it does not see
     }},
    {"spin_lock_without_fence", race, [](Bed& bed) { spin(bed, 3, false); }},
    {"tickets_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto words = bed.allocate(2);
       const long ticket = bed.add(words[0], 0);
       while (fetch(bed, words[0] + 1, 0) != ticket) {
       }
       bed.put(a[3], many, 3, ticket);
       bed.add(words[0] + 1, 0);
     }},
    {"get_of_a_range_with_a_counter", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) bed.get(a[3], many, 3);
       if (bed.me == 1) bed.add(a[3] + 5, 3);
     }},
    {"maximum_and_sum_of_two_types", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) combine(bed, COMEX_OP_MAX, a[3], many, 4, 3);
       if (bed.me == 1) bed.acc(reinterpret_cast<int*>(a[3]), 2 * many, 3);
     }},
    {"replace_and_put", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       if (bed.me == 0) combine(bed, COMEX_OP_REPLACE, a[3], many, 4, 3);
       if (bed.me == 1) bed.put(a[3], many, 3);
     }},
    {"tasks_taken_twice_by_a_counter_that_is_only_got", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto counter = bed.allocate(1);
       const long task = bed.get(counter[0], 1, 0)[0];  // each of them gets 0
       bed.put(a[2] + 2 * task, 2, 2, bed.me);
     }},

    {"task_counter_and_accumulates", right,
     [](Bed& bed) {
       constexpr long tasks = 40;
       const auto a = bed.allocate<double>(many);
       const auto counter = bed.allocate(1);
       for (long task = bed.add(counter[0], 0); task < tasks; task = bed.add(counter[0], 0)) {
         const int to = static_cast<int>(task % needed_workers);
         bed.acc(a[to], many, to, 0.25);
       }
       bed.barrier();
       bed.require(bed.read(a[bed.me], many) == 2.5 * many, "the sum of the tasks");
     }},
    {"a_slot_for_each_ticket", right,
     [](Bed& bed) {
       const auto slots = bed.allocate(3 * needed_workers);
       const auto counter = bed.allocate(1);
       for (int i = 0; i < 3; ++i) bed.put(slots[1] + bed.add(counter[2], 2), 1, 1, 10);
       bed.barrier();
       if (bed.me == 1) bed.require(bed.read(slots[1], 12) == 120, "all slots");
     }},
    {"fetch_beside_a_get", right,
     [](Bed& bed) {
       const auto words = bed.allocate(2);
       if (bed.me == 0) bed.get(words[2], 2, 2);
       if (bed.me == 1) fetch(bed, words[2], 2);
       if (bed.me == 2) bed.read(words[2], 2);
     }},
    {"flag_polled_by_fetch", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto flag = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(a[1], many, 1, 6);
         bed.fence(1);
         bed.put(flag[2], 1, 2, 5);
       }
       if (bed.me == 3) {
         while (fetch(bed, flag[2], 2) != 5) {
         }
         bed.require(bed.get(a[1], many, 1)[0] == 6, "what the flag publishes");
       }
     }},
    {"spin_lock_with_fence", right, [](Bed& bed) { spin(bed, 3, true); }},
    {"spin_lock_at_the_target_of_the_data", right,
     [](Bed& bed) { spin(bed, 2, false); }},  // rmw comes after earlier writes to its target
    {"tickets_with_fence", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto words = bed.allocate(2);
       for (int i = 0; i < 3; ++i) {
         const long ticket = bed.add(words[0], 0);
         while (fetch(bed, words[0] + 1, 0) != ticket) {
         }
         bed.require(bed.get(a[3], many, 3)[9] == ticket, "what the last holder left");
         bed.put(a[3], many, 3, ticket + 1);
         bed.fence(3);
         bed.add(words[0] + 1, 0);
       }
     }},
    {"list_by_compare_and_swap", right,
     [](Bed& bed) {
       const auto nodes = bed.allocate(2);  // the value, and the worker after this one, from 1
       const auto head = bed.allocate(1);
       long seen[2] = {0, bed.me + 1};
       while (true) {
         const long next = seen[0];
         bed.write(nodes[bed.me], 1, bed.me + 10);
         bed.write(nodes[bed.me] + 1, 1, next);
         bed.fence(bed.me);
         bed.done(comex_rmw(COMEX_COMPARE_AND_SWAP_LONG, seen, head[0], 0, 0, everyone));
         if (seen[0] == next) break;
       }
       long sum = 0;
       for (long at = fetch(bed, head[0], 0); at != 0;) {
         const int owner = static_cast<int>(at - 1);
         const long* const node = bed.get(nodes[owner], 2, owner);
         sum += node[0];
         at = node[1];
       }
       bed.require(sum >= bed.me + 10, "the own node is in the list");
     }},
    {"concurrent_accumulates_with_scales", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       for (long scale = 1; scale <= 4; ++scale) {
         bed.done(comex_acc(COMEX_ACC_LNG, &scale, bed.local<long>(many, 2), a[3], bytes, 3, everyone));
       }
       bed.barrier();
       if (bed.me == 3) bed.require(bed.read(a[3], many) == 80 * many, "the sum");
     }},
    {"concurrent_accumulates_with_several_operations", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       combine(bed, COMEX_OP_MAX, a[2], many, bed.me, 2);
       combine(bed, COMEX_OP_MIN, a[2], many, 100, 2);
       combine(bed, COMEX_OP_MAX, a[2], many, 3, 2);
       bed.barrier();
       if (bed.me == 2) bed.require(bed.read(a[2], many) == 3 * many, "the maximum");
       bed.barrier();
       combine(bed, COMEX_OP_REPLACE, a[1], many, 8, 1);
       bed.acc(a[1], many, 1, 0);
       bed.barrier();
       if (bed.me == 1) bed.require(bed.read(a[1], many) == 8 * many, "the value of all");
     }},
    {"rmw_publishes_at_its_own_target", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate(1);
       if (bed.me == 0) {
         bed.put(a[2], many, 2, 6);
         bed.add(word[2], 2);
       }
       if (bed.is({1, 3})) {
         while (bed.add(word[2], 2, 0) == 0) {
         }
         bed.require(bed.get(a[2], many, 2)[many - 1] == 6, "what was published");
       }
     }},
    {"atomic_set_and_fetch_as_flag", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate(1);
       const long ready = 1;
       if (bed.me == 0) {
         bed.put(a[1], many, 1, 6);
         bed.fence(1);
         bed.done(comex_atomic(COMEX_ATOMIC_SET, COMEX_TYPE_INT64, nullptr, &ready, nullptr, word[3], 3,
                               everyone));
       }
       if (bed.me == 2) {
         while (fetch(bed, word[3], 3) == 0) {
         }
         bed.require(bed.get(a[1], many, 1)[0] == 6, "what the flag publishes");
       }
     }},
    {"counter_polled_by_get", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * 2);
       const auto word = bed.allocate(1);
       bed.put(a[1] + 2 * bed.me, 2, 1);
       bed.fence(1);
       bed.add(word[0], 0);
       bed.poll(word[0], 0, needed_workers);
       bed.require(bed.get(a[1], 8, 1)[7] == 1, "what all have put");
     }},
    {"owner_waits_for_a_counter", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * 4);
       const auto word = bed.allocate(1);
       bed.put(a[1] + 4 * bed.me, 4, 1);
       bed.add(word[1], 1);
       if (bed.me != 1) return;
       bed.await(word[1], needed_workers);
       bed.require(bed.read(a[1], 16) == 16, "what came before the counts");
     }},
    {"atomics_and_rmw_of_one_width", right,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       const long two = 2;
       bed.add(word[0], 0);
       bed.done(
           comex_atomic(COMEX_ATOMIC_ADD, COMEX_TYPE_INT64, nullptr, &two, nullptr, word[0], 0, everyone));
       bed.done(comex_nbatomic(COMEX_ATOMIC_ADD, COMEX_TYPE_UINT64, nullptr, &two, nullptr, word[0], 0,
                               everyone, nullptr));
       bed.barrier();
       bed.require(fetch(bed, word[0], 0) == 20, "the sum");
     }},
    {"leader_by_compare_and_swap", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const auto word = bed.allocate<int>(1);
       int cell[2] = {0, bed.me + 1};
       bed.done(comex_rmw(COMEX_COMPARE_AND_SWAP, cell, word[0], 0, 0, everyone));
       if (cell[0] == 0) bed.put(a[3], many, 3, 5);  // only one of them
       bed.barrier();
       bed.require(bed.get(a[3], many, 3)[0] == 5, "what the leader put");
     }},
    {"counter_cleared_behind_a_barrier", right,
     [](Bed& bed) {
       const auto word = bed.allocate(1);
       for (int round = 0; round < 3; ++round) {
         if (bed.me == 1) bed.put(word[0], 1, 0, 0);
         bed.barrier();
         bed.add(word[0], 0);
         bed.barrier();
         if (bed.me == 0) bed.require(bed.read(word[0], 1) == needed_workers, "the round's count");
         bed.barrier();
       }
     }},
};

}  // namespace

Cases atomics() {
  return cases;
}

}  // namespace comex::checker
