#include "checker/lock_order.h"

#include <algorithm>
#include <set>

namespace comex::checker {
namespace {

constexpr std::size_t most_mutexes = 4;  // in a cycle

class Search {
 public:
  explicit Search(const LockSteps& all) : all_(all) {}

  std::vector<std::vector<LockStep>> run() {
    for (const LockStep& step : all_.steps) {
      path_.assign(1, &step);
      extend();
    }
    return std::move(cycles_);
  }

 private:
  // Both are in all_.
  bool comes_before(const LockStep& a, const LockStep& b) const {
    const auto row = static_cast<std::size_t>(&b - all_.steps.data());
    return a.time <= all_.rows[row * all_.origins + a.origin];
  }

  static bool share_a_mutex(const LockStep& a, const LockStep& b) {
    return std::ranges::any_of(a.held, [&](const Mutex& mutex) {
      return mutex != Mutex{} && std::ranges::find(b.held, mutex) != b.held.end();
    });
  }

  bool fits(const LockStep& next) const {
    return std::ranges::all_of(path_, [&](const LockStep* step) {
      return step->origin != next.origin && !comes_before(*step, next) && !comes_before(next, *step) &&
             !share_a_mutex(*step, next);
    });
  }

  void extend() {
    if (path_.back()->second == path_.front()->first) {
      std::set<Mutex> mutexes;
      std::vector<LockStep> cycle;
      for (const LockStep* const step : path_) {
        mutexes.insert(step->first);
        cycle.push_back(*step);
      }
      if (known_.insert(mutexes).second) cycles_.push_back(cycle);
      return;
    }
    if (path_.size() == most_mutexes) return;
    for (const LockStep& next : all_.steps) {
      if (next.first != path_.back()->second || !fits(next)) continue;
      path_.push_back(&next);
      extend();
      path_.pop_back();
    }
  }

  const LockSteps& all_;
  std::vector<const LockStep*> path_;
  std::set<std::set<Mutex>> known_;
  std::vector<std::vector<LockStep>> cycles_;
};

}  // namespace

std::vector<std::vector<LockStep>> lock_cycles(const LockSteps& all) {
  return Search(all).run();
}

}  // namespace comex::checker
