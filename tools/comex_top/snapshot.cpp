#include "snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "shm/arena_layout.h"

namespace comex::top {
namespace {

namespace fs = std::filesystem;

class File {
 public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  // False where the file ends before.
  bool read(std::uint64_t offset, void* into, std::size_t bytes) const {
    auto* to = static_cast<char*>(into);
    while (bytes != 0) {
      const ssize_t got = pread(descriptor_, to, bytes, static_cast<off_t>(offset));
      if (got <= 0) return false;
      to += got;
      offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }
  // The same file has the same pair, whoever has it open.
  std::optional<std::pair<dev_t, ino_t>> identity() const {
    struct stat facts {};
    if (descriptor_ < 0 || fstat(descriptor_, &facts) != 0) return std::nullopt;
    return std::pair(facts.st_dev, facts.st_ino);
  }

 private:
  int descriptor_;
};

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// A memfd, a file of a mount of its own, or a file without a name on /dev/shm.
bool may_be_an_arena(const std::string& link) {
  return link.starts_with("/memfd:comex") || link.ends_with("comex (deleted)") ||
         (link.starts_with("/dev/shm/#") && link.ends_with("(deleted)"));
}

char state_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return 'X';
  const std::size_t behind_name = line.rfind(')');
  return behind_name == std::string::npos || behind_name + 2 >= line.size() ? '?' : line[behind_name + 2];
}

Count count_of(const activity::Tally& tally) {
  return {tally.count.get(), tally.amount.get()};
}

std::array<Count, activity::kinds> counts_of(const activity::Peer& peer) {
  std::array<Count, activity::kinds> counts;
  std::ranges::transform(peer.of, counts.begin(), count_of);
  return counts;
}

Wait wait_of(const activity::CurrentWait& wait, double taken_at) {
  Wait found;
  const std::uint64_t since_ns = wait.since_ns.acquire();
  if (since_ns == 0) return found;
  std::array<char, activity::CurrentWait::name_bytes + 1> name{};
  for (std::size_t i = 0; i < wait.name.size(); ++i) {
    const std::uint64_t part = wait.name[i].get();
    std::memcpy(name.data() + i * sizeof part, &part, sizeof part);
  }
  found.call = name.data();
  found.seconds = std::max(0.0, taken_at - static_cast<double>(since_ns) / 1e9);
  found.waiting =
      static_cast<activity::Waiting>(std::min<std::uint64_t>(wait.waiting.get(), activity::waitings - 1));
  found.target = static_cast<int>(wait.target.get()) - 1;
  found.server = static_cast<int>(wait.server.get()) - 1;
  found.group = static_cast<int>(static_cast<std::uint32_t>(wait.named.get()));
  found.rank = static_cast<int>(wait.named.get() >> 32) - 1;
  return found;
}

Rank rank_of(const activity::Block& block, const std::vector<activity::Peer>& peers, double taken_at) {
  const activity::Owner& owner = block.owner;
  Rank rank;
  rank.rank = static_cast<int>(owner.rank.get());
  rank.worker = static_cast<int>(owner.worker.get()) - 1;
  rank.host = static_cast<int>(owner.host.get());
  rank.slot = static_cast<int>(owner.slot.get());
  rank.pid = static_cast<int>(owner.pid.get());
  rank.state = state_of(rank.pid);
  rank.open_seconds = taken_at - static_cast<double>(owner.since_ns.get()) / 1e9;
  const std::size_t slots = owner.slots.get();
  for (std::size_t row = 0; row + 1 < peers.size(); ++row)
    (row < slots ? rank.near : rank.far).push_back(counts_of(peers[row]));
  if (!peers.empty()) rank.other_worlds = counts_of(peers.back());
  std::ranges::transform(block.waits, rank.waits.begin(), count_of);
  rank.wait = wait_of(block.wait, taken_at);
  rank.outstanding = block.outstanding.get();
  const activity::Served& served = block.served;
  rank.requests = served.requests.get() + served.items.get();
  rank.refused = served.refused.get();
  rank.queued = served.queued.get();
  rank.queued_peak = served.queued_peak.get();
  rank.busy_ns = served.busy_ns.get();
  return rank;
}

// False while the rank has not opened its world.
bool read_rank(const File& arena, std::uint64_t offset, double taken_at, Host& host) {
  activity::Block block;
  if (!arena.read(offset, static_cast<void*>(&block), sizeof block)) return false;
  if (block.owner.version.get() != activity::layout_version) return false;
  const std::uint64_t rows = std::min<std::uint64_t>(
      block.owner.peers.get(), activity::peers_for(shm::most_slots, activity::most_host_rows));
  std::vector<activity::Peer> peers(rows);
  if (!arena.read(offset + sizeof block, static_cast<void*>(peers.data()), rows * sizeof(activity::Peer)))
    return false;
  host.ranks.push_back(rank_of(block, peers, taken_at));
  return true;
}

void read_owners(const File& arena, const shm::Geometry& geometry, Host& host) {
  shm::ExtentsBlock extents;
  if (!arena.read(offsetof(shm::ArenaHeader, extents), static_cast<void*>(&extents), sizeof extents)) return;
  const std::uint32_t used = std::min(extents.records_used, geometry.max_records);
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

// Only the first ones of a worker that has very many.
constexpr std::uint64_t most_mutexes = 4096;

void read_mutexes(const File& arena, const shm::Geometry& geometry, const Rank& owner, Host& host) {
  const std::uint64_t block =
      geometry.slots_offset + static_cast<std::uint64_t>(owner.slot) * shm::slot_block_bytes;
  std::array<std::uint64_t, 2> set{};  // as in shm::MutexSetBlock: offset, count
  static_assert(offsetof(shm::MutexSetBlock, offset) == 0 && offsetof(shm::MutexSetBlock, count) == 8);
  if (!arena.read(block + offsetof(shm::SlotBlock, mutexes), set.data(), sizeof set)) return;
  const std::uint64_t count = std::min(set[1], most_mutexes);
  std::vector<shm::FairMutexBlock> blocks(count);
  if (count == 0 ||
      !arena.read(set[0], static_cast<void*>(blocks.data()), count * sizeof(shm::FairMutexBlock)))
    return;
  for (std::uint64_t index = 0; index < count; ++index) {
    const std::uint64_t holder = blocks[index].holder.load(std::memory_order_relaxed);
    const std::uint32_t serving = blocks[index].serving.load(std::memory_order_relaxed);
    const bool is_held = holder >> 32 != 0 && static_cast<std::uint32_t>(holder) == serving;
    if (!is_held) continue;
    const std::uint32_t in_line = blocks[index].next.load(std::memory_order_relaxed) - serving;
    host.mutexes.push_back(
        {owner.worker, index, static_cast<int>(holder >> 32) - 1, in_line == 0 ? 0 : in_line - 1});
  }
}

std::optional<shm::ArenaMap> map_of(const File& arena) {
  shm::ArenaMap map{};
  const bool is_arena =
      arena.read(shm::arena_map_offset, &map, sizeof map) && map.magic == shm::ArenaMap::right_magic;
  return is_arena ? std::optional(map) : std::nullopt;
}

Host host_of(const File& arena, const shm::ArenaMap& map, double taken_at) {
  const shm::Geometry& geometry = map.geometry;
  Host host;
  host.reserved_bytes = geometry.reservation_bytes;
  for (std::uint64_t slot = 0; slot < geometry.slots; ++slot) {
    read_rank(arena, geometry.boards_offset + slot * geometry.board_bytes + geometry.activity_offset,
              taken_at, host);
  }
  if (!host.ranks.empty()) host.number = host.ranks.front().host;
  read_owners(arena, geometry, host);
  for (const Rank& rank : host.ranks)
    if (rank.worker >= 0) read_mutexes(arena, geometry, rank, host);
  return host;
}

void look_into_process(const fs::path& process, std::set<std::pair<dev_t, ino_t>>& seen,
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
    const auto identity = file.identity();
    if (!identity || !seen.insert(*identity).second) continue;
    const auto map = map_of(file);
    if (!map) continue;
    Job& job = jobs[map->job];
    job.id = map->job;
    job.world = static_cast<std::uint32_t>(map->world);
    job.taken_at = now();
    Host host = host_of(file, *map, job.taken_at);
    if (!host.ranks.empty()) job.hosts.push_back(std::move(host));
  }
}

}  // namespace

std::string name_of(const Job& job) {
  return fmt::format("{:08x}", static_cast<std::uint32_t>(job.id >> 32 ^ job.id));
}

std::vector<Job> find_jobs() {
  std::map<std::uint64_t, Job> jobs;
  std::set<std::pair<dev_t, ino_t>> seen;
  std::error_code error;
  for (const fs::directory_entry& each : fs::directory_iterator("/proc", error)) {
    const std::string name = each.path().filename().string();
    if (!name.empty() &&
        std::ranges::all_of(name, [](unsigned char letter) { return std::isdigit(letter) != 0; }))
      look_into_process(each.path(), seen, jobs);
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
