#include "pr/setup/world_split.h"

#include <algorithm>
#include <map>
#include <utility>

namespace comex::pr {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// n things in k blocks, of which the first n mod k are one longer: returns the block of thing i.
int block_of(int i, int n, int k) {
  const int shorter = n / k;
  const int longer_blocks = n % k;
  const int in_longer = longer_blocks * (shorter + 1);
  return i < in_longer ? i / (shorter + 1) : longer_blocks + (i - in_longer) / shorter;
}

int group_of(int i, int n, int k, Distribution distribution) {
  return distribution == Distribution::cyclic ? i % k : block_of(i, n, k);
}

// Machines and virtual hosts are in the order of their lowest ranks.
Result<std::vector<Host>> find_hosts(const SplitInput& input) {
  struct Machine {
    int number = -1;
    int ranks = 0;
    int met = 0;
  };
  std::map<int, Machine> machines;
  for (const int number : input.host_of_rank) ++machines[number].ranks;
  const VirtualHosts& cut = input.virtual_hosts;
  std::vector<Host> hosts;
  std::map<std::pair<int, int>, std::size_t> host_of_part;
  int next_machine = 0;
  for (std::size_t rank = 0; rank < input.host_of_rank.size(); ++rank) {
    Machine& machine = machines[input.host_of_rank[rank]];
    if (machine.met == 0) {
      machine.number = next_machine++;
      if (!cut.entries.empty() && cut.entries.size() != at(machine.ranks)) {
        return caller_error("COMEX_VIRTUAL_HOSTS lists " + std::to_string(cut.entries.size()) +
                            " entries but the host of rank " + std::to_string(rank) + " has " +
                            std::to_string(machine.ranks) + " ranks: give one entry for each");
      }
    }
    const int part = virtual_part(cut, machine.met++, machine.ranks);
    const auto [found, is_new] = host_of_part.try_emplace({machine.number, part}, hosts.size());
    if (is_new) hosts.push_back({machine.number, {}, {}});
    hosts[found->second].ranks.push_back(static_cast<int>(rank));
  }
  for (Host& host : hosts) host.ranks.shrink_to_fit();
  return hosts;
}

void choose_progress_ranks(Host& host, int wanted, const SplitInput& input) {
  const int n = static_cast<int>(host.ranks.size());
  const int k = std::min(wanted, n - 1);
  host.progress_ranks.assign(at(k), -1);
  for (int i = 0; k > 0 && i < n; ++i) {
    int& chosen = host.progress_ranks[at(group_of(i, n, k, input.distribution))];
    if (chosen < 0 || input.position == RankPosition::largest) chosen = host.ranks[at(i)];
  }
}

std::vector<SplitNotice> notices_for(const WorldSplit& split, int wanted) {
  std::size_t lowered = 0, uneven = 0, idle = 0, self_served = 0, lowered_ranks = 0;
  for (const Host& host : split.hosts) {
    const std::size_t n = host.ranks.size();
    const std::size_t k = host.progress_ranks.size();
    if (k == 0) {
      self_served += n;
      continue;
    }
    if (k < at(wanted) && lowered++ == 0) lowered_ranks = n;
    if (n % k != 0) ++uneven;
    // A group of one rank has a progress rank and no worker; such groups exist if 2k > n.
    if (n < 2 * k) idle += 2 * k - n;
  }
  std::vector<SplitNotice> notices;
  if (lowered > 0) {
    notices.push_back({NoticeKind::lowered, counted(at(wanted), "progress rank") +
                                                " per host asked for, but " + counted(lowered, "host") +
                                                " cannot give them: a host of " +
                                                std::to_string(lowered_ranks) + " ranks gives " +
                                                std::to_string(lowered_ranks - 1) + " and keeps one worker"});
  }
  if (self_served > 0 && split.ranks() > 1) {  // a single process has nobody to serve
    notices.push_back(
        {NoticeKind::self_served, counted(self_served, "worker") + (self_served == 1 ? " has" : " have") +
                                      " no progress rank on the host and make" +
                                      (self_served == 1 ? "s progress itself" : " progress themselves")});
  }
  if (uneven > 0) {
    notices.push_back({NoticeKind::uneven, "groups are uneven on " + counted(uneven, "host") +
                                               ": the ranks do not divide by the progress ranks"});
  }
  if (idle > 0) {
    notices.push_back({NoticeKind::idle, counted(idle, "progress rank") + (idle == 1 ? " has" : " have") +
                                             " no worker to serve"});
  }
  return notices;
}

}  // namespace

