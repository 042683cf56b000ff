#include "watch/wait_graph.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace comex::watch {
namespace {

bool contains(const Ranks& ranks, const RankState* rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

bool is_in_same_call(const RankState& one, const RankState& other) {
  return is_in_collective(one) && is_in_collective(other) && one.wait.kind == other.wait.kind &&
         one.wait.context == other.wait.context;
}

// A call over the world waits for no member in particular.
bool is_over_world(const RankState& rank) {
  return rank.wait.context == 0 && rank.wait.target < 0;
}

std::vector<int> numbers_of(const Ranks& workers) {  // each once
  std::set<int> numbers;
  for (const RankState* rank : workers) numbers.insert(rank->worker);
  return {numbers.begin(), numbers.end()};
}

}  // namespace

bool waits(const RankState& rank) {
  return !rank.wait.is_none() && rank.wait.seconds >= least_wait_seconds;
}

bool is_in_collective(const RankState& rank) {
  return !rank.wait.is_none() && rank.wait.waiting == activity::Waiting::members;
}

std::string name(const RankState& rank) {
  return rank.worker < 0 ? "progress rank " + std::to_string(rank.rank)
                         : "worker " + std::to_string(rank.worker);
}

std::string names(const Ranks& workers) {
  constexpr std::size_t most = 8;
  const std::vector<int> numbers = numbers_of(workers);
  std::string text = numbers.size() == 1 ? "worker" : "workers";
  for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i)
    text += (i == 0 ? " " : ", ") + std::to_string(numbers[i]);
  return numbers.size() > most ? text + " and " + std::to_string(numbers.size() - most) + " more" : text;
}

std::string names_wait(const Ranks& workers) {
  return names(workers) + (numbers_of(workers).size() == 1 ? " waits" : " wait");
}

WaitGraph::WaitGraph(const JobState& job_state) : job_(job_state) {
  for (const RankState& rank : job_state.ranks) {
    by_rank_[rank.rank] = &rank;
    if (rank.worker >= 0) by_worker_[rank.worker] = &rank;
  }
  for (const auto& [number, rank] : by_rank_) ranks_.push_back(rank);
  for (const auto& [number, worker] : by_worker_)
    if (!worker->is_known_dead) workers_.push_back(worker);
  for (const ThreadWait& thread : job_state.threads) {
    const RankState* const worker = rank(thread.rank);
    if (worker == nullptr || worker->worker < 0) continue;
    RankState& as_thread = threads_.emplace_back(*worker);
    as_thread.wait = thread.wait;
    threads_of_.emplace(worker->worker, &as_thread);
  }
  for (const RankState* worker : workers_) {
    if (waits(*worker)) waiting_.push_back(worker);
    const auto [first, last] = threads_of_.equal_range(worker->worker);
    for (auto thread = first; thread != last; ++thread)
      if (waits(*thread->second)) waiting_.push_back(thread->second);
  }
}

template <class Is>
const RankState* WaitGraph::thread_that(const RankState& worker, const Is& is,
                                        const RankState* otherwise) const {
  if (is(worker)) return &worker;
  const auto [first, last] = threads_of_.equal_range(worker.worker);
  const auto found = std::find_if(first, last, [&](const auto& thread) { return is(*thread.second); });
  return found == last ? otherwise : found->second;
}

const RankState* WaitGraph::in_lock(const RankState& worker) const {
  return thread_that(
      worker, [&](const RankState& thread) { return awaited_mutex(thread) != nullptr; }, &worker);
}

const RankState* WaitGraph::in_collective(const RankState& worker, std::uint64_t context) const {
  const auto is_in_it = [&](const RankState& thread) {
    return is_in_collective(thread) && thread.wait.context == context;
  };
  return thread_that(worker, is_in_it, &worker);
}

const RankState* WaitGraph::found(const ByNumber& ranks, int number) {
  const auto at = ranks.find(number);
  return at == ranks.end() ? nullptr : at->second;
}

const HeldMutex* WaitGraph::awaited_mutex(const RankState& waiter) const {
  if (!waits(waiter) || waiter.wait.waiting != activity::Waiting::mutex || waiter.wait.mutex < 0)
    return nullptr;
  const auto index = static_cast<std::uint64_t>(waiter.wait.mutex);
  const auto at = std::ranges::find_if(job_.mutexes, [&](const HeldMutex& mutex) {
    return mutex.owner == waiter.wait.target && mutex.index == index;
  });
  return at == job_.mutexes.end() ? nullptr : &*at;
}

const RankState* WaitGraph::other_side(const RankState& waiter) const {
  if (!waits(waiter) || waiter.wait.waiting != activity::Waiting::message) return nullptr;
  return worker(waiter.wait.target);
}

Ranks WaitGraph::inside(const RankState& waiter) const {
  Ranks inside;
  for (const RankState* worker : workers_) {
    const RankState* const found =
        thread_that(*worker, [&](const RankState& thread) { return is_in_same_call(thread, waiter); });
    if (found != nullptr) inside.push_back(found);
  }
  return inside;
}

