// In which order mutexes are taken.
#include "mutex_tools.h"

namespace comex::checker {
namespace {

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

// Workers act one after the other, by words under a mutex of their own: nothing but mutexes orders them. A
// single word would be a flag, too.
class Turns {
 public:
  Turns(Bed& bed, int mutexes)
      : bed_(bed), words_(bed.allocate(2)), mutexes_(bed, mutexes + 1), mutex_(mutexes) {}

  template <class Act>
  void take(int worker, const Act& act) {
    const long turn = turn_++;
    if (bed_.me != worker) return;
    for (long now = -1; now < turn;) {
      lock(bed_, mutex_, 3);
      now = bed_.get(words_[3], 2, 3)[0];
      unlock(bed_, mutex_, 3);
    }
    act();
    lock(bed_, mutex_, 3);
    bed_.acc(words_[3], 2, 3);
    bed_.fence(3);
    unlock(bed_, mutex_, 3);
  }

 private:
  Bed& bed_;
  Parts<long> words_;
  Mutexes mutexes_;
  int mutex_;
  long turn_ = 0;
};

constexpr Case cases[] = {
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
};

}  // namespace

Cases lock_order() {
  return cases;
}

}  // namespace comex::checker
