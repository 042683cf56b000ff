// What each worker of survivors.cpp has from the start to the end: a mutex, and memory that the others use on
// when it has died.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "survivor_team.h"

namespace comex::testing {

class Records {
 public:
  static constexpr long leaves = 1000;

  // Collective over all workers.
  void allocate() {
    int me = -1;
    int workers = 0;
    comex_group_rank(everyone, &me);
    comex_group_size(everyone, &workers);
    places_.resize(static_cast<std::size_t>(workers));
    me_ = me;
    meet_all(comex_malloc(places_.data(), sizeof(Record), everyone), "malloc of records");
    *at(me) = {};
    at(me)->mark = 1000 + me;
  }

  // Who holds a mutex says so in a word beside it, which nobody but the dead leaves there.
  void lock(int owner) const {
    const int code = comex_lock(0, owner);
    const bool is_taken_over = code == COMEX_OWNER_DIED;
    went(is_taken_over ? COMEX_SUCCESS : code, owner, "lock");
    while (is_taken_over && dead_of_all().empty()) comex_progress();
    long holder = 0;
    went(comex_get(&at(owner)->holder, &holder, sizeof holder, owner, everyone), owner, "get of the holder");
    require(holder == 0 || is_taken_over, "a mutex whose holder died, without a word about it");
    require(holder == 0 || has_died(static_cast<int>(holder) - 1), "a mutex that somebody else holds");
    write_holder(owner, me_ + 1);
  }
  void unlock(int owner) const {
    write_holder(owner, 0);
    went(comex_unlock(0, owner), owner, "unlock");
  }

  // Tells every worker that this one shrinks its group, in numbers that grow, or leaves.
  void tell(long what) const {
    for (int worker = 0; worker < workers(); ++worker) {
      long* const told = &at(worker)->told[static_cast<std::size_t>(me_)];
      const int code = comex_put(&what, told, sizeof what, worker, everyone);
      const int fenced = comex_fence_proc(worker, everyone);
      require((code == COMEX_SUCCESS && fenced == COMEX_SUCCESS) || is_any_host_lost(),
              "put of what is told");
    }
  }
  // Waits until each that lives has told as much.
  bool has_anybody_left(const Team& team, long least) const {
    bool has_left = false;
    for (const int worker : team.workers) {
      const long* const told = &at(me_)->told[static_cast<std::size_t>(worker)];
      while (!has_died(worker) && __atomic_load_n(told, __ATOMIC_ACQUIRE) < least) comex_progress();
      has_left = has_left || (!has_died(worker) && *told == leaves);
    }
    return has_left;
  }

  // The progress rank of a host may live longer than all its workers.
  void look() const {
    for (int worker = 0; worker < workers(); ++worker) {
      long mark = 0;
      const int got = comex_get(&at(worker)->mark, &mark, sizeof mark, worker, everyone);
      require(got == COMEX_SUCCESS ? mark == 1000 + worker : got == COMEX_PROC_FAILED && is_host_lost(worker),
              "get of a mark");
    }
  }

  // After a death, on all of the team. Memory of a lost host is gone.
  void use(const Team& team) const {
    const auto slot = static_cast<std::size_t>(team.size);
    for (int worker = 0; worker < workers(); ++worker) {
      if (!is_host_lost(worker)) use_one(worker, team.size);
    }
    meet_all(comex_barrier(team.group), "barrier of records");
    for (int worker = 0; worker < workers(); ++worker) {
      if (is_host_lost(worker)) continue;
      Record then{};
      went(comex_get(at(worker), &then, sizeof then, worker, everyone), worker, "get of what all used");
      require(then.added[slot] == team.size, "what all have added to a record");
      for (const int other : team.workers)
        require(then.put[static_cast<std::size_t>(other)] == team.size, "what all have put to a record");
    }
  }

 private:
  struct Record {
    long mark;                             // of its owner, by plain store
    long holder;                           // who holds the owner's mutex, from 1; 0: nobody
    std::array<long, most_workers> added;  // by survivors, for each size of the team
    std::array<long, most_workers> put;    // by each survivor
    std::array<double, most_workers> accumulated;
    std::array<long, most_workers> told;
  };

  int workers() const { return static_cast<int>(places_.size()); }
  Record* at(int worker) const { return static_cast<Record*>(places_[static_cast<std::size_t>(worker)]); }

  void write_holder(int owner, long holder) const {
    went(comex_put(&holder, &at(owner)->holder, sizeof holder, owner, everyone), owner, "put of the holder");
    went(comex_fence_proc(owner, everyone), owner, "fence under a lock");
  }

  void use_one(int worker, int size) const {
    const auto mine = static_cast<std::size_t>(me_);
    Record* const there = at(worker);
    Record seen{};
    long value = size;
    long old = 0;
    double scale = 1;
    double one = 1;
    went(comex_get(there, &seen, sizeof seen, worker, everyone), worker, "get of a record");
    require(seen.mark == 1000 + worker, "the mark of a record");
    went(comex_put(&value, &there->put[mine], sizeof value, worker, everyone), worker, "put to a record");
    long* const added = &there->added[static_cast<std::size_t>(size)];
    went(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, added, 1, worker, everyone), worker, "rmw of a record");
    double* const accumulated = &there->accumulated[mine];
    went(comex_acc(COMEX_ACC_DBL, &scale, &one, accumulated, sizeof one, worker, everyone), worker, "acc");
    went(comex_fence_proc(worker, everyone), worker, "fence of a record");
    Record then{};
    went(comex_get(there, &then, sizeof then, worker, everyone), worker, "get of a used record");
    require(then.put[mine] == size, "what was put to a record");
    require(then.accumulated[mine] == seen.accumulated[mine] + 1, "what was added to a record");
    lock(worker);
    unlock(worker);
  }

  int me_ = -1;
  std::vector<void*> places_;
};

}  // namespace comex::testing