Ranks WaitGraph::members(std::uint64_t context) const {
  if (context == 0) return workers_;
  std::set<int> numbers;  // a rank may be several endpoints
  for (const GroupMember& each : job_.members) {
    if (each.context == context) numbers.insert(each.rank);
  }
  Ranks members;
  for (const int number : numbers) {
    const RankState* const member = rank(number);
    if (member != nullptr && !member->is_known_dead) members.push_back(member);
  }
  return members;
}

Ranks WaitGraph::late(const Ranks& inside) const {
  Ranks late;
  if (inside.empty()) return late;
  const std::uint64_t context = inside.front()->wait.context;
  const bool is_known =
      context != 0 || std::ranges::any_of(inside, [](auto* each) { return is_over_world(*each); });
  if (is_known) {
    std::set<int> come;
    for (const RankState* rank : inside) come.insert(rank->rank);
    std::ranges::copy_if(members(context), std::back_inserter(late),
                         [&](const RankState* member) { return !come.contains(member->rank); });
  }
  if (!late.empty()) return late;
  for (const RankState* rank : inside) {
    const RankState* const member = rank->wait.target < 0 ? nullptr : late_in_chain(*rank);
    if (member != nullptr && !contains(late, member)) late.push_back(member);
  }
  return late;
}

// For groups whose members are not known: follows who waits for whom, and returns the last, which is in no
// collective call. If there is none, as in a cycle, it returns the first that is in another call.
const RankState* WaitGraph::late_in_chain(const RankState& first) const {
  const RankState* rank = &first;
  const RankState* elsewhere = nullptr;
  for (std::size_t steps = 0; steps <= workers_.size(); ++steps) {
    if (!is_in_collective(*rank)) return rank;
    if (elsewhere == nullptr && !is_in_same_call(*rank, first)) elsewhere = rank;
    const RankState* const next = worker(rank->wait.target);
    if (next == nullptr) break;
    rank = in_collective(*next, first.wait.context);
  }
  return elsewhere;
}

// Of members that have not come the first ones stand for all: a call of thousands may wait for thousands.
WaitGraph::Waiters WaitGraph::waiters() const {
  constexpr std::size_t most_late = 8;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Ranks> late_of_call;
  Waiters waiters;
  for (const RankState* waiter : waiting_) {
    const std::string in = "in " + waiter->wait.name();
    if (const HeldMutex* const mutex = awaited_mutex(*waiter)) {
      const RankState* const holder = worker(mutex->holder);
      const std::string why =
          in + ", for mutex " + std::to_string(mutex->index) + " of worker " + std::to_string(mutex->owner);
      if (holder != nullptr) waiters[holder][why].push_back(worker(waiter->worker));
    } else if (is_in_collective(*waiter)) {
      const auto [call, is_new] = late_of_call.try_emplace({waiter->wait.context, waiter->wait.kind});
      if (is_new) {
        call->second = late(inside(*waiter));
        call->second.resize(std::min(call->second.size(), most_late));
      }
      for (const RankState* late : call->second)
        waiters[worker(late->worker)][in].push_back(worker(waiter->worker));
    } else if (const RankState* const other = other_side(*waiter)) {
      waiters[other][in + ", for a message"].push_back(worker(waiter->worker));
    } else if (const RankState* const server = rank(waiter->wait.server)) {
      waiters[server][in].push_back(worker(waiter->worker));
    }
  }
  return waiters;
}

void WaitGraph::draw_below(const RankState& root, const Waiters& waiters, std::size_t depth, Ranks& drawn,
                           std::vector<std::string>& lines) {
  drawn.push_back(&root);
  const std::string indent(2 * depth, ' ');
  for (const auto& [why, all] : waiters.at(&root)) {
    Ranks leaves;
    for (const RankState* waiter : all) {
      if (!waiters.contains(waiter)) {
        leaves.push_back(waiter);
        continue;
      }
      const bool is_above = contains(drawn, waiter);
      lines.push_back(indent + name(*waiter) + " waits for it " + why + (is_above ? " (it is above)" : ""));
      if (!is_above) draw_below(*waiter, waiters, depth + 1, drawn, lines);
    }
    if (!leaves.empty()) lines.push_back(indent + names_wait(leaves) + " for it " + why);
  }
}

std::vector<std::string> WaitGraph::draw() const {
  const Waiters all = waiters();
  std::set<const RankState*> waiting;
  for (const auto& [awaited, calls] : all) {
    for (const auto& [why, ranks] : calls) waiting.insert(ranks.begin(), ranks.end());
  }
  Ranks drawn;
  std::vector<std::string> lines;
  const auto draw_tree = [&](const RankState* root) {
    lines.push_back(name(*root) + ": " + doing(*root));
    draw_below(*root, all, 1, drawn, lines);
  };
  for (const RankState* rank : ranks_) {
    if (all.contains(rank) && !waiting.contains(rank)) draw_tree(rank);
  }
  for (const RankState* rank : ranks_) {  // the rest waits in circles
    if (all.contains(rank) && !contains(drawn, rank)) draw_tree(rank);
  }
  return lines;
}

}  // namespace comex::watch
