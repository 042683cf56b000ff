#include "watch/why.h"

#include <algorithm>
#include <concepts>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "watch/wait_graph.h"

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

// A collective call over a group is named with the handle that this member has for it.
std::string call_of(const RankState& rank) {
  const bool is_over_group = rank.wait.context != 0 && rank.wait.group != 0;
  return is_over_group ? joined(rank.wait.name(), " of group ", rank.wait.group) : rank.wait.name();
}

std::string with_process(const RankState& rank) {
  return joined(name(rank), " (rank ", rank.rank, ", process ", rank.pid, ")");
}

std::string origin_of(const WaitGraph& graph, const QueuedRequest& request) {
  const RankState* const origin = graph.rank(request.from);
  return origin == nullptr ? "rank " + std::to_string(request.from) : name(*origin);
}

double longest(const Ranks& ranks) {
  double seconds = 0;
  for (const RankState* rank : ranks) seconds = std::max(seconds, rank->wait.seconds);
  return seconds;
}

bool runs(const RankState& rank) {
  return rank.wait.is_none() && rank.state == 'R';
}

class Explanation {
 public:
  Explanation(const JobState* before, const JobState& now)
      : before_(before), silent_(now.silent), requests_(now.requests), graph_(now) {}

  Why explain() const { return {verdict(), !graph_.waiting().empty()}; }

 private:
  using Found = std::optional<std::string>;

  std::string verdict() const {
    for (const auto find :
         {&Explanation::missing_process, &Explanation::silent_host, &Explanation::mutex_cycle,
          &Explanation::mutex_holder, &Explanation::different_calls, &Explanation::missing_member,
          &Explanation::missing_message, &Explanation::unanswered, &Explanation::unwritten_word}) {
      if (const Found found = (this->*find)()) return *found;
    }
    for (const RankState* rank : graph_.waiting()) {
      if (const HeldMutex* const mutex = graph_.awaited_mutex(*rank)) {
        return joined("mutex ", mutex->index, " of worker ", mutex->owner, " is passed on; ",
                      names_wait(graph_.waiting()), " for up to ", in_seconds(longest(graph_.waiting())),
                      ".");
      }
    }
    if (graph_.waiting().empty()) {
      return "Nobody waits in a call of the runtime: the program computes, or waits elsewhere, in its own "
             "MPI perhaps.";
    }
    return names_wait(graph_.waiting()) + ", and nothing here says why; look at the other hosts of the job.";
  }

  std::string and_who_waits(const RankState* blamed) const {
    Ranks others;
    std::ranges::copy_if(graph_.waiting(), std::back_inserter(others),
                         [&](const RankState* rank) { return rank != blamed; });
    if (others.empty()) return ".";
    return joined("; ", names_wait(others), " for up to ", in_seconds(longest(others)), ".");
  }

