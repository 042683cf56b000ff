#include "watch/why.h"

#include <algorithm>
#include <concepts>
#include <map>
#include <optional>

namespace comex::watch {
namespace {

void add_part(std::string& text, std::string_view part) {
  text += part;
}
void add_part(std::string& text, std::integral auto number) {
  text += std::to_string(number);
}
std::string line(const auto&... parts) {
  std::string text;
  (add_part(text, parts), ...);
  return text;
}

bool is_gone(const RankState& rank) {
  return rank.state == 'X' || rank.state == 'Z';
}
bool is_stopped(const RankState& rank) {
  return rank.state == 'T' || rank.state == 't';
}
bool waits(const RankState& rank) {
  return !rank.wait.is_none() && rank.wait.seconds >= least_wait_seconds;
}

std::string name(const RankState& rank) {
  return rank.worker < 0 ? line("progress rank ", rank.rank) : line("worker ", rank.worker);
}
std::string with_process(const RankState& rank) {
  return line(name(rank), " (rank ", rank.rank, ", process ", rank.pid, ")");
}
std::string names(const std::vector<const RankState*>& ranks) {
  constexpr std::size_t most = 8;
  std::vector<int> numbers;
  for (const RankState* rank : ranks) numbers.push_back(rank->worker);
  std::ranges::sort(numbers);
  std::string text = numbers.size() == 1 ? "worker" : "workers";
  for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i)
    text += (i == 0 ? " " : ", ") + std::to_string(numbers[i]);
  return numbers.size() > most ? line(text, " and ", numbers.size() - most, " more") : text;
}

double longest(const std::vector<const RankState*>& ranks) {
  double seconds = 0;
  for (const RankState* rank : ranks) seconds = std::max(seconds, rank->wait.seconds);
  return seconds;
}

class Explanation {
 public:
  Explanation(const Picture* before, const Picture& now)
      : before_(before), mutexes_(now.mutexes), silent_(now.silent) {
    for (const RankState& rank : now.ranks) {
      by_rank_[rank.rank] = &rank;
      if (rank.worker < 0) continue;
      workers_.push_back(&rank);
      by_worker_[rank.worker] = &rank;
    }
    for (const RankState* worker : workers_)
      if (waits(*worker)) waiting_.push_back(worker);
  }

  Why explain() const {
    Why why;
    for (const auto& [rank, state] : by_rank_)
      why.lines.push_back(line(with_process(*state), ": ", what(*state)));
    for (const SilentHost& host : silent_)
      why.lines.push_back(line("host ", host.host, ": its progress rank ", host.server, " does not answer"));
    for (const HeldMutex& mutex : mutexes_) {
      if (mutex.waiting == 0) continue;
      why.lines.push_back(line("mutex ", mutex.index, " of worker ", mutex.owner, ": worker ", mutex.holder,
                               " holds it, ", mutex.waiting, " in line"));
    }
    why.verdict = verdict();
    why.is_hang = !waiting_.empty();
    return why;
  }

 private:
  using Found = std::optional<std::string>;

  std::string what(const RankState& rank) const {
    std::string text = doing(rank);
    if (rank.worker < 0 && rank.queued != 0) text += line(", ", rank.queued, " requests in its queues");
    return text;
  }

  std::string verdict() const {
    for (const auto find :
         {&Explanation::missing_process, &Explanation::silent_host, &Explanation::mutex_cycle,
          &Explanation::mutex_holder, &Explanation::different_calls, &Explanation::missing_member,
          &Explanation::unanswered, &Explanation::unwritten_word}) {
      if (const Found found = (this->*find)()) return *found;
    }
    if (waiting_.empty())
      return "Nobody waits in a call of the runtime: the program computes, or waits elsewhere, in its own "
             "MPI perhaps.";
    return names(waiting_) + " wait, and nothing here says why; look at the other hosts of the job.";
  }

