#include "watch/read_host.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "shm/arena_layout.h"

namespace comex::watch {
namespace {

constexpr std::uint64_t most_mutexes = 4096;

// What /proc has of a process, from its state on, which stands behind its name; empty: there is none.
std::string facts_of(std::int32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t behind_name = line.rfind(')');
  return behind_name == line.npos || behind_name + 2 >= line.size() ? "" : line.substr(behind_name + 2);
}

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return {reinterpret_cast<std::byte*>(&value), sizeof value};
}

Wait wait_of(const activity::CurrentWait& wait, std::uint64_t now_ns) {
  Wait found;
  const std::uint64_t since_ns = wait.since_ns.acquire();
  if (since_ns == 0) return found;
  for (std::size_t i = 0; i < wait.name.size(); ++i) {
    const std::uint64_t part = wait.name[i].get();
    std::memcpy(found.call.data() + i * sizeof part, &part, sizeof part);
  }
  found.call.back() = '\0';
  found.seconds = now_ns < since_ns ? 0 : static_cast<double>(now_ns - since_ns) / 1e9;
  found.waiting = static_cast<activity::Waiting>(
      std::min<std::uint64_t>(wait.waiting.get() >> 32, activity::waitings - 1));
  found.kind = static_cast<std::uint32_t>(wait.waiting.get());
  found.target = static_cast<std::int32_t>(wait.target.get() - 1);
  found.server = static_cast<std::int32_t>(wait.server.get() - 1);
  found.group = static_cast<std::int32_t>(static_cast<std::uint32_t>(wait.named.get()));
  found.rank = static_cast<std::int32_t>((wait.named.get() >> 32) - 1);
  found.context = wait.context.get();
  found.mutex = static_cast<std::int64_t>(wait.mutex.get() - 1);
  return found;
}

// The longest first.
std::vector<Wait> waits_of(const activity::Block& block, std::uint64_t now_ns) {
  std::vector<Wait> waits;
  for (const activity::CurrentWait& row : block.current) {
    const Wait wait = wait_of(row, now_ns);
    if (!wait.is_none()) waits.push_back(wait);
  }
  const std::uint64_t last_ns = block.attempts.last_ns.get();
  Wait repeated = wait_of(block.attempts.call, now_ns);
  repeated.is_repeated = true;
  const bool goes_on = now_ns < last_ns || now_ns - last_ns < activity::attempts_apart_ns;
  if (!repeated.is_none() && goes_on) waits.push_back(repeated);
  std::ranges::stable_sort(waits, std::ranges::greater(), &Wait::seconds);
  return waits;
}

// False: there is none, or its world is not open. A wait that changes while it is read may be the name of one
// and the time of another. So the block is read twice, and a wait that is not the same in both has ended.
bool read_block(const ReadArena& read, std::uint64_t offset, activity::Block& block) {
  activity::Block before;
  if (!read(offset, bytes_of(before)) || before.owner.version.get() != activity::layout_version) return false;
  if (!read(offset, bytes_of(block))) return false;
  const auto compare = [](const activity::CurrentWait& old, activity::CurrentWait& now) {
    if (std::memcmp(static_cast<const void*>(&old), static_cast<const void*>(&now), sizeof now) != 0)
      now.since_ns.set(0);
  };
  for (std::size_t row = 0; row < activity::most_waits; ++row)
    compare(before.current[row], block.current[row]);
  compare(before.attempts.call, block.attempts.call);
  return true;
}

std::vector<activity::Peer> read_peers(const ReadArena& read, const shm::Geometry& geometry,
                                       const activity::Block& block) {
  const std::uint64_t rows = std::min<std::uint64_t>(
      block.owner.peers.get(),
      activity::peers_for(std::min(geometry.slots, shm::most_slots), activity::most_host_rows));
  std::vector<activity::Peer> peers(rows);
  if (rows == 0) return peers;
  const std::uint64_t behind = block_offset(geometry, block.owner.slot.get()) + sizeof block;
  if (!read(behind, std::as_writable_bytes(std::span(peers)))) peers.clear();
  return peers;
}

std::uint64_t operations_of(const std::vector<activity::Peer>& peers) {
  std::uint64_t operations = 0;
  for (const activity::Peer& peer : peers) {
    for (const activity::Tally& tally : peer.by_kind) operations += tally.count.get();
  }
  return operations;
}

void read_groups(const activity::Block& block, std::vector<GroupMember>& into) {
  const auto rank = static_cast<std::int32_t>(block.owner.rank.get());
  for (const activity::Word& context : block.groups.contexts) {
    if (context.get() != 0) into.push_back({rank, context.get()});
  }
}

void read_mutexes(const ReadArena& read, const shm::Geometry& geometry, const RankState& owner,
                  std::vector<HeldMutex>& into) {
  const std::uint64_t slot =
      geometry.slots_offset + static_cast<std::uint64_t>(owner.slot) * shm::slot_block_bytes;
  std::array<std::uint64_t, 2> set{};  // as in shm::MutexSetBlock: offset, count
  static_assert(offsetof(shm::MutexSetBlock, offset) == 0 && offsetof(shm::MutexSetBlock, count) == 8);
  if (!read(slot + offsetof(shm::SlotBlock, mutexes), bytes_of(set))) return;
  const std::uint64_t count = std::min(set[1], most_mutexes);
  if (count == 0) return;
  std::vector<shm::FairMutexBlock> blocks(count);
  if (!read(set[0], std::as_writable_bytes(std::span(blocks)))) return;
  for (std::uint64_t index = 0; index < count; ++index) {
    const std::uint64_t holder = blocks[index].holder.load(std::memory_order_relaxed);
    const std::uint32_t serving = blocks[index].serving.load(std::memory_order_relaxed);
    const bool is_held = holder >> 32 != 0 && static_cast<std::uint32_t>(holder) == serving;
    if (!is_held) continue;
    const std::uint32_t in_line = blocks[index].next.load(std::memory_order_relaxed) - serving;
    into.push_back(
        {owner.worker, static_cast<std::int32_t>((holder >> 32) - 1), index, in_line == 0 ? 0 : in_line - 1});
  }
}

}  // namespace

