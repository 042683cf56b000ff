// Mutexes: who holds them, what their holders tell each other, and in which order they were taken.
#include <algorithm>
#include <utility>

#include "checked/checker.h"
#include "checked/exchange.h"
#include "checked/next.h"

namespace comex::checker {
namespace {

std::string name_of(const Mutex& mutex) {
  return "mutex " + std::to_string(mutex.number) + " of rank " + std::to_string(mutex.owner);
}

constexpr std::size_t most_steps = 200;  // between two comparisons; all of them are gone through for each

}  // namespace

bool Checker::may_lock(const FollowedCall& call, int number, int owner) {
  act_for_thread();
  const Guard guard(mutex_);
  const Mutex mutex{number, owner};
  const auto held = std::ranges::find_if(
      held_, [&](const Held& one) { return one.mutex == mutex && one.thread == std::this_thread::get_id(); });
  if (held == held_.end()) return true;
  ++held->times;
  tell("locked twice", text_of(call) + " asks for " + name_of(mutex) + ", which it holds since " +
                           sites_.text(held->site) + "; without the checker that waits for ever");
  end_if_wanted(true);
  return false;
}

// A step from each mutex that the thread holds to the one that it takes.
void Checker::keep_steps(const Mutex& taken, std::uint32_t site) {
  LockStep step{.second = taken, .origin = origin(), .site = site, .time = clocks().now()};
  std::size_t count = 0;
  for (const Held& one : held_) {
    if (one.thread != std::this_thread::get_id()) continue;
    if (count == step.held.size()) return;
    step.held[count++] = one.mutex;
  }
  for (const Mutex& first : std::span(step.held).first(count)) {
    if (lock_steps_.steps.size() >= most_steps) break;
    step.first = first;
    // Two of a kind tell enough.
    const auto is_same = [&](const LockStep& old) {
      return old.first == step.first && old.second == step.second && old.origin == step.origin;
    };
    if (std::ranges::count_if(lock_steps_.steps, is_same) > 1) continue;
    const auto known = clocks().known_without_mutexes();
    lock_steps_.rows.insert(lock_steps_.rows.end(), known.begin(), known.end());
    lock_steps_.steps.push_back(step);
  }
}

void Checker::locked(const FollowedCall& call, int number, int owner, bool has_waited) {
  act_for_thread();
  if (owner < 0 || owner >= workers_) return;
  const std::vector<Time> row = clock_memory_.read(clock_memory_.mutex(owner, number));
  const Guard guard(mutex_);
  if (clocks().join_from_mutex(std::span(row))) history_.clocks_changed(origin());
  const Mutex mutex{number, owner};
  const std::uint32_t site = site_of(call);
  if (has_waited) keep_steps(mutex, site);  // who only tries waits for nobody
  held_.push_back({mutex, site, std::this_thread::get_id(), 1});
}

bool Checker::may_unlock(int number, int owner) {
  act_for_thread();
  learn_flags();
  std::vector<Time> row;
  {
    const Guard guard(mutex_);
    const auto held = std::ranges::find(held_, Mutex{number, owner}, &Held::mutex);
    if (held == held_.end()) return true;  // the runtime refuses it
    if (--held->times > 0) return false;
    held_.erase(held);
    row = release();
  }
  clock_memory_.raise(clock_memory_.mutex(owner, number), row);
  next<&comex_fence_proc>("comex_fence_proc")(owner, COMEX_GROUP_WORLD);
  return true;
}

void Checker::destroys_mutexes(const FollowedCall& call) {
  const Guard guard(mutex_);
  for (const Held& held : held_) {
    tell("never unlocked", name_of(held.mutex) + ", taken by " + sites_.text(held.site) +
                               ", is still held at " + text_of(call));
  }
  held_.clear();
}

// Collective over the workers.
void Checker::compare_lock_order() {
  const LockSteps mine =
      locked([&] { return std::exchange(lock_steps_, LockSteps{.origins = lock_steps_.origins}); });
  const std::int64_t most =
      greatest_of(wire_, static_cast<std::int64_t>(std::max(mine.steps.size() * sizeof(LockStep),
                                                            mine.rows.size() * sizeof(Time))));
  if (most == 0) return;
  if (most > most_bytes_compared / workers_) {
    const Guard guard(mutex_);
    findings_.note("unchecked: rank " + std::to_string(me_) +
                   ": the lock order: more mutexes were taken while others were held than can be compared");
    return;
  }
  const LockSteps all{gather(wire_, mine.steps).items, gather(wire_, mine.rows).items, mine.origins};
  const auto is_mine = [&](const LockStep& step) {
    return static_cast<int>(step.origin) / endpoints_ == me_;
  };
  for (const std::vector<LockStep>& cycle : lock_cycles(all)) {
    std::string text;
    std::string sites;
    for (const LockStep& step : cycle) {
      if (is_mine(step)) {
        const Guard guard(mutex_);
        sites += " " + sites_.text(step.site);
      }
      text += (text.empty() ? "" : ", ") + rank_text(static_cast<std::uint16_t>(step.origin)) + " takes " +
              name_of(step.second) + " while it holds " + name_of(step.first);
    }
    // Each worker in it tells its own part; all know the whole.
    if (is_mine(cycle.front())) {
      const Guard guard(mutex_);
      text.append("; they can wait for each other for ever (here at").append(sites).append(")");
      findings_.tell("lock order: " + text);
    }
  }
}

}  // namespace comex::checker