  std::string and_who_waits(const RankState* culprit) const {
    std::vector<const RankState*> others;
    std::ranges::copy_if(waiting_, std::back_inserter(others),
                         [&](const RankState* rank) { return rank != culprit; });
    if (others.empty()) return ".";
    return line("; ", names(others), " wait for up to ", in_seconds(longest(others)), ".");
  }

  Found missing_process() const {
    for (const auto& [number, rank] : by_rank_) {
      if (!is_gone(*rank) && !is_stopped(*rank)) continue;
      std::string text = with_process(*rank) + (is_gone(*rank) ? " is gone: it ended without comex_finalize"
                                                               : " is stopped (SIGSTOP)");
      if (rank->worker < 0) text += line(", so nobody serves host ", rank->host);
      return text + and_who_waits(rank);
    }
    return std::nullopt;
  }

  Found silent_host() const {
    if (silent_.empty()) return std::nullopt;
    const SilentHost& host = silent_.front();
    return line("progress rank ", host.server, " does not answer: it is stopped or gone, or host ", host.host,
                " cannot be reached", and_who_waits(nullptr));
  }

  // The mutex that the worker waits for: one of the target's that somebody else holds.
  const HeldMutex* awaited_mutex(const RankState& rank) const {
    if (!waits(rank) || rank.wait.waiting != activity::Waiting::mutex) return nullptr;
    const auto found = std::ranges::find_if(mutexes_, [&](const HeldMutex& mutex) {
      return mutex.owner == rank.wait.target && mutex.holder != rank.worker && mutex.waiting != 0;
    });
    return found == mutexes_.end() ? nullptr : &*found;
  }

  const RankState* holder_of(const HeldMutex& mutex) const {
    const auto found = by_worker_.find(mutex.holder);
    return found == by_worker_.end() ? nullptr : found->second;
  }

  // From a worker to the holder of the mutex that it waits for, until somebody comes again.
  Found mutex_cycle() const {
    for (const RankState* first : waiting_) {
      std::vector<const RankState*> chain;
      const RankState* rank = first;
      while (rank != nullptr && std::ranges::find(chain, rank) == chain.end()) {
        chain.push_back(rank);
        const HeldMutex* const mutex = awaited_mutex(*rank);
        rank = mutex == nullptr ? nullptr : holder_of(*mutex);
      }
      if (rank != first || chain.size() < 2) continue;
      const char* const whose =
          chain.size() == 2 ? "each other's mutex" : "each other's mutexes, in a circle";
      return line(names(chain), " wait for ", whose, ", for ", in_seconds(longest(chain)), ".");
    }
    return std::nullopt;
  }

  Found mutex_holder() const {
    for (const RankState* rank : waiting_) {
      const HeldMutex* const mutex = awaited_mutex(*rank);
      if (mutex == nullptr) continue;
      const RankState* const holder = holder_of(*mutex);
      std::string text = line("worker ", mutex->holder, " holds mutex ", mutex->index, " of worker ",
                              mutex->owner, " and does not unlock it");
      if (holder != nullptr) text += "; it " + (waits(*holder) ? "is " : std::string()) + doing(*holder);
      return line(text, "; ", name(*rank), " waits for it for ", in_seconds(rank->wait.seconds), ".");
    }
    return std::nullopt;
  }

  std::map<std::string, std::vector<const RankState*>> in_collectives() const {
    std::map<std::string, std::vector<const RankState*>> calls;
    for (const RankState* rank : waiting_)
      if (rank->wait.waiting == activity::Waiting::members) calls[rank->wait.name()].push_back(rank);
    return calls;
  }

  Found different_calls() const {
    const auto calls = in_collectives();
    if (calls.size() < 2) return std::nullopt;
    std::string text;
    for (const auto& [call, ranks] : calls)
      text += line(text.empty() ? "" : ", ", names(ranks), " in ", call);
    return text + ": members of a group have made different collective calls.";
  }

