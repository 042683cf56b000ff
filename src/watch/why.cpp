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
std::string joined(const auto&... parts) {
  std::string text;
  (add_part(text, parts), ...);
  return text;
}

bool waits(const RankState& rank) {
  return !rank.wait.is_none() && rank.wait.seconds >= least_wait_seconds;
}

std::string name(const RankState& rank) {
  return rank.worker < 0 ? joined("progress rank ", rank.rank) : joined("worker ", rank.worker);
}
std::string with_process(const RankState& rank) {
  return joined(name(rank), " (rank ", rank.rank, ", process ", rank.pid, ")");
}
std::string names(const std::vector<const RankState*>& ranks) {
  constexpr std::size_t most = 8;
  std::vector<int> numbers;
  for (const RankState* rank : ranks) numbers.push_back(rank->worker);
  std::ranges::sort(numbers);
  std::string text = numbers.size() == 1 ? "worker" : "workers";
  for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i)
    text += (i == 0 ? " " : ", ") + std::to_string(numbers[i]);
  return numbers.size() > most ? joined(text, " and ", numbers.size() - most, " more") : text;
}

std::string names_wait(const std::vector<const RankState*>& ranks) {
  return names(ranks) + (ranks.size() == 1 ? " waits" : " wait");
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
    std::ranges::copy_if(workers_, std::back_inserter(waiting_),
                         [](const RankState* worker) { return waits(*worker); });
  }

  Why explain() const { return {verdict(), !waiting_.empty()}; }

 private:
  using Found = std::optional<std::string>;

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
    return names_wait(waiting_) + ", and nothing here says why; look at the other hosts of the job.";
  }

  std::string and_who_waits(const RankState* culprit) const {
    std::vector<const RankState*> others;
    std::ranges::copy_if(waiting_, std::back_inserter(others),
                         [&](const RankState* rank) { return rank != culprit; });
    if (others.empty()) return ".";
    return joined("; ", names_wait(others), " for up to ", in_seconds(longest(others)), ".");
  }

  Found missing_process() const {
    for (const auto& [number, rank] : by_rank_) {
      if (!is_gone(*rank) && !is_stopped(*rank)) continue;
      std::string text = with_process(*rank) + (is_gone(*rank) ? " is gone: it ended without comex_finalize"
                                                               : " is stopped (SIGSTOP)");
      if (rank->worker < 0) text += joined(", so nobody serves host ", rank->host);
      return text + and_who_waits(rank);
    }
    return std::nullopt;
  }

  Found silent_host() const {
    if (silent_.empty()) return std::nullopt;
    const HostServer& host = silent_.front();
    return joined("progress rank ", host.server, " does not answer: it is stopped, gone or busy, or host ",
                  host.host, " cannot be reached", and_who_waits(nullptr));
  }

  // The mutex that the worker waits for: the one of the target's that somebody else holds and others wait
  // for. Null where there are several.
  const HeldMutex* awaited_mutex(const RankState& rank) const {
    if (!waits(rank) || rank.wait.waiting != activity::Waiting::mutex) return nullptr;
    const auto may_be = [&](const HeldMutex& mutex) {
      return mutex.owner == rank.wait.target && mutex.holder != rank.worker && mutex.waiting != 0;
    };
    const auto found = std::ranges::find_if(mutexes_, may_be);
    const bool is_known =
        found != mutexes_.end() && std::find_if(found + 1, mutexes_.end(), may_be) == mutexes_.end();
    return is_known ? &*found : nullptr;
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
      return joined(names(chain), " wait for ", whose, ", for ", in_seconds(longest(chain)), ".");
    }
    return std::nullopt;
  }

  Found mutex_holder() const {
    for (const RankState* rank : waiting_) {
      const HeldMutex* const mutex = awaited_mutex(*rank);
      if (mutex == nullptr) continue;
      const RankState* const holder = holder_of(*mutex);
      std::string text = joined("worker ", mutex->holder, " holds mutex ", mutex->index, " of worker ",
                                mutex->owner, " and does not unlock it");
      if (holder != nullptr) text += "; it " + (waits(*holder) ? "is " : std::string()) + doing(*holder);
      return joined(text, "; ", name(*rank), " waits for it for ", in_seconds(rank->wait.seconds), ".");
    }
    return std::nullopt;
  }

  static bool is_in_collective(const RankState& rank) {
    return waits(rank) && rank.wait.waiting == activity::Waiting::members;
  }

  // Of the world's collectives nobody waits for one member: there cannot be two at a time.
  Found different_calls() const {
    std::map<std::uint32_t, std::vector<const RankState*>> calls;
    for (const RankState* rank : waiting_) {
      if (is_in_collective(*rank) && rank->wait.target < 0) calls[rank->wait.kind].push_back(rank);
    }
    if (calls.size() < 2) return std::nullopt;
    std::string text;
    for (const auto& [kind, ranks] : calls)
      text += joined(text.empty() ? "" : ", ", names(ranks), " in ", ranks.front()->wait.name());
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
        joined(with_process(*late.front()), " has not entered ", call, ": ", instead(*late.front()));
    if (late.size() > 1) {
      const std::vector<const RankState*> others(late.begin() + 1, late.end());
      text += joined(others.size() == 1 ? "; neither has " : "; neither have ", names(others));
    }
    return joined(text, "; ", names_wait(inside), " for ", late.size() > 1 ? "them" : "it", " for up to ",
                  in_seconds(longest(inside)), ".");
  }

  // Of a group that is not the world each member waits for one other: the last of the chain is late. If that
  // is in another group's call, the chain goes on there; in a circle, who is in another call is late.
  const RankState* late_in_group(const RankState& first) const {
    const RankState* rank = &first;
    const RankState* elsewhere = nullptr;
    for (std::size_t steps = 0; steps <= workers_.size(); ++steps) {
      if (!is_in_collective(*rank)) return rank;
      if (elsewhere == nullptr && rank->wait.kind != first.wait.kind) elsewhere = rank;
      const auto next = by_worker_.find(rank->wait.target);
      if (next == by_worker_.end()) break;
      rank = next->second;
    }
    return elsewhere;
  }

  std::vector<const RankState*> late_for(const std::vector<const RankState*>& inside) const {
    std::vector<const RankState*> late;
    for (const RankState* rank : inside) {
      const RankState* const member = rank->wait.target < 0 ? nullptr : late_in_group(*rank);
      if (member != nullptr && std::ranges::find(late, member) == late.end()) late.push_back(member);
    }
    if (!late.empty()) return late;
    for (const RankState* rank : workers_) {
      const bool is_inside = is_in_collective(*rank) && rank->wait.kind == inside.front()->wait.kind;
      if (!is_inside) late.push_back(rank);
    }
    return late;
  }

  Found missing_member() const {
    std::vector<const RankState*> inside;  // of one call
    for (const RankState* rank : waiting_) {
      const bool is_first = inside.empty();
      if (is_in_collective(*rank) && (is_first || rank->wait.kind == inside.front()->wait.kind))
        inside.push_back(rank);
    }
    if (inside.empty()) return std::nullopt;
    const std::string call = inside.front()->wait.name();
    std::vector<const RankState*> late = late_for(inside);
    if (late.empty()) {
      return joined("all workers seen here are in ", call, " for up to ", in_seconds(longest(inside)),
                    ": members on other hosts have not come.");
    }
    // Who waits elsewhere may do so because of another who does not.
    std::stable_partition(late.begin(), late.end(), [](const RankState* rank) { return !waits(*rank); });
    return have_not_entered(late, call, inside);
  }

  Found unanswered() const {
    for (const RankState* rank : waiting_) {
      if (rank->wait.server < 0) continue;
      const auto server = by_rank_.find(rank->wait.server);
      const std::string who =
          joined(name(*rank), " is in ", rank->wait.name(), " for ", in_seconds(rank->wait.seconds),
                 " and waits for rank ", rank->wait.server);
      if (server == by_rank_.end()) return who + ", which is on another machine: look there.";
      const RankState& its = *server->second;
      if (its.worker >= 0)
        return joined(who, ", a worker that serves itself and makes no call: ", doing(its), ".");
      return joined(who, ", which has ", its.queued, " requests in its queues and is process ", its.pid,
                    " in state ", std::string_view(&its.state, 1), ".");
    }
    return std::nullopt;
  }

  Found unwritten_word() const {
    for (const RankState* rank : waiting_) {
      if (rank->wait.waiting != activity::Waiting::word) continue;
      return joined(with_process(*rank), " is in ", rank->wait.name(), " for ",
                    in_seconds(rank->wait.seconds), ": nobody has written the value that it waits for.");
    }
    return std::nullopt;
  }

  const Picture* before_;
  const std::vector<HeldMutex>& mutexes_;
  const std::vector<HostServer>& silent_;
  std::map<int, const RankState*> by_rank_;
  std::map<int, const RankState*> by_worker_;
  std::vector<const RankState*> workers_;
  std::vector<const RankState*> waiting_;
};

}  // namespace

Why explain(const Picture* before, const Picture& now) {
  return Explanation(before, now).explain();
}

std::vector<std::string> describe(const Picture& picture) {
  std::vector<const RankState*> ranks;
  for (const RankState& rank : picture.ranks) ranks.push_back(&rank);
  std::ranges::sort(ranks, {}, &RankState::rank);
  std::vector<std::string> lines;
  for (const RankState* rank : ranks) {
    const bool has_queue = rank->worker < 0 && rank->queued != 0;
    const std::string queue =
        has_queue ? joined(", ", rank->queued, " requests in its queues") : std::string();
    lines.push_back(joined(with_process(*rank), ": ", doing(*rank), queue));
  }
  for (const HostServer& host : picture.silent)
    lines.push_back(joined("host ", host.host, ": its progress rank ", host.server, " does not answer"));
  for (const HeldMutex& mutex : picture.mutexes) {
    if (mutex.waiting == 0) continue;
    lines.push_back(joined("mutex ", mutex.index, " of worker ", mutex.owner, ": worker ", mutex.holder,
                           " holds it, ", mutex.waiting, " in line"));
  }
  return lines;
}

}  // namespace comex::watch
