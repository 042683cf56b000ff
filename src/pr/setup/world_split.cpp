#include "pr/setup/world_split.h"

#include <algorithm>
#include <charconv>
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
Result<std::vector<Host>> find_hosts(std::span<const int> host_of_rank, const VirtualHosts& cut) {
  struct Machine {
    int number = -1;
    int ranks = 0;
    int met = 0;
  };
  std::map<int, Machine> machines;
  for (const int number : host_of_rank) ++machines[number].ranks;
  std::vector<Host> hosts;
  std::map<std::pair<int, int>, std::size_t> host_of_part;
  int next_machine = 0;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    Machine& machine = machines[host_of_rank[rank]];
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

void choose_progress_ranks(Host& host, int wanted, const Settings& settings) {
  const int n = static_cast<int>(host.ranks.size());
  const int k = std::min(wanted, n - 1);
  host.progress_ranks.assign(at(k), -1);
  for (int i = 0; k > 0 && i < n; ++i) {
    int& chosen = host.progress_ranks[at(group_of(i, n, k, settings.distribution()))];
    if (chosen < 0 || settings.progress_rank_position == RankPosition::largest) chosen = host.ranks[at(i)];
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

constexpr int most_blocks = 1 << 20;

Failure not_understood(std::string_view text) {
  return caller_error("COMEX_VIRTUAL_HOSTS='" + std::string(text) +
                      "' is not allowed: it takes a number of virtual hosts, 1 or more, or a list of their "
                      "numbers with one entry for each rank of a host, such as 0,0,1,1");
}

bool read_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0 && value <= most_blocks;
}

}  // namespace

Result<VirtualHosts> parse_virtual_hosts(std::string_view text) {
  VirtualHosts hosts;
  if (text.empty()) return hosts;
  if (text.find(',') == std::string_view::npos) {
    if (!read_number(text, hosts.blocks) || hosts.blocks == 0) return not_understood(text);
    return hosts;
  }
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    int entry = 0;
    if (!read_number(rest.substr(0, comma), entry)) return not_understood(text);
    hosts.entries.push_back(entry);
    if (comma == std::string_view::npos) return hosts;
    rest.remove_prefix(comma + 1);
  }
}

int virtual_part(const VirtualHosts& cut, int index, int ranks) {
  if (cut.entries.empty()) return block_of(index, ranks, std::min(cut.blocks, ranks));
  return cut.entries.size() == at(ranks) ? cut.entries[at(index)] : 0;
}

bool has_lone_rank(const VirtualHosts& cut, int ranks) {
  if (cut.entries.empty()) return ranks < 2 * cut.blocks;
  return std::ranges::any_of(cut.entries,
                             [&](int part) { return std::ranges::count(cut.entries, part) == 1; });
}

std::string counted(std::size_t count, const char* thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

Result<WorldSplit> split_world(std::span<const int> host_of_rank, const Settings& settings) {
  const int ranks = static_cast<int>(host_of_rank.size());
  if (ranks == 0) return caller_error("there are no ranks to split");
  auto cut = parse_virtual_hosts(settings.virtual_hosts);
  if (!cut) return cut.take_failure();
  auto hosts = find_hosts(host_of_rank, cut.value());
  if (!hosts) return hosts.take_failure();
  WorldSplit split;
  split.hosts = std::move(hosts).value();
  split.distribution = settings.distribution();
  const int wanted = static_cast<int>(std::min<std::int64_t>(settings.progress_ranks, 1 << 30));
  for (Host& host : split.hosts) {
    choose_progress_ranks(host, wanted, settings);
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
