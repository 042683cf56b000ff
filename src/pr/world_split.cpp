#include "pr/world_split.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pr/virtual_part.h"

namespace comex::pr {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// n things in k blocks, the first n mod k one longer: the block of thing i.
int block_of(int i, int n, int k) {
  const int shorter = n / k;
  const int longer_blocks = n % k;
  const int in_longer = longer_blocks * (shorter + 1);
  return i < in_longer ? i / (shorter + 1) : longer_blocks + (i - in_longer) / shorter;
}

int group_of(int i, int n, int k, Distribution distribution) {
  return distribution == Distribution::cyclic ? i % k : block_of(i, n, k);
}

// Ranks with equal numbers, groups in the order of their lowest ranks.
std::vector<std::vector<int>> collect(std::span<const std::pair<int, int>> number_of_rank) {
  std::vector<int> order(number_of_rank.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int left, int right) { return number_of_rank[at(left)] < number_of_rank[at(right)]; });
  std::vector<std::vector<int>> groups;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || number_of_rank[at(order[i])] != number_of_rank[at(order[i - 1])]) groups.emplace_back();
    groups.back().push_back(order[i]);
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& left, const auto& right) { return left.front() < right.front(); });
  return groups;
}

Result<std::vector<Host>> find_hosts(const SplitInput& input) {
  const std::size_t ranks = input.host_of_rank.size();
  std::vector<std::pair<int, int>> number(ranks, {0, 0});
  for (std::size_t rank = 0; rank < ranks; ++rank) number[rank].first = input.host_of_rank[rank];
  const auto real_hosts = collect(number);
  const VirtualHosts& cut = input.virtual_hosts;
  for (std::size_t real = 0; real < real_hosts.size(); ++real) {
    const auto& members = real_hosts[real];
    const int n = static_cast<int>(members.size());
    if (!cut.entries.empty() && cut.entries.size() != members.size())
      return caller_error("COMEX_VIRTUAL_HOSTS lists " + std::to_string(cut.entries.size()) +
                          " entries but the host of rank " + std::to_string(members.front()) + " has " +
                          std::to_string(n) + " ranks: give one entry for each");
    for (int i = 0; i < n; ++i) {
      number[at(members[at(i)])] = {static_cast<int>(real), virtual_part(cut, i, n)};
    }
  }
  std::vector<Host> hosts;
  for (auto& members : collect(number)) {
    const int real = number[at(members.front())].first;
    hosts.push_back({real, std::move(members), {}});
  }
  return hosts;
}

// Roles, groups and servers of one host.
void split_host(int index, Host& host, int wanted, const SplitInput& input, std::vector<RankPlace>& places) {
  const int n = static_cast<int>(host.ranks.size());
  const int k = std::min(wanted, n - 1);
  for (int i = 0; i < n; ++i) {
    RankPlace& place = places[at(host.ranks[at(i)])];
    place.host = index;
    place.local_index = i;
    if (k > 0) place.group = group_of(i, n, k, input.distribution);
  }
  if (k == 0) return;
  host.progress_ranks.assign(at(k), -1);
  for (const int rank : host.ranks) {
    int& chosen = host.progress_ranks[at(places[at(rank)].group)];
    if (chosen < 0 || input.position == RankPosition::largest) chosen = rank;
  }
  for (const int rank : host.ranks) {
    RankPlace& place = places[at(rank)];
    place.server = host.progress_ranks[at(place.group)];
    if (place.server == rank) place.role = Role::progress;
  }
}

std::vector<Notice> notices_for(const WorldSplit& split, int wanted) {
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
    // A group of one is its progress rank alone: at 2k > n ranks there are some.
    if (n < 2 * k) idle += 2 * k - n;
  }
  std::vector<Notice> notices;
  if (lowered > 0)
    notices.push_back({NoticeKind::lowered, counted(at(wanted), "progress rank") +
                                                " per host asked for, but " + counted(lowered, "host") +
                                                " cannot give them: a host of " +
                                                std::to_string(lowered_ranks) + " ranks gives " +
                                                std::to_string(lowered_ranks - 1) + " and keeps one worker"});
  if (self_served > 0)
    notices.push_back(
        {NoticeKind::self_served, counted(self_served, "worker") + (self_served == 1 ? " has" : " have") +
                                      " no progress rank on the host and make" +
                                      (self_served == 1 ? "s progress itself" : " progress themselves")});
  if (uneven > 0)
    notices.push_back({NoticeKind::uneven, "groups are uneven on " + counted(uneven, "host") +
                                               ": the ranks do not divide by the progress ranks"});
  if (idle > 0)
    notices.push_back({NoticeKind::idle, counted(idle, "progress rank") + (idle == 1 ? " has" : " have") +
                                             " no worker to serve"});
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
  if (input.progress_ranks < 0)
    return caller_error("the number of progress ranks is " + std::to_string(input.progress_ranks) +
                        ": it cannot be negative");
  auto hosts = find_hosts(input);
  if (!hosts) return hosts.take_failure();
  WorldSplit split;
  split.hosts = std::move(hosts).value();
  split.ranks.resize(at(ranks));
  const int wanted = static_cast<int>(std::min<std::int64_t>(input.progress_ranks, 1 << 30));
  for (std::size_t index = 0; index < split.hosts.size(); ++index)
    split_host(static_cast<int>(index), split.hosts[index], wanted, input, split.ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    RankPlace& place = split.ranks[at(rank)];
    if (place.role == Role::progress) {
      split.progress.push_back(rank);
      continue;
    }
    place.worker = static_cast<int>(split.workers.size());
    split.workers.push_back(rank);
  }
  split.notices = notices_for(split, wanted);
  return split;
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

SplitShare share_of(const WorldSplit& split, int rank) {
  SplitShare share;
  const int own_host = split.ranks[at(rank)].host;
  share.host = split.hosts[at(own_host)];
  for (const int neighbour : share.host.ranks) share.places.push_back(split.ranks[at(neighbour)]);
  share.virtual_host = static_cast<std::uint32_t>(
      std::count_if(split.hosts.begin(), split.hosts.begin() + own_host,
                    [&](const Host& host) { return host.real_host == share.host.real_host; }));
  share.ranks = static_cast<std::uint32_t>(split.ranks.size());
  share.workers = static_cast<std::uint32_t>(split.workers.size());
  share.hosts = static_cast<std::uint32_t>(split.hosts.size());
  share.servers = static_cast<std::uint32_t>(std::ranges::count_if(
      split.ranks, [](const RankPlace& place) { return place.role == Role::progress || place.server < 0; }));
  share.progress = static_cast<std::uint32_t>(split.progress.size());
  return share;
}

}  // namespace comex::pr
