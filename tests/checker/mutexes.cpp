// Mutexes: what they guard, and how they are held.
#include "mutex_tools.h"

namespace comex::checker {
namespace {

constexpr Case cases[] = {
    {"unlock_without_fence", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, 0);
       increment(bed, a[2], 2);
       unlock(bed, 0, 0);
     }},
    {"two_mutexes_for_one_block", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 2);
       if (bed.is({0, 1})) {
         lock(bed, bed.me, 3);
         increment(bed, a[2], 2);
         bed.fence(2);
         unlock(bed, bed.me, 3);
       }
     }},
    {"the_same_number_of_two_workers", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, bed.me);
       increment(bed, a[2], 2);
       bed.fence(2);
       unlock(bed, 0, bed.me);
     }},
    {"lock_on_one_side", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       if (bed.me == 0) {
         lock(bed, 0, 2);
         increment(bed, a[2], 2);
         bed.fence(2);
         unlock(bed, 0, 2);
       }
       if (bed.me == 3) bed.get(a[2], many, 2);
     }},
    {"fence_after_unlock", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, 1);
       increment(bed, a[2], 2);
       unlock(bed, 0, 1);
       bed.fence(2);
     }},
    {"fence_of_the_owner_of_the_mutex", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, 1);
       increment(bed, a[2], 2);
       bed.fence(1);
       unlock(bed, 0, 1);
     }},
    {"wait_before_unlock", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, 1);
       bed.done(comex_nbput(bed.local<long>(many, bed.me), a[3], bytes, 3, everyone, nullptr));
       bed.done(comex_wait_proc(3, everyone));
       unlock(bed, 0, 1);
     }},
    {"goes_on_where_the_mutex_is_busy", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       if (bed.me == 0) {
         lock(bed, 0, 2);
         bed.send(1);
         bed.put(a[2], many, 2);
         bed.receive(1);
         bed.fence(2);
         unlock(bed, 0, 2);
       }
       if (bed.me == 1) {
         bed.receive(0);
         try_lock(bed, 0, 2);
         bed.put(a[2], many, 2, 2);
         bed.send(0);
       }
     }},
    {"owner_reads_without_lock", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       if (bed.me == 2) bed.read(a[2], many);
       if (bed.me == 2) return;
       lock(bed, 0, 2);
       increment(bed, a[2], 2);
       bed.fence(2);
       unlock(bed, 0, 2);
     }},
    {"get_before_the_lock", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       const long seen = bed.get(a[2], many, 2)[0];
       lock(bed, 0, 2);
       bed.put(a[2], many, 2, seen + 1);
       bed.fence(2);
       unlock(bed, 0, 2);
     }},
    {"put_after_the_unlock", race,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, 2);
       const long seen = bed.get(a[2], many, 2)[0];
       bed.fence(2);
       unlock(bed, 0, 2);
       bed.put(a[2], many, 2, seen + 1);
     }},

    {"held_at_destroy", unlocked,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, bed.next());
     }},
    {"held_at_finalize", unlocked,
     [](Bed& bed) {
       bed.done(comex_create_mutexes(1));
       if (bed.me == 2) lock(bed, 0, 0);
     }},
    {"second_one_held_at_destroy", unlocked,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 2);
       if (bed.me != 3) return;
       lock(bed, 0, 1);
       lock(bed, 1, 1);
       unlock(bed, 0, 1);
     }},
    {"tried_and_held_at_destroy", unlocked,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 1);
       while (!try_lock(bed, 0, bed.me)) {
       }
     }},

    {"locked_again", twice,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 1);
       if (bed.me != 0) return;
       lock(bed, 0, 1);
       lock(bed, 0, 1);
     }},
    {"tried_then_locked", twice,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 1);
       if (bed.me != 2) return;
       while (!try_lock(bed, 0, 3)) {
       }
       lock(bed, 0, 3);
     }},
    {"own_mutex_locked_again", twice,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, bed.me);
       lock(bed, 0, bed.me);
     }},
    {"locked_again_behind_another", twice,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 3);
       if (bed.me != 1) return;
       lock(bed, 0, 0);
       lock(bed, 2, 0);
       unlock(bed, 2, 0);
       lock(bed, 1, 0);
       lock(bed, 0, 0);
     }},

    {"get_put_fence_between_lock_and_unlock", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       {
         const Mutexes mutexes(bed, 1);
         for (int i = 0; i < 3; ++i) {
           lock(bed, 0, 0);
           increment(bed, a[2], 2);
           bed.fence(2);
           unlock(bed, 0, 0);
         }
         bed.barrier();
       }
       bed.require(bed.get(a[2], many, 2)[0] == 3 * needed_workers, "one for each turn");
     }},
    {"trylock_in_a_loop", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       while (!try_lock(bed, 0, 3)) bed.done(comex_progress());
       increment(bed, a[1], 1);
       bed.done(comex_fence_all(everyone));
       unlock(bed, 0, 3);
       bed.barrier();
       if (bed.me == 1) bed.require(bed.read(a[1], many) == many * needed_workers, "one for each worker");
     }},
    {"hand_over_hand", right,
     [](Bed& bed) {
       const auto a = bed.allocate(4 * many);
       const Mutexes mutexes(bed, 4);
       lock(bed, 0, 1);
       for (int i = 0; i < 4; ++i) {
         increment(bed, a[2] + i * many, 2);
         bed.fence(2);
         if (i < 3) lock(bed, i + 1, 1);
         unlock(bed, i, 1);
       }
       bed.barrier();
       if (bed.me == 2) bed.require(bed.read(a[2], 4 * many) == 16 * many, "all blocks");
     }},
    {"a_mutex_for_each_block", right,
     [](Bed& bed) {
       const auto a = bed.allocate(needed_workers * many);
       const Mutexes mutexes(bed, needed_workers);
       for (int i = 0; i < needed_workers; ++i) {
         const int block = (bed.me + i) % needed_workers;
         lock(bed, block, block);
         increment(bed, a[0] + block * many, 0);
         bed.fence(0);
         unlock(bed, block, block);
       }
       bed.barrier();
       if (bed.me == 0) bed.require(bed.read(a[0], 4 * many) == 16 * many, "all blocks");
     }},
    {"non_blocking_put_and_fence_of_the_allocation", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, 0);
       long* const next = bed.local<long>(many, bed.get(a[3], many, 3)[0] + 1);
       bed.done(comex_nbput(next, a[3], bytes, 3, everyone, nullptr));
       bed.done(comex_fence_allocation(a[bed.me], everyone));
       unlock(bed, 0, 0);
       bed.barrier();
       bed.require(bed.get(a[3], many, 3)[0] == needed_workers, "one for each worker");
     }},
    {"owner_uses_its_part_under_the_lock", right,
     [](Bed& bed) {
       const auto a = bed.allocate(many);
       const Mutexes mutexes(bed, 1);
       lock(bed, 0, 1);
       if (bed.me == 1) {
         const long seen = bed.read(a[1], many) / many;
         bed.write(a[1], many, seen + 1);
       } else {
         increment(bed, a[1], 1);
       }
       bed.fence(1);
       unlock(bed, 0, 1);
       bed.barrier();
       bed.require(bed.get(a[1], many, 1)[0] == needed_workers, "one for each worker");
     }},
    {"made_again_and_again", right,
     [](Bed& bed) {
       const auto a = bed.allocate<double>(many);
       for (int i = 0; i < 3; ++i) {
         const Mutexes mutexes(bed, bed.me);
         lock(bed, bed.me % 3, 3);
         bed.acc(a[0], many, 0, 1);
         unlock(bed, bed.me % 3, 3);
       }
       bed.barrier();
       if (bed.me == 0)
         bed.require(bed.read(a[0], many) == 12.0 * many, "accumulates need no fence among them");
     }},
};

}  // namespace

Cases mutexes() {
  return cases;
}

}  // namespace comex::checker