  bool has_moved(const RankState& rank) const {
    if (before_ == nullptr) return false;
    const auto old = std::ranges::find(before_->ranks, rank.rank, &RankState::rank);
    return old != before_->ranks.end() && old->operations != rank.operations;
  }

  // What a worker that others wait for does instead.
  std::string instead(const RankState& rank) const {
    if (waits(rank)) return "it is " + doing(rank);
    if (has_moved(rank)) return "it goes on with other operations";
    if (rank.state == 'R') return "it computes, in no call of the runtime";
    return "it sleeps or waits in no call of the runtime, in its own MPI perhaps";
  }

  // The first of those who are late is what the line begins with.
  std::string have_not_entered(const std::vector<const RankState*>& late, const std::string& call,
                               const std::vector<const RankState*>& inside) const {
    std::string text =
        line(with_process(*late.front()), " has not entered ", call, ": ", instead(*late.front()));
    if (late.size() > 1) {
      const std::vector<const RankState*> others(late.begin() + 1, late.end());
      text += line("; neither have ", names(others));
    }
    return line(text, "; ", names(inside), " wait for ", late.size() > 1 ? "them" : "it", " for up to ",
                in_seconds(longest(inside)), ".");
  }

  // Of a group that is not the world each member waits for one other: the last of the chain is the one who is
  // late.
  const RankState* late_in_group(const RankState& first) const {
    const RankState* rank = &first;
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
    std::vector<const RankState*> late;
    for (const RankState* rank : inside) {
      const RankState* const member = rank->wait.target < 0 ? nullptr : late_in_group(*rank);
      if (member != nullptr && member != rank && std::ranges::find(late, member) == late.end())
        late.push_back(member);
    }
    if (late.empty()) {
      std::ranges::copy_if(workers_, std::back_inserter(late), [&](const RankState* rank) {
        return std::ranges::find(inside, rank) == inside.end();
      });
    }
    if (late.empty()) {
      return line("all workers seen here are in ", call, " for up to ", in_seconds(longest(inside)),
                  ": members on other hosts have not come.");
    }
    // Who waits elsewhere may do so because of another who does not.
    std::ranges::stable_partition(late, [](const RankState* rank) { return !waits(*rank); });
    return have_not_entered(late, call, inside);
  }

  Found unanswered() const {
    for (const RankState* rank : waiting_) {
      if (rank->wait.server < 0) continue;
      const auto server = by_rank_.find(rank->wait.server);
      const std::string who = line(name(*rank), " is in ", rank->wait.name(), " for ",
                                   in_seconds(rank->wait.seconds), " and waits for rank ", rank->wait.server);
      if (server == by_rank_.end()) return who + ", which is on another machine: look there.";
      const RankState& its = *server->second;
      if (its.worker >= 0)
        return line(who, ", a worker that serves itself and makes no call: ", doing(its), ".");
      return line(who, ", which has ", its.queued, " requests in its queues and is process ", its.pid,
                  " in state ", std::string_view(&its.state, 1), ".");
    }
    return std::nullopt;
  }

  Found unwritten_word() const {
    for (const RankState* rank : waiting_) {
      if (rank->wait.waiting != activity::Waiting::word) continue;
      return line(with_process(*rank), " is in ", rank->wait.name(), " for ", in_seconds(rank->wait.seconds),
                  ": nobody has written the value that it waits for.");
    }
    return std::nullopt;
  }

  const Picture* before_;
  const std::vector<HeldMutex>& mutexes_;
  const std::vector<SilentHost>& silent_;
  std::map<int, const RankState*> by_rank_;
  std::map<int, const RankState*> by_worker_;
  std::vector<const RankState*> workers_;
  std::vector<const RankState*> waiting_;
};

}  // namespace

Why explain(const Picture* before, const Picture& now) {
  return Explanation(before, now).explain();
}

}  // namespace comex::watch