std::uint64_t block_offset(const shm::Geometry& geometry, std::uint64_t slot) {
  return geometry.boards_offset + slot * geometry.board_bytes + geometry.activity_offset;
}

RankState state_of(const activity::Block& block, std::uint64_t now_ns) {
  const activity::Owner& owner = block.owner;
  RankState rank;
  rank.rank = static_cast<std::int32_t>(owner.rank.get());
  rank.worker = static_cast<std::int32_t>(owner.worker.get() - 1);
  rank.host = static_cast<std::int32_t>(owner.host.get());
  rank.slot = static_cast<std::int32_t>(owner.slot.get());
  rank.pid = static_cast<std::int32_t>(owner.pid.get());
  rank.state = process_state(rank.pid, owner.started.get());
  rank.has_left = owner.end.get() == activity::Owner::has_left;
  rank.is_known_dead = owner.end.get() == activity::Owner::has_died;
  rank.open_seconds = (static_cast<double>(now_ns) - static_cast<double>(owner.since_ns.get())) / 1e9;
  const std::uint64_t quiet_since_ns = std::max(block.wait_ended_ns.get(), owner.since_ns.get());
  rank.quiet_seconds = (static_cast<double>(now_ns) - static_cast<double>(quiet_since_ns)) / 1e9;
  const std::vector<Wait> waits = waits_of(block, now_ns);
  if (!waits.empty()) rank.wait = waits.front();
  rank.queued = block.served.queued.get();
  return rank;
}

void read_queues(const activity::Block& block, std::uint64_t now_ns, std::vector<QueuedRequest>& into) {
  for (const activity::QueueHead& head : block.served.heads) {
    const std::uint64_t from = head.from.acquire();
    if (from == 0) continue;
    const std::uint64_t what = head.what.get();
    const std::uint64_t since_ns = head.since_ns.get();
    QueuedRequest& request = into.emplace_back();
    request.server = static_cast<std::int32_t>(block.owner.rank.get());
    request.from = static_cast<std::int32_t>(from - 1);
    request.target = static_cast<std::int32_t>(head.target.get() - 1);
    request.verb = static_cast<protocol::Verb>(what >> 32);
    request.obstacle = static_cast<activity::Obstacle>(
        std::min<std::uint64_t>(static_cast<std::uint32_t>(what), activity::obstacles - 1));
    request.bytes = head.bytes.get();
    request.seconds = now_ns < since_ns ? 0 : static_cast<double>(now_ns - since_ns) / 1e9;
  }
}

JobState read_host(const ReadArena& read, const shm::Geometry& geometry, std::uint64_t now_ns,
                   const SeeRank& see) {
  JobState job_state;
  for (std::uint64_t slot = 0; slot < std::min(geometry.slots, shm::most_slots); ++slot) {
    activity::Block block;
    if (!read_block(read, block_offset(geometry, slot), block)) continue;
    RankState& rank = job_state.ranks.emplace_back(state_of(block, now_ns));
    const std::vector<activity::Peer> peers = read_peers(read, geometry, block);
    rank.operations = operations_of(peers);
    const std::vector<Wait> waits = waits_of(block, now_ns);
    for (std::size_t i = 1; i < waits.size(); ++i) job_state.threads.push_back({rank.rank, waits[i]});
    read_groups(block, job_state.members);
    read_queues(block, now_ns, job_state.requests);
    if (rank.worker >= 0) read_mutexes(read, geometry, rank, job_state.mutexes);
    if (see) see(rank, block, peers);
  }
  return job_state;
}

std::int64_t clock_ahead_ns(const std::string& process, std::string_view clock) {
  std::ifstream file("/proc/" + process + "/timens_offsets");
  std::string name;
  std::int64_t seconds = 0, ns = 0;
  while (file >> name >> seconds >> ns) {
    if (name == clock) return seconds * 1'000'000'000 + ns;
  }
  return 0;
}

std::uint64_t process_start(std::int32_t pid) {
  constexpr std::int64_t tick_ns = 10'000'000;
  std::istringstream facts(facts_of(pid));
  std::string fact;
  for (int i = 0; i < 20; ++i) facts >> fact;  // the 20th from the state on
  if (fact.empty()) return 0;
  // /proc shows it by the clock of who reads.
  return std::strtoull(fact.c_str(), nullptr, 10) -
         static_cast<std::uint64_t>(clock_ahead_ns("self", "boottime") / tick_ns);
}

char process_state(std::int32_t pid, std::uint64_t started) {
  const std::string facts = facts_of(pid);
  if (facts.empty()) return 'X';
  // A namespace may be ahead by a part of a tick, so the same start may differ by one.
  const auto later = static_cast<std::int64_t>(process_start(pid) - started);
  return started != 0 && (later < -1 || later > 1) ? 'X' : facts.front();
}

}  // namespace comex::watch
