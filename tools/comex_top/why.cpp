#include "why.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "view.h"

namespace comex::top {
namespace {

// A wait that is shorter is on its way.
constexpr double least_seconds = 0.5;

bool is_gone(const Rank& rank) {
  return rank.state == 'X' || rank.state == 'Z';
}
bool is_stopped(const Rank& rank) {
  return rank.state == 'T' || rank.state == 't';
}
bool waits(const Rank& rank) {
  return !rank.wait.call.empty() && rank.wait.seconds >= least_seconds;
}

std::string name(const Rank& rank) {
  return rank.worker < 0 ? fmt::format("progress rank {}", rank.rank) : fmt::format("worker {}", rank.worker);
}
std::string with_process(const Rank& rank) {
  return fmt::format("{} (rank {}, process {})", name(rank), rank.rank, rank.pid);
}
std::string names(const std::vector<const Rank*>& ranks) {
  constexpr std::size_t most = 8;
  std::vector<int> numbers;
  for (const Rank* rank : ranks) numbers.push_back(rank->worker);
  std::ranges::sort(numbers);
  const std::size_t more = numbers.size() > most ? numbers.size() - most : 0;
  numbers.resize(numbers.size() - more);
  return fmt::format("worker{} {}{}", numbers.size() == 1 ? "" : "s", fmt::join(numbers, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

double longest(const std::vector<const Rank*>& ranks) {
  double seconds = 0;
  for (const Rank* rank : ranks) seconds = std::max(seconds, rank->wait.seconds);
  return seconds;
}

class Explanation {
 public:
  Explanation(const Job* before, const Job& now) : before_(before) {
    for (const Host& host : now.hosts) {
      for (const Rank& rank : host.ranks) {
        by_rank_[rank.rank] = &rank;
        (rank.worker >= 0 ? workers_ : servers_).push_back(&rank);
        if (rank.worker >= 0) by_worker_[rank.worker] = &rank;
      }
      mutexes_.insert(mutexes_.end(), host.mutexes.begin(), host.mutexes.end());
    }
    for (const Rank* worker : workers_)
      if (waits(*worker)) waiting_.push_back(worker);
  }

  Why explain() const {
    Why why;
    for (const auto& [rank, state] : by_rank_)
      why.lines.push_back(fmt::format("{}: {}", with_process(*state), what(*state)));
    for (const Mutex& mutex : mutexes_) {
      if (mutex.waiting == 0) continue;
      why.lines.push_back(fmt::format("mutex {} of worker {}: worker {} holds it, {} in line", mutex.index,
                                      mutex.owner, mutex.holder, mutex.waiting));
    }
    why.verdict = verdict();
    return why;
  }

 private:
  using Found = std::optional<std::string>;

  std::string what(const Rank& rank) const {
    std::string text = doing(rank);
    if (rank.worker < 0 && rank.queued != 0) text += fmt::format(", {} requests in its queues", rank.queued);
    return text;
  }

  std::string verdict() const {
    for (const auto find :
         {&Explanation::missing_process, &Explanation::mutex_cycle, &Explanation::mutex_holder,
          &Explanation::different_calls, &Explanation::missing_member, &Explanation::unanswered,
          &Explanation::unwritten_word}) {
      if (const Found found = (this->*find)()) return *found;
    }
    if (waiting_.empty())
      return "Nobody waits in a call of the runtime: the program computes, or waits elsewhere, in its own "
             "MPI perhaps.";
    return fmt::format("{} wait, and nothing here says why; look at the other hosts of the job.",
                       names(waiting_));
  }

  std::string and_who_waits(const Rank& culprit) const {
    std::vector<const Rank*> others;
    std::ranges::copy_if(waiting_, std::back_inserter(others),
                         [&](const Rank* rank) { return rank != &culprit; });
    if (others.empty()) return ".";
    return fmt::format("; {} wait for up to {:.1f} s.", names(others), longest(others));
  }

  Found missing_process() const {
    for (const auto& [number, rank] : by_rank_) {
      if (!is_gone(*rank) && !is_stopped(*rank)) continue;
      std::string text = with_process(*rank) + (is_gone(*rank) ? " is gone: it ended without comex_finalize"
                                                               : " is stopped (SIGSTOP)");
      if (rank->worker < 0) text += fmt::format(", so nobody serves host {}", rank->host);
      return text + and_who_waits(*rank);
    }
    return std::nullopt;
  }

  // The mutex that the worker waits for: one of the target's that somebody else holds.
  const Mutex* awaited_mutex(const Rank& rank) const {
    if (!waits(rank) || rank.wait.waiting != activity::Waiting::mutex) return nullptr;
    const auto found = std::ranges::find_if(mutexes_, [&](const Mutex& mutex) {
      return mutex.owner == rank.wait.target && mutex.holder != rank.worker && mutex.waiting != 0;
    });
    return found == mutexes_.end() ? nullptr : &*found;
  }

  const Rank* holder_of(const Mutex& mutex) const {
    const auto found = by_worker_.find(mutex.holder);
    return found == by_worker_.end() ? nullptr : found->second;
  }

  // From a worker to the holder of the mutex that it waits for, until somebody comes again.
  Found mutex_cycle() const {
    for (const Rank* first : waiting_) {
      std::vector<const Rank*> chain;
      const Rank* rank = first;
      while (rank != nullptr && std::ranges::find(chain, rank) == chain.end()) {
        chain.push_back(rank);
        const Mutex* const mutex = awaited_mutex(*rank);
        rank = mutex == nullptr ? nullptr : holder_of(*mutex);
      }
      if (rank != first || chain.size() < 2) continue;
      const char* const whose =
          chain.size() == 2 ? "each other's mutex" : "each other's mutexes, in a circle";
      return fmt::format("{} wait for {}, for {:.1f} s.", names(chain), whose, longest(chain));
    }
    return std::nullopt;
  }

  Found mutex_holder() const {
    for (const Rank* rank : waiting_) {
      const Mutex* const mutex = awaited_mutex(*rank);
      if (mutex == nullptr) continue;
      const Rank* const holder = holder_of(*mutex);
      std::string text = fmt::format("worker {} holds mutex {} of worker {} and does not unlock it",
                                     mutex->holder, mutex->index, mutex->owner);
      if (holder != nullptr) text += "; it " + (waits(*holder) ? "is " : std::string()) + doing(*holder);
      return text + fmt::format("; {} waits for it for {:.1f} s.", name(*rank), rank->wait.seconds);
    }
    return std::nullopt;
  }

  std::map<std::string, std::vector<const Rank*>> in_collectives() const {
    std::map<std::string, std::vector<const Rank*>> calls;
    for (const Rank* rank : waiting_)
      if (rank->wait.waiting == activity::Waiting::members) calls[rank->wait.call].push_back(rank);
    return calls;
  }

  Found different_calls() const {
    const auto calls = in_collectives();
    if (calls.size() < 2) return std::nullopt;
    std::string text;
    for (const auto& [call, ranks] : calls)
      text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", names(ranks), call);
    return text + ": members of a group have made different collective calls.";
  }

  bool has_moved(const Rank& rank) const {
    if (before_ == nullptr) return false;
    for (const Host& host : before_->hosts) {
      for (const Rank& old : host.ranks)
        if (old.rank == rank.rank) return old.near != rank.near || old.far != rank.far;
    }
    return false;
  }

  // What a worker that others wait for does instead.
  std::string instead(const Rank& rank) const {
    if (waits(rank)) return "it is " + doing(rank);
    if (has_moved(rank)) return "it goes on with other operations";
    if (rank.state == 'R') return "it computes, in no call of the runtime";
    return "it sleeps or waits in no call of the runtime, in its own MPI perhaps";
  }

  std::string has_not_entered(const Rank& culprit, const std::string& call,
                              const std::vector<const Rank*>& inside) const {
    return fmt::format("{} has not entered {}: {}; {} wait for it for up to {:.1f} s.", with_process(culprit),
                       call, instead(culprit), names(inside), longest(inside));
  }

  // Of a group that is not the world each member waits for one other: the last of the chain is the one who is
  // late.
  const Rank* late_in_group(const Rank& first) const {
    const Rank* rank = &first;
    for (std::size_t steps = 0; steps <= workers_.size(); ++steps) {
      const bool is_inside = waits(*rank) && rank->wait.waiting == activity::Waiting::members &&
                             rank->wait.call == first.wait.call;
      if (!is_inside) return rank;
      const auto next = by_worker_.find(rank->wait.target);
      if (next == by_worker_.end()) return nullptr;
      rank = next->second;
    }
    return nullptr;
  }

  Found missing_member() const {
    const auto calls = in_collectives();
    if (calls.empty()) return std::nullopt;
    const auto& [call, inside] = *calls.begin();
    for (const Rank* rank : inside) {
      const Rank* const late = rank->wait.target < 0 ? nullptr : late_in_group(*rank);
      if (late != nullptr && late != rank) return has_not_entered(*late, call, inside);
    }
    std::vector<const Rank*> missing;
    std::ranges::copy_if(workers_, std::back_inserter(missing),
                         [&](const Rank* rank) { return std::ranges::find(inside, rank) == inside.end(); });
    if (missing.empty()) {
      return fmt::format(
          "all workers of this machine are in {} for up to {:.1f} s: members on other hosts have not come.",
          call, longest(inside));
    }
    const auto idle = std::ranges::find_if(missing, [](const Rank* rank) { return !waits(*rank); });
    return has_not_entered(idle == missing.end() ? *missing.front() : **idle, call, inside);
  }

  Found unanswered() const {
    for (const Rank* rank : waiting_) {
      if (rank->wait.server < 0) continue;
      const auto server = by_rank_.find(rank->wait.server);
      const std::string who = fmt::format("{} is in {} for {:.1f} s and waits for rank {}", name(*rank),
                                          rank->wait.call, rank->wait.seconds, rank->wait.server);
      if (server == by_rank_.end()) return who + ", which is on another machine: look there.";
      if (server->second->worker >= 0) {
        return fmt::format("{}, a worker that serves itself and makes no call: {}.", who,
                           doing(*server->second));
      }
      return fmt::format("{}, which has {} requests in its queues and is process {} in state {}.", who,
                         server->second->queued, server->second->pid, server->second->state);
    }
    return std::nullopt;
  }

  Found unwritten_word() const {
    for (const Rank* rank : waiting_) {
      if (rank->wait.waiting != activity::Waiting::word) continue;
      return fmt::format("{} is in {} for {:.1f} s: nobody has written the value that it waits for.",
                         with_process(*rank), rank->wait.call, rank->wait.seconds);
    }
    return std::nullopt;
  }

  const Job* before_;
  std::map<int, const Rank*> by_rank_;
  std::map<int, const Rank*> by_worker_;
  std::vector<const Rank*> workers_;
  std::vector<const Rank*> servers_;
  std::vector<const Rank*> waiting_;
  std::vector<Mutex> mutexes_;
};

}  // namespace

Why explain(const Job* before, const Job& now) {
  return Explanation(before, now).explain();
}

}  // namespace comex::top