  Found missing_process() const {
    for (const RankState* rank : graph_.ranks()) {
      if (rank->has_left || rank->is_known_dead || (!is_gone(*rank) && !is_stopped(*rank))) continue;
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
    const RankState* const server = graph_.rank(host.server);
    if (server != nullptr && server->state == 'R')
      return with_process(*server) + " is busy: it runs and does not answer" + and_who_waits(nullptr);
    return joined("progress rank ", host.server, " does not answer: it is stopped, gone or busy, or host ",
                  host.host, " cannot be reached", and_who_waits(nullptr));
  }

  // From a worker to the holder of the mutex that it waits for, until somebody comes again.
  Found mutex_cycle() const {
    for (const RankState* first : graph_.waiting()) {
      Ranks chain;
      const RankState* rank = first;
      while (rank != nullptr && std::ranges::find(chain, rank) == chain.end()) {
        chain.push_back(rank);
        const HeldMutex* const mutex = graph_.awaited_mutex(*rank);
        rank = mutex == nullptr ? nullptr : graph_.worker(mutex->holder);
        if (rank != nullptr) rank = graph_.in_lock(*rank);
      }
      if (rank != first) continue;
      if (chain.size() == 1) return locked_twice(*first);
      const char* const whose =
          chain.size() == 2 ? "each other's mutex" : "each other's mutexes, in a circle";
      return joined(names(chain), " wait for ", whose, ", for ", in_seconds(longest(chain)), ".");
    }
    return std::nullopt;
  }

  std::string locked_twice(const RankState& worker) const {
    const HeldMutex& mutex = *graph_.awaited_mutex(worker);
    return joined(with_process(worker), " waits for a mutex that it holds itself, mutex ", mutex.index,
                  " of worker ", mutex.owner, ", for ", in_seconds(worker.wait.seconds), ".");
  }

  // Others have held it a moment ago.
  bool is_passed_on(const HeldMutex& mutex) const {
    if (before_ == nullptr) return false;
    return std::ranges::none_of(before_->mutexes, [&](const HeldMutex& old) {
      return old.owner == mutex.owner && old.index == mutex.index && old.holder == mutex.holder;
    });
  }

  Found mutex_holder() const {
    for (const RankState* rank : graph_.waiting()) {
      const HeldMutex* const mutex = graph_.awaited_mutex(*rank);
      if (mutex == nullptr || is_passed_on(*mutex)) continue;
      const RankState* const holder = graph_.worker(mutex->holder);
      std::string text = joined("worker ", mutex->holder, " holds mutex ", mutex->index, " of worker ",
                                mutex->owner, " and does not unlock it");
      if (holder != nullptr) text += (runs(*holder) ? "; it " : "; it is ") + doing(*holder);
      return joined(text, "; ", name(*rank), " waits for it for ", in_seconds(rank->wait.seconds), ".");
    }
    return std::nullopt;
  }

  // All members wait, so no late member explains it.
  Found different_calls() const {
    std::set<std::uint64_t> contexts;
    for (const RankState* rank : graph_.waiting()) {
      if (is_in_collective(*rank)) contexts.insert(rank->wait.context);
    }
    for (const std::uint64_t context : contexts) {
      if (Found found = different_calls_over(context)) return found;
    }
    return std::nullopt;
  }

  // Calls over the world name no target, and there is one at a time.
  Found different_calls_over(std::uint64_t context) const {
    std::map<std::uint32_t, Ranks> calls;
    std::size_t inside = 0;
    const Ranks members = graph_.members(context);
    for (const RankState* each : members) {
      const RankState* const member = graph_.in_collective(*each, context);
      const bool is_inside = waits(*member) && is_in_collective(*member) && member->wait.context == context;
      if (!is_inside || (context == 0 && member->wait.target >= 0)) continue;
      calls[member->wait.kind].push_back(member);
      ++inside;
    }
    const bool all_wait = inside == members.size() || context == 0;
    if (calls.size() < 2 || !all_wait) return std::nullopt;
    std::string text;
    for (const auto& [kind, ranks] : calls)
      text += joined(text.empty() ? "" : ", ", names(ranks), " in ", call_of(*ranks.front()));
    return text + ": members of a group have made different collective calls.";
  }

  bool has_moved(const RankState& rank) const {
    if (before_ == nullptr) return false;
    const auto old = std::ranges::find(before_->ranks, rank.rank, &RankState::rank);
    return old != before_->ranks.end() && old->operations != rank.operations;
  }

  // What a worker that others wait for does instead.
  std::string instead(const RankState& rank) const {
    if (waits(rank) || rank.has_left) return "it is " + doing(rank);
    if (has_moved(rank)) return "it goes on with other operations";
    if (rank.state == 'R') return "it computes, in no call that waits";
    return "it sleeps or waits in no call of the runtime, in its own MPI perhaps";
  }

  // The first of those who are late is what the line begins with.
  std::string have_not_entered(const Ranks& late, const std::string& call, const Ranks& inside) const {
    std::string text =
        joined(with_process(*late.front()), " has not entered ", call, ": ", instead(*late.front()));
    if (late.size() > 1) {
      const Ranks others(late.begin() + 1, late.end());
      text += joined(others.size() == 1 ? "; neither has " : "; neither have ", names(others));
    }
    return joined(text, "; ", names_wait(inside), " for ", late.size() > 1 ? "them" : "it", " for up to ",
                  in_seconds(longest(inside)), ".");
  }

  Found missing_member() const {
    const auto first =
        std::ranges::find_if(graph_.waiting(), [](auto* rank) { return is_in_collective(*rank); });
    if (first == graph_.waiting().end()) return std::nullopt;
    const Ranks inside = graph_.inside(**first);
    const std::string call = call_of(**first);
    Ranks late = graph_.late(inside);
    if (late.empty()) {
      const bool await_each_other = std::ranges::all_of(inside, [&](const RankState* rank) {
        return std::ranges::find(inside, rank->wait.target, &RankState::worker) != inside.end();
      });
      return joined("all workers seen here are in ", call, " for up to ", in_seconds(longest(inside)),
                    await_each_other ? ": endpoints of theirs that no thread drives have not come."
                                     : ": members on other hosts, or of other worlds, have not come.");
    }
    // Late members that do not wait come first: the others may wait because of them.
    std::stable_partition(late.begin(), late.end(), [](const RankState* rank) { return !waits(*rank); });
    return have_not_entered(late, call, inside);
  }

  // From a worker to the other side of the message that it waits for, until one does something else.
  Found missing_message() const {
    for (const RankState* first : graph_.waiting()) {
      if (first->wait.waiting != activity::Waiting::message) continue;
      Ranks chain{first};
      const RankState* other = graph_.other_side(*first);
      while (other != nullptr && std::ranges::find(chain, other) == chain.end()) {
        chain.push_back(other);
        other = graph_.other_side(*other);
      }
      if (other != nullptr) {
        chain.erase(chain.begin(), std::ranges::find(chain, other));
        return joined(names(chain), " wait for messages of each other, for ", in_seconds(longest(chain)),
                      ".");
      }
      if (chain.size() == 1) {
        const std::string whom = first->wait.target < 0
                                     ? std::string("nobody has sent the message that it waits for")
                                     : joined("worker ", first->wait.target,
                                              ", which is not seen here, has not come to its message");
        return joined(with_process(*first), " is in ", first->wait.name(), " for ",
                      in_seconds(first->wait.seconds), ": ", whom, ".");
      }
      const RankState& blamed = *chain.back();
      const RankState& waiter = *chain[chain.size() - 2];
      return joined(with_process(blamed), " has not come to the message that ", name(waiter),
                    " waits for in ", waiter.wait.name(), ": ", instead(blamed), and_who_waits(&blamed));
    }
    return std::nullopt;
  }

  Found unanswered() const {
    for (const RankState* rank : graph_.waiting()) {
      if (rank->wait.server < 0) continue;
      const std::string who =
          joined(name(*rank), rank->wait.is_repeated ? " is in a loop of " : " is in ", rank->wait.name(),
                 " for ", in_seconds(rank->wait.seconds), " and waits for rank ", rank->wait.server);
      const RankState* const server = graph_.rank(rank->wait.server);
      if (server == nullptr) return who + ", which is on another machine: look there.";
      if (server->worker >= 0)
        return joined(who, ", a worker that serves itself and makes no call: ", doing(*server), ".");
      const std::string state = server->state == 'R'
                                    ? std::string("busy: it runs and does not answer")
                                    : joined("in state ", std::string_view(&server->state, 1));
      return joined(who, " (process ", server->pid, "), which is ", state, "; it ", in_queues(*server), ".");
    }
    return std::nullopt;
  }

  // What lies at a progress rank, with the oldest that is known.
  std::string in_queues(const RankState& server) const {
    std::string text = joined("has ", server.queued, " requests in its queues");
    const QueuedRequest* oldest = nullptr;
    for (const QueuedRequest& request : requests_) {
      if (request.server == server.rank && (oldest == nullptr || request.seconds > oldest->seconds))
        oldest = &request;
    }
    return oldest == nullptr ? text : joined(text, " (", text_of(*oldest, origin_of(graph_, *oldest)), ")");
  }

  Found unwritten_word() const {
    for (const RankState* rank : graph_.waiting()) {
      if (rank->wait.waiting != activity::Waiting::word) continue;
      return joined(with_process(*rank), " is in ", rank->wait.name(), " for ",
                    in_seconds(rank->wait.seconds), ": nobody has written the value that it waits for.");
    }
    return std::nullopt;
  }

  const JobState* before_;
  const std::vector<HostServer>& silent_;
  const std::vector<QueuedRequest>& requests_;
  const WaitGraph graph_;
};

}  // namespace

