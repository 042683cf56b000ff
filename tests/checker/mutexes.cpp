// Mutexes: what they guard, how they are held, and in which order they are taken.
#include "bed.h"

namespace comex::checker {
namespace {

constexpr int many = 16;
constexpr int bytes = many * static_cast<int>(sizeof(long));

void lock(const Bed& bed, int mutex, int proc) {
  bed.done(comex_lock(mutex, proc));
}
void unlock(const Bed& bed, int mutex, int proc) {
  bed.done(comex_unlock(mutex, proc));
}

bool try_lock(const Bed& bed, int mutex, int proc) {
  int acquired = 0;
  bed.done(comex_trylock(mutex, proc, &acquired));
  return acquired == 1;
}

// Takes `outer`, then `inner`, both of worker 0, and gives up the outer one as long as the inner one is busy.
// So two workers that take them in opposite orders come to an end, though one that would wait might not.
void take_both(const Bed& bed, int outer, int inner) {
  while (true) {
    lock(bed, outer, 0);
    if (try_lock(bed, inner, 0)) break;
    unlock(bed, outer, 0);
  }
  unlock(bed, inner, 0);
  unlock(bed, outer, 0);
}
void take_both_and_wait(const Bed& bed, int outer, int inner) {
  lock(bed, outer, 0);
  lock(bed, inner, 0);
  unlock(bed, inner, 0);
  unlock(bed, outer, 0);
}

void increment(Bed& bed, long* block, int at) {
  bed.put(block, many, at, bed.get(block, many, at)[many - 1] + 1);
}

class Mutexes {  // of each worker
 public:
  Mutexes(const Bed& bed, int count) : bed_(bed) { bed.done(comex_create_mutexes(count)); }
  ~Mutexes() { bed_.done(comex_destroy_mutexes()); }
  Mutexes(const Mutexes&) = delete;
  Mutexes& operator=(const Mutexes&) = delete;

 private:
  const Bed& bed_;
};

// Workers act one after the other, by a word under a mutex of its own: nothing but mutexes orders them.
class Turns {
 public:
  Turns(Bed& bed, int mutexes)
      : bed_(bed), word_(bed.allocate(1)), mutexes_(bed, mutexes + 1), mutex_(mutexes) {}

  template <class Act>
  void take(int worker, const Act& act) {
    const long turn = turn_++;
    if (bed_.me != worker) return;
    for (long now = -1; now < turn;) {
      lock(bed_, mutex_, 3);
      now = bed_.get(word_[3], 1, 3)[0];
      unlock(bed_, mutex_, 3);
    }
    act();
    lock(bed_, mutex_, 3);
    bed_.acc(word_[3], 1, 3);
    bed_.fence(3);
    unlock(bed_, mutex_, 3);
  }

 private:
  Bed& bed_;
  Parts<long> word_;
  Mutexes mutexes_;
  int mutex_;
  long turn_ = 0;
};

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

    {"two_in_opposite_orders", order,
     [](Bed& bed) {
       Turns turns(bed, 2);
       turns.take(0, [&] { take_both_and_wait(bed, 0, 1); });
       turns.take(1, [&] { take_both_and_wait(bed, 1, 0); });
     }},
    {"two_in_opposite_orders_around_a_third", order,
     [](Bed& bed) {
       Turns turns(bed, 3);
       turns.take(2, [&] { take_both_and_wait(bed, 1, 0); });
       turns.take(3, [&] {
         take_both_and_wait(bed, 0, 2);
         take_both_and_wait(bed, 0, 1);
       });
     }},
    {"three_in_a_circle", order,
     [](Bed& bed) {
       Turns turns(bed, 3);
       for (int turn = 0; turn < 3; ++turn)
         turns.take(turn, [&] { take_both_and_wait(bed, turn, (turn + 1) % 3); });
     }},
    {"own_one_first", order,
     [](Bed& bed) {
       Turns turns(bed, 1);
       for (int turn = 0; turn < 2; ++turn) {
         turns.take(turn, [&] {
           lock(bed, 0, turn);
           lock(bed, 0, 1 - turn);
           unlock(bed, 0, 1 - turn);
           unlock(bed, 0, turn);
         });
       }
     }},

    {"opposite_orders_of_those_who_only_try", right,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 2);
       if (bed.me == 0) take_both(bed, 0, 1);
       if (bed.me == 1) take_both(bed, 1, 0);
     }},
    {"opposite_orders_of_which_one_only_tries", right,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 2);
       if (bed.me == 2) take_both_and_wait(bed, 1, 0);
       if (bed.me == 3) take_both(bed, 0, 1);
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
    {"two_in_one_order", right,
     [](Bed& bed) {
       const auto a = bed.allocate(2 * many);
       const Mutexes mutexes(bed, 2);
       for (int i = 0; i < 2; ++i) {
         lock(bed, 0, 0);
         lock(bed, 1, 0);
         increment(bed, a[3], 3);
         increment(bed, a[3] + many, 3);
         bed.fence(3);
         unlock(bed, 0, 0);
         unlock(bed, 1, 0);
       }
       bed.barrier();
       if (bed.me == 3) bed.require(bed.read(a[3], 2 * many) == 16 * many, "both blocks");
     }},
    {"opposite_orders_parted_by_a_barrier", right,
     [](Bed& bed) {
       const Mutexes mutexes(bed, 2);
       take_both_and_wait(bed, 0, 1);
       bed.barrier();
       take_both_and_wait(bed, 1, 0);
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
