// Who waits for whom, by the state of the job. Pure.
//
// A worker in a lock waits for the mutex's holder, one in a collective call for the members that have not
// come, one in an operation for the progress rank that has to answer. Used by watch/why and runtime.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "watch/job_state.h"

namespace comex::watch {

using Ranks = std::vector<const RankState*>;

// Shorter waits do not count: their answer is probably on its way.
inline constexpr double least_wait_seconds = 0.5;

bool waits(const RankState& rank);             // for least_wait_seconds
bool is_in_collective(const RankState& rank);  // for however short
std::string name(const RankState& rank);
std::string names(const Ranks& workers);       // the first ones by number, and how many more
std::string names_wait(const Ranks& workers);  // such as "workers 1, 2 wait"

class WaitGraph {
 public:
  explicit WaitGraph(const JobState& job_state);  // which outlives it
  WaitGraph(const WaitGraph&) = delete;
  WaitGraph& operator=(const WaitGraph&) = delete;

  const Ranks& ranks() const { return ranks_; }      // by their number
  const Ranks& workers() const { return workers_; }  // by theirs, without those known to have died
  // Of a worker of which several threads wait, a RankState for each of them.
  const Ranks& waiting() const { return waiting_; }
  const RankState* rank(int rank) const { return found(by_rank_, rank); }  // null: not known
  const RankState* worker(int worker) const { return found(by_worker_, worker); }

  // Null: it is in no lock, or nobody holds it.
  const HeldMutex* awaited_mutex(const RankState& waiter) const;
  // Of a worker that waits for a message, or for one to be received. Null: it does not, or any other may
  // send.
  const RankState* other_side(const RankState& waiter) const;
  // The thread of this worker that waits for a mutex, or is in a collective call over this context; the
  // worker itself if there is none.
  const RankState* in_lock(const RankState& worker) const;
  const RankState* in_collective(const RankState& worker, std::uint64_t context) const;
  // Those in the collective call that `waiter` is in.
  Ranks inside(const RankState& waiter) const;
  // Those whom they wait for, as far as it is known: the members of the group, or of the world, that
  // have not come.
  Ranks late(const Ranks& inside) const;
  // The members of the group by this context, without those known to have died; 0: all workers.
  Ranks members(std::uint64_t context) const;

  // A tree for each rank that is waited for and waits for nobody, or in a circle: it, and below it who waits.
  std::vector<std::string> draw() const;

 private:
  // By whom they wait for, and then by why: such as "in lock, for mutex 3 of worker 1".
  using Waiters = std::map<const RankState*, std::map<std::string, Ranks>>;
  using ByNumber = std::map<int, const RankState*>;
  static const RankState* found(const ByNumber& ranks, int number);
  const RankState* late_in_chain(const RankState& first) const;
  Waiters waiters() const;
  static void draw_below(const RankState& root, const Waiters& waiters, std::size_t depth, Ranks& drawn,
                         std::vector<std::string>& lines);

  template <class Is>
  const RankState* thread_that(const RankState& worker, const Is& is,
                               const RankState* otherwise = nullptr) const;

  const JobState& job_;
  std::deque<RankState> threads_;  // one copy of its RankState for each further waiting thread
  std::multimap<int, const RankState*> threads_of_;  // by worker
  ByNumber by_rank_;
  ByNumber by_worker_;
  Ranks ranks_;
  Ranks workers_;
  Ranks waiting_;
};

}  // namespace comex::watch
