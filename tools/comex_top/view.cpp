#include "view.h"

#include <fmt/format.h>

#include <algorithm>

namespace comex::top {
namespace {

using Counts = std::array<Count, activity::kinds>;

const Rank* find_rank(const Job* job, const Rank& wanted) {
  if (job == nullptr) return nullptr;
  for (const Host& host : job->hosts) {
    for (const Rank& rank : host.ranks)
      if (rank.rank == wanted.rank && rank.pid == wanted.pid) return &rank;
  }
  return nullptr;
}

// What threads count without a lock may go back a little.
std::uint64_t less(std::uint64_t now, std::uint64_t before) {
  return now < before ? 0 : now - before;
}
Count less(const Count& now, const Count& before) {
  return {less(now.count, before.count), less(now.amount, before.amount)};
}

void add(Rate& rate, const Count& more, double seconds) {
  if (seconds <= 0) return;
  rate.operations += static_cast<double>(more.count) / seconds;
  rate.bytes += static_cast<double>(more.amount) / seconds;
}

void add_row(RankView& view, Rate& route, const Counts& now, const Counts& before, double seconds) {
  for (unsigned kind = 0; kind < activity::kinds; ++kind) {
    const Count more = less(now[kind], before[kind]);
    view.total[kind].count += now[kind].count;
    view.total[kind].amount += now[kind].amount;
    add(view.by_kind[kind], more, seconds);
    add(route, more, seconds);
  }
}

Counts row_of(const std::vector<Counts>& rows, std::size_t at) {
  return at < rows.size() ? rows[at] : Counts{};
}

RankView view_of(const Rank& now, const Rank& before, double seconds) {
  RankView view;
  view.last = now;
  for (std::size_t slot = 0; slot < now.near.size(); ++slot) {
    Rate& route = slot == static_cast<std::size_t>(now.slot) ? view.self : view.same_host;
    add_row(view, route, now.near[slot], row_of(before.near, slot), seconds);
  }
  for (std::size_t host = 0; host < now.far.size(); ++host)
    add_row(view, view.other_hosts, now.far[host], row_of(before.far, host), seconds);
  add_row(view, view.other_hosts, now.other_worlds, before.other_worlds, seconds);
  if (seconds <= 0) return view;
  // A wait is counted whole when it ends, whatever of it was before the first look; a repeated call never is.
  double waited = std::min(now.wait.seconds, seconds);
  const bool has_ended = now.wait.seconds < seconds;
  if (has_ended && !before.wait.is_repeated) waited -= before.wait.seconds;
  for (unsigned waiting = 0; waiting < activity::waitings; ++waiting)
    waited += static_cast<double>(less(now.waits[waiting], before.waits[waiting]).amount) / 1e9;
  view.waiting = std::clamp(waited / seconds, 0.0, 1.0);
  const std::uint64_t requests = less(now.requests, before.requests);
  const double busy_ns = static_cast<double>(less(now.busy_ns, before.busy_ns));
  view.requests = static_cast<double>(requests) / seconds;
  view.busy = std::min(1.0, busy_ns / 1e9 / seconds);
  view.service_us = requests == 0 ? 0 : busy_ns / 1e3 / static_cast<double>(requests);
  return view;
}

double bytes_of(const Counts& counts) {
  double bytes = 0;
  for (const Count& count : counts) bytes += static_cast<double>(count.amount);
  return bytes;
}

}  // namespace

JobView compare(const Job* before, const Job& now) {
  JobView view;
  view.last = now;
  view.seconds = before == nullptr ? 0 : now.taken_at - before->taken_at;
  for (const Host& host : now.hosts) {
    for (const Rank& rank : host.ranks) {
      const Rank* const old = find_rank(before, rank);
      view.ranks.push_back(old == nullptr ? view_of(rank, Rank(), rank.open_seconds)
                                          : view_of(rank, *old, view.seconds));
    }
  }
  std::ranges::sort(view.ranks, {}, [](const RankView& each) { return each.last.rank; });
  return view;
}

Matrix matrix_of(const Job& job) {
  Matrix matrix;
  std::vector<const Rank*> workers;
  for (const Host& host : job.hosts) {
    for (const Rank& rank : host.ranks)
      if (rank.worker >= 0) workers.push_back(&rank);
  }
  std::ranges::sort(workers, {}, &Rank::worker);
  std::size_t hosts = 0;
  for (const Rank* worker : workers) hosts = std::max(hosts, worker->far.size());
  for (const Rank* worker : workers) matrix.to.push_back(fmt::format("{}", worker->worker));
  for (std::size_t host = 0; host < hosts; ++host) matrix.to.push_back(fmt::format("host {}", host));
  for (const Rank* from : workers) {
    std::vector<double>& row = matrix.bytes.emplace_back();
    matrix.from.push_back(fmt::format("{}", from->worker));
    for (const Rank* to : workers) {
      const auto slot = static_cast<std::size_t>(to->slot);
      const bool is_near = to->host == from->host && slot < from->near.size();
      row.push_back(is_near ? bytes_of(from->near[slot]) : unknown_bytes);
    }
    for (std::size_t host = 0; host < hosts; ++host)
      row.push_back(host < from->far.size() ? bytes_of(from->far[host]) : 0);
  }
  return matrix;
}

}  // namespace comex::top
