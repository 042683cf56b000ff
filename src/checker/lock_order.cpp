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
      path_.assign(1, step);
      extend();
    }
    return std::move(cycles_);
  }

 private:
  bool comes_before(const LockStep& a, const LockStep& b) const {
    return a.time <= all_.rows[std::size_t{b.known} * all_.workers + a.worker];
  }

  bool holds(const LockStep& step, const Mutex& mutex) const {
    if (step.first == mutex) return true;
    const auto others = std::span(all_.held).subspan(step.others, step.others_count);
    return std::ranges::find(others, mutex) != others.end();
  }

  bool share_a_mutex(const LockStep& a, const LockStep& b) const {
    const auto others = std::span(all_.held).subspan(a.others, a.others_count);
    return holds(b, a.first) || std::ranges::any_of(others, [&](const Mutex& m) { return holds(b, m); });
  }

  bool fits(const LockStep& next) const {
    return std::ranges::all_of(path_, [&](const LockStep& step) {
      return step.worker != next.worker && !comes_before(step, next) && !comes_before(next, step) &&
             !share_a_mutex(step, next);
    });
  }

  void extend() {
    if (path_.back().second == path_.front().first) {
      std::set<Mutex> mutexes;
      for (const LockStep& step : path_) mutexes.insert(step.first);
      if (known_.insert(mutexes).second) cycles_.push_back(path_);
      return;
    }
    if (path_.size() == most_mutexes) return;
    for (const LockStep& next : all_.steps) {
      if (next.first != path_.back().second || !fits(next)) continue;
      path_.push_back(next);
      extend();
      path_.pop_back();
    }
  }

  const LockSteps& all_;
  std::vector<LockStep> path_;
  std::set<std::set<Mutex>> known_;
  std::vector<std::vector<LockStep>> cycles_;
};

}  // namespace

void LockSteps::append(const LockSteps& more) {
  const auto held_before = static_cast<std::uint32_t>(held.size());
  const auto rows_before = static_cast<std::uint32_t>(workers == 0 ? 0 : rows.size() / workers);
  for (LockStep step : more.steps) {
    step.others += held_before;
    step.known += rows_before;
    steps.push_back(step);
  }
  held.insert(held.end(), more.held.begin(), more.held.end());
  rows.insert(rows.end(), more.rows.begin(), more.rows.end());
}

std::vector<std::vector<LockStep>> lock_cycles(const LockSteps& all) {
  return Search(all).run();
}

}  // namespace comex::checker
