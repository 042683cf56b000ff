#include "snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "core/trace.h"
#include "file.h"
#include "shm/arena_layout.h"
#include "watch/read_host.h"

namespace comex::top {
namespace {

namespace fs = std::filesystem;

// A memfd, a file of a mount of its own, or a file without a name on /dev/shm.
bool may_be_an_arena(const std::string& link) {
  return link.starts_with("/memfd:comex") || link.ends_with("comex (deleted)") ||
         (link.starts_with("/dev/shm/#") && link.ends_with("(deleted)"));
}

Count count_of(const activity::Tally& tally) {
  return {tally.count.get(), tally.amount.get()};
}

std::array<Count, activity::kinds> counts_of(const activity::Peer& peer) {
  std::array<Count, activity::kinds> counts;
  std::ranges::transform(peer.by_kind, counts.begin(), count_of);
  return counts;
}

Rank rank_of(const watch::RankState& state, const activity::Block& block,
             const std::vector<activity::Peer>& peers) {
  Rank rank;
  static_cast<watch::RankState&>(rank) = state;
  const std::size_t slots = block.owner.slots.get();
  for (std::size_t row = 0; row + 1 < peers.size(); ++row)
    (row < slots ? rank.near : rank.far).push_back(counts_of(peers[row]));
  if (!peers.empty()) rank.other_worlds = counts_of(peers.back());
  std::ranges::transform(block.waits, rank.waits.begin(), count_of);
  rank.outstanding = block.outstanding.get();
  const activity::Served& served = block.served;
  rank.requests = served.requests.get() + served.items.get();
  rank.refused = served.refused.get();
  rank.queued_peak = served.queued_peak.get();
  rank.busy_ns = served.busy_ns.get();
  return rank;
}

void read_owners(const File& arena, const shm::Geometry& geometry, Host& host) {
  shm::ExtentsBlock extents;
  if (!arena.read(offsetof(shm::ArenaHeader, extents), static_cast<void*>(&extents), sizeof extents)) return;
  const std::uint32_t used = std::min(extents.records_used, geometry.max_records);
  // Another file may look like an arena.
  if (used > shm::most_records || used * sizeof(shm::ExtentRecord) > arena.bytes()) return;
  std::vector<shm::ExtentRecord> records(used);
  if (!arena.read(geometry.records_offset, static_cast<void*>(records.data()),
                  used * sizeof(shm::ExtentRecord)))
    return;
  std::map<int, Owner> owners;
  for (const shm::ExtentRecord& record : records) {
    const shm::ExtentState state = record.state.load(std::memory_order_relaxed);
    if (state != shm::ExtentState::live && state != shm::ExtentState::slab) continue;
    const int worker = static_cast<int>(record.owner.load(std::memory_order_relaxed));
    Owner& owner = owners[worker];
    owner.worker = worker;
    owner.bytes += shm::round_up(record.bytes.load(std::memory_order_relaxed), shm::page_bytes);
    ++owner.blocks;
  }
  for (const auto& [worker, owner] : owners) {
    host.owners.push_back(owner);
    host.used_bytes += owner.bytes;
  }
  std::ranges::stable_sort(host.owners, std::greater<>(), &Owner::bytes);
}

std::optional<shm::ArenaMap> map_of(const File& arena) {
  shm::ArenaMap map{};
  const bool is_arena =
      arena.read(shm::arena_map_offset, &map, sizeof map) && map.magic == shm::ArenaMap::right_magic;
  return is_arena ? std::optional(map) : std::nullopt;
}

Host host_of(const File& arena, const std::string& path, const shm::ArenaMap& map, std::uint64_t now_ns) {
  Host host;
  host.arena = path;
  host.identity = arena.identity();
  host.geometry = map.geometry;
  host.reserved_bytes = map.geometry.reservation_bytes;
  const watch::ReadArena read = [&](std::uint64_t offset, std::span<std::byte> into) {
    return arena.read(offset, into.data(), into.size());
  };
  const watch::SeeRank see = [&](const watch::RankState& rank, const activity::Block& block,
                                 const std::vector<activity::Peer>& peers) {
    if (!peers.empty()) host.ranks.push_back(rank_of(rank, block, peers));
  };
  host.state = watch::read_host(read, map.geometry, now_ns, see);
  if (!host.ranks.empty()) host.number = host.ranks.front().host;
  read_owners(arena, map.geometry, host);
  return host;
}

void look_into_process(const fs::path& process, std::set<FileIdentity>& seen,
                       std::map<std::uint64_t, Job>& jobs) {
  std::error_code error;
  for (fs::directory_iterator each(process / "fd", error), end; !error && each != end;
       each.increment(error)) {
    const std::string link = fs::read_symlink(each->path(), error).string();
    if (error || !may_be_an_arena(link)) {
      error.clear();
      continue;
    }
    const File file(each->path().string());
    if (!file || !seen.insert(file.identity()).second) continue;
    const auto map = map_of(file);
    if (!map) continue;
    Job& job = jobs[map->job];
    job.id = map->job;
    job.world = static_cast<std::uint32_t>(map->world);
    const auto ahead_ns = [](const std::string& of) { return watch::clock_ahead_ns(of, "monotonic"); };
    const std::uint64_t taken_ns =
        trace::Log::now_ns() + static_cast<std::uint64_t>(ahead_ns(process.filename()) - ahead_ns("self"));
    job.taken_at = static_cast<double>(taken_ns) / 1e9;
    Host host = host_of(file, each->path().string(), *map, taken_ns);
    if (!host.ranks.empty()) job.hosts.push_back(std::move(host));
  }
}

}  // namespace

watch::JobState state_of_job(const Job& job) {
  watch::JobState job_state;
  for (const Host& host : job.hosts) job_state.add(host.state);
  return job_state;
}

bool is_whole(const Job& job) {
  std::size_t hosts = 0;
  for (const Host& host : job.hosts)
    for (const Rank& rank : host.ranks) hosts = std::max(hosts, rank.far.size());
  return job.hosts.size() >= hosts;
}

std::string name_of(const Job& job) {
  return fmt::format("{:08x}", static_cast<std::uint32_t>(job.id >> 32 ^ job.id));
}

std::vector<Job> find_jobs() {
  std::map<std::uint64_t, Job> jobs;
  std::set<FileIdentity> seen;
  std::error_code error;
  for (fs::directory_iterator each("/proc", error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (!name.empty() &&
        std::ranges::all_of(name, [](unsigned char letter) { return std::isdigit(letter) != 0; }))
      look_into_process(each->path(), seen, jobs);
  }
  std::vector<Job> found;
  for (auto& [id, job] : jobs) {
    if (job.hosts.empty()) continue;
    std::ranges::sort(job.hosts, {}, &Host::number);
    found.push_back(std::move(job));
  }
  return found;
}

}  // namespace comex::top