Why explain(const JobState* before, const JobState& now) {
  return Explanation(before, now).explain();
}

std::vector<std::string> describe(const JobState& job_state) {
  const WaitGraph graph(job_state);
  std::vector<std::string> lines;
  for (const RankState* rank : graph.ranks()) {
    const bool has_queue = rank->worker < 0 && rank->queued != 0;
    const std::string queue =
        has_queue ? joined(", ", rank->queued, " requests in its queues") : std::string();
    const bool is_in_no_wait = rank->worker >= 0 && rank->wait.is_none() && !is_gone(*rank);
    const std::string quiet = is_in_no_wait
                                  ? joined(", its last wait ended ", in_seconds(rank->quiet_seconds), " ago")
                                  : std::string();
    lines.push_back(joined(with_process(*rank), ": ", doing(*rank), quiet, queue));
    for (const ThreadWait& thread : job_state.threads) {
      RankState as_thread = *rank;
      as_thread.wait = thread.wait;
      if (thread.rank == rank->rank) lines.push_back("  another thread of it: " + doing(as_thread));
    }
    for (const QueuedRequest& request : job_state.requests) {
      if (request.server == rank->rank) lines.push_back("  " + text_of(request, origin_of(graph, request)));
    }
  }
  for (const HostServer& host : job_state.silent)
    lines.push_back(joined("host ", host.host, ": its progress rank ", host.server, " does not answer"));
  for (const HeldMutex& mutex : job_state.mutexes) {
    Ranks in_line;
    std::ranges::copy_if(graph.waiting(), std::back_inserter(in_line),
                         [&](const RankState* rank) { return graph.awaited_mutex(*rank) == &mutex; });
    if (mutex.waiting == 0 && in_line.empty()) continue;
    lines.push_back(joined("mutex ", mutex.index, " of worker ", mutex.owner, ": worker ", mutex.holder,
                           " holds it, ", mutex.waiting, " in line",
                           in_line.empty() ? std::string() : ": " + names(in_line)));
  }
  const std::vector<std::string> tree = graph.draw();
  if (!tree.empty()) lines.insert(lines.end(), {"", "who waits for whom:"});
  for (const std::string& line : tree) lines.push_back("  " + line);
  return lines;
}

}  // namespace comex::watch
