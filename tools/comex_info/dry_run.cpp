#include "dry_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "json.h"

namespace comex::info {
namespace {

using pr::RankPlace;
using pr::Role;

constexpr std::size_t ranks_per_line = 16;

std::string counted(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

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

struct PlacedRank {
  int rank;
  RankPlace place;
};

std::vector<PlacedRank> placed_on(const pr::WorldSplit& split, std::size_t host) {
  std::vector<PlacedRank> placed;
  auto rank = split.hosts[host].ranks.begin();
  for (const RankPlace& place : split.places_on(host)) placed.push_back({*rank++, place});
  return placed;
}

// One line of the table: a label, then a cell for each rank.
template <class Cell>
std::string table_line(const char* label, std::span<const PlacedRank> ranks, Cell cell) {
  std::string line = fmt::format("  {:<10}|", label);
  for (const PlacedRank& each : ranks) line += fmt::format("{:>6}", cell(each));
  return line + "\n";
}

std::string number_or(int number, const char* other) {
  return number < 0 ? std::string(other) : std::to_string(number);
}

std::string rank_table(std::span<const PlacedRank> ranks) {
  std::string out = table_line("MPI rank", ranks, [](const PlacedRank& each) { return each.rank; });
  out += table_line("role", ranks,
                    [](const PlacedRank& each) { return each.place.role == Role::worker ? "work" : "PROG"; });
  out +=
      table_line("worker", ranks, [](const PlacedRank& each) { return number_or(each.place.worker, "."); });
  out += table_line("group", ranks, [](const PlacedRank& each) { return number_or(each.place.group, "."); });
  out += table_line("served by", ranks, [](const PlacedRank& each) {
    return each.place.role == Role::progress ? std::string(".") : number_or(each.place.server, "self");
  });
  return out;
}

// group 0: rank 6 serves workers 0 2 4 (MPI ranks 0 2 4)
std::string group_lines(const pr::Host& host, std::span<const PlacedRank> placed) {
  std::vector<std::vector<int>> workers(host.progress_ranks.size());
  std::vector<std::vector<int>> ranks(host.progress_ranks.size());
  for (const auto& [rank, place] : placed) {
    if (place.role == Role::progress || place.group < 0) continue;
    workers[static_cast<std::size_t>(place.group)].push_back(place.worker);
    ranks[static_cast<std::size_t>(place.group)].push_back(rank);
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
  std::vector<int> host_of_rank;
  std::vector<int> left = ranks_on_host;
  const int hosts = static_cast<int>(left.size());
  const std::size_t open_rounds =
      static_cast<std::size_t>(left.empty() ? 0 : *std::max_element(left.begin(), left.end()));
  if (!round_robin) {
    for (int host = 0; host < hosts; ++host) {
      host_of_rank.insert(host_of_rank.end(), static_cast<std::size_t>(left[static_cast<std::size_t>(host)]),
                          host);
    }
  }
  for (std::size_t round = 0; round_robin && round < open_rounds; ++round) {
    for (int host = 0; host < hosts; ++host)
      if (left[static_cast<std::size_t>(host)]-- > 0) host_of_rank.push_back(host);
  }
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
    const std::vector<PlacedRank> placed = placed_on(split, index);
    const std::span<const PlacedRank> ranks(placed);
    for (std::size_t first = 0; first < ranks.size(); first += ranks_per_line)
      out += rank_table(ranks.subspan(first, std::min(ranks_per_line, ranks.size() - first))) + "\n";
    out += group_lines(host, ranks);
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
      "{{\n  \"workers\": {},\n  \"progress_ranks\": {},\n  \"ranks\": [\n{}\n  ],\n  \"notices\": "
      "[{}]\n}}\n",
      json_list(split.workers), json_list(split.progress), ranks, notices);
}

}  // namespace comex::info
