#include "dry_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "json.h"

namespace comex::info {
namespace {

using pr::counted;
using pr::RankPlace;
using pr::Role;

constexpr std::size_t ranks_per_line = 16;

std::string headline(const pr::WorldSplit& split, const Settings& settings) {
  const std::string how =
      split.progress.empty()
          ? "no progress ranks"
          : fmt::format("{}, {}, each the {} rank of its group",
                        counted(split.progress.size(), "progress rank"),
                        settings.distribution() == Distribution::packed ? "packed" : "cyclic",
                        settings.progress_rank_position == RankPosition::largest ? "largest" : "smallest");
  return fmt::format("{} on {}: {}; {}\n", counted(split.ranks(), "MPI rank"),
                     counted(split.hosts.size(), "host"), counted(split.workers.size(), "worker"), how);
}

// One line of the table: a label, then a cell for each rank.
template <class Cell>
std::string table_line(const char* label, std::span<const RankPlace> places, Cell cell) {
  std::string line = fmt::format("  {:<10}|", label);
  for (const RankPlace& place : places) line += fmt::format("{:>6}", cell(place));
  return line + "\n";
}

std::string number_or(int number, const char* other) {
  return number < 0 ? std::string(other) : std::to_string(number);
}

int rank_of(const pr::Host& host, const RankPlace& place) {
  return host.ranks[static_cast<std::size_t>(place.local_index)];
}

std::string rank_table(const pr::Host& host, std::span<const RankPlace> places) {
  const auto is_worker = [](const RankPlace& place) { return place.role == Role::worker; };
  return table_line("MPI rank", places, [&](const RankPlace& place) { return rank_of(host, place); }) +
         table_line("role", places,
                    [&](const RankPlace& place) { return is_worker(place) ? "work" : "PROG"; }) +
         table_line("worker", places, [](const RankPlace& place) { return number_or(place.worker, "."); }) +
         table_line("group", places, [](const RankPlace& place) { return number_or(place.group, "."); }) +
         table_line("served by", places, [&](const RankPlace& place) {
           return is_worker(place) ? number_or(place.server, "self") : std::string(".");
         });
}

// group 0: rank 6 serves workers 0 2 4 (MPI ranks 0 2 4)
std::string group_lines(const pr::Host& host, std::span<const RankPlace> places) {
  std::vector<std::vector<int>> workers(host.progress_ranks.size());
  std::vector<std::vector<int>> ranks(host.progress_ranks.size());
  for (const RankPlace& place : places) {
    if (place.role == Role::progress || place.group < 0) continue;
    workers[static_cast<std::size_t>(place.group)].push_back(place.worker);
    ranks[static_cast<std::size_t>(place.group)].push_back(rank_of(host, place));
  }
  std::string out;
  for (std::size_t group = 0; group < workers.size(); ++group) {
    out += fmt::format("  group {}: progress rank {} ", group, host.progress_ranks[group]);
    if (workers[group].empty()) {
      out += "has no worker to serve\n";
    } else {
      out += fmt::format("<== workers {} (MPI ranks {})\n", fmt::join(workers[group], " "),
                         fmt::join(ranks[group], " "));
    }
  }
  if (workers.empty()) out += "  no progress rank: each worker serves itself\n";
  return out;
}

}  // namespace

std::vector<int> place_ranks(const std::vector<int>& ranks_on_host, bool round_robin) {
  std::vector<std::pair<int, int>> turns;  // round, host
  for (std::size_t host = 0; host < ranks_on_host.size(); ++host) {
    for (int i = 0; i < ranks_on_host[host]; ++i)
      turns.emplace_back(round_robin ? i : 0, static_cast<int>(host));
  }
  std::ranges::sort(turns);
  std::vector<int> host_of_rank;
  for (const auto& [round, host] : turns) host_of_rank.push_back(host);
  return host_of_rank;
}

std::string draw(const pr::WorldSplit& split, const Settings& settings) {
  std::string out = headline(split, settings);
  int machines = 0;
  for (const pr::Host& host : split.hosts) machines = std::max(machines, host.real_host + 1);
  const bool cut = static_cast<std::size_t>(machines) < split.hosts.size();
  for (std::size_t index = 0; index < split.hosts.size(); ++index) {
    const pr::Host& host = split.hosts[index];
    out +=
        fmt::format("\nhost {}{}\n", index, cut ? fmt::format(" (part of machine {})", host.real_host) : "");
    const std::vector<RankPlace> places = split.places_on(index);
    for (std::span<const RankPlace> rest = places; !rest.empty();) {
      const std::size_t now = std::min(ranks_per_line, rest.size());
      out += rank_table(host, rest.first(now)) + "\n";
      rest = rest.subspan(now);
    }
    out += group_lines(host, places);
  }
  for (const pr::SplitNotice& notice : split.notices) out += "\nnotice: " + notice.text + "\n";
  if (!split.progress.empty()) {
    out += fmt::format("\nMPI_COMM_WORLD has {} that never return{} to the program.\n",
                       counted(split.progress.size(), "rank"), split.progress.size() == 1 ? "s" : "");
  }
  return out;
}

std::string split_as_json(const pr::WorldSplit& split) {
  std::string ranks;
  std::size_t rank = 0;
  for (const RankPlace& place : split.places()) {
    ranks += fmt::format(
        "{}    {{\"rank\": {}, \"host\": {}, \"local_index\": {}, \"role\": \"{}\", \"group\": {}, "
        "\"server\": {}, "
        "\"worker\": {}}}",
        ranks.empty() ? "" : ",\n", rank++, place.host, place.local_index,
        place.role == Role::worker ? "worker" : "progress", place.group, place.server, place.worker);
  }
  std::string notices;
  for (const pr::SplitNotice& notice : split.notices)
    notices += (notices.empty() ? "" : ", ") + json_text(notice.text);
  return fmt::format(
      "{{\n  \"workers\": [{}],\n  \"progress_ranks\": [{}],\n  \"ranks\": [\n{}\n  ],\n  \"notices\": "
      "[{}]\n}}\n",
      fmt::join(split.workers, ", "), fmt::join(split.progress, ", "), ranks, notices);
}

}  // namespace comex::info