int virtual_part(const VirtualHosts& cut, int index, int ranks) {
  if (cut.entries.empty()) return block_of(index, ranks, std::min(cut.blocks, ranks));
  return cut.entries.size() == at(ranks) ? cut.entries[at(index)] : 0;
}

Result<SplitInput> split_input(std::span<const int> host_of_rank, const Settings& settings) {
  auto virtual_hosts = parse_virtual_hosts(settings.virtual_hosts);
  if (!virtual_hosts) return virtual_hosts.take_failure();
  SplitInput input;
  input.host_of_rank = host_of_rank;
  input.progress_ranks = settings.progress_ranks;
  input.distribution = settings.distribution();
  input.position = settings.progress_rank_position;
  input.virtual_hosts = std::move(virtual_hosts).value();
  return input;
}

std::string counted(std::size_t count, const char* thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

Result<WorldSplit> split_world(const SplitInput& input) {
  const int ranks = static_cast<int>(input.host_of_rank.size());
  if (ranks == 0) return caller_error("there are no ranks to split");
  auto hosts = find_hosts(input);
  if (!hosts) return hosts.take_failure();
  WorldSplit split;
  split.hosts = std::move(hosts).value();
  split.distribution = input.distribution;
  const int wanted = static_cast<int>(std::min<std::int64_t>(input.progress_ranks, 1 << 30));
  for (Host& host : split.hosts) {
    choose_progress_ranks(host, wanted, input);
    split.progress.insert(split.progress.end(), host.progress_ranks.begin(), host.progress_ranks.end());
  }
  std::ranges::sort(split.progress);
  split.workers.reserve(at(ranks) - split.progress.size());
  for (int rank = 0; rank < ranks; ++rank) {
    if (!std::ranges::binary_search(split.progress, rank)) split.workers.push_back(rank);
  }
  split.notices = notices_for(split, wanted);
  return split;
}

int WorldSplit::worker_of(int rank) const {
  const auto found = std::ranges::lower_bound(workers, rank);
  return found != workers.end() && *found == rank ? static_cast<int>(found - workers.begin()) : -1;
}

std::vector<RankPlace> WorldSplit::places_on(std::size_t host) const {
  const Host& here = hosts[host];
  const int n = static_cast<int>(here.ranks.size());
  const int k = static_cast<int>(here.progress_ranks.size());
  std::vector<RankPlace> places;
  places.reserve(at(n));
  for (int i = 0; i < n; ++i) {
    const int rank = here.ranks[at(i)];
    RankPlace place{.host = static_cast<int>(host), .local_index = i};
    if (k > 0) {
      place.group = group_of(i, n, k, distribution);
      place.server = here.progress_ranks[at(place.group)];
    }
    if (place.server == rank) {
      place.role = Role::progress;
    } else {
      place.worker = worker_of(rank);
    }
    places.push_back(place);
  }
  return places;
}

std::vector<RankPlace> WorldSplit::places() const {
  std::vector<RankPlace> by_rank(ranks());
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    auto rank = hosts[host].ranks.begin();
    for (const RankPlace& place : places_on(host)) by_rank[at(*rank++)] = place;
  }
  return by_rank;
}

std::vector<int> SplitShare::host_workers() const {
  std::vector<int> found;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].role == Role::worker) found.push_back(host.ranks[i]);
  }
  return found;
}

const RankPlace& SplitShare::place_of(int rank) const {
  return places[at(static_cast<int>(std::ranges::find(host.ranks, rank) - host.ranks.begin()))];
}

SplitShare share_of(const WorldSplit& split, std::size_t own_host) {
  SplitShare share;
  share.host = split.hosts[own_host];
  share.places = split.places_on(own_host);
  share.virtual_host = static_cast<std::uint32_t>(
      std::count_if(split.hosts.begin(), split.hosts.begin() + static_cast<std::ptrdiff_t>(own_host),
                    [&](const Host& host) { return host.real_host == share.host.real_host; }));
  share.ranks = static_cast<std::uint32_t>(split.ranks());
  share.workers = static_cast<std::uint32_t>(split.workers.size());
  share.hosts = static_cast<std::uint32_t>(split.hosts.size());
  share.servers = static_cast<std::uint32_t>(split.progress.size());
  for (const Host& host : split.hosts) {
    if (host.progress_ranks.empty()) share.servers += static_cast<std::uint32_t>(host.ranks.size());
  }
  share.progress = static_cast<std::uint32_t>(split.progress.size());
  return share;
}

}  // namespace comex::pr
