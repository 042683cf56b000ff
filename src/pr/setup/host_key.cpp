#include "pr/setup/host_key.h"

#include <algorithm>
#include <numeric>

#include "core/status.h"

namespace comex::pr {
namespace {

// FNV-1a, so that names longer than the key still differ.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

HostKey key_of(HostKey::Kind kind, std::string_view name) {
  HostKey key{.kind = kind, .hash = hash_of(name)};
  name.copy(key.name.data(), key.name.size());
  return key;
}

// For each rank, its leader: the lowest rank with the same key. O(P log P).
std::vector<int> group_by_key(std::span<const HostKey> keys) {
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int rank) -> const HostKey& { return keys[static_cast<std::size_t>(rank)]; };
  // A stable sort, so that the first of equal keys is the lowest rank.
  std::stable_sort(order.begin(), order.end(), [&](int left, int right) { return key(left) < key(right); });
  std::vector<int> leader(keys.size());
  int current = -1;
  for (const int rank : order) {
    if (current < 0 || key(rank) != key(current)) current = rank;
    leader[static_cast<std::size_t>(rank)] = current;
  }
  return leader;
}

}  // namespace

HostKey make_host_key(std::string_view name, std::uint64_t host_id, std::uint64_t device) {
  HostKey key = key_of(HostKey::facts, name);
  key.host_id = host_id;
  key.device = device;
  return key;
}

HostKey make_host_key_from_text(std::string_view text) {
  return key_of(HostKey::text, text);
}

int key_hash(const HostKey& key) {
  constexpr std::uint64_t prime = (std::uint64_t{1} << 31) - 1;
  return static_cast<int>(hash_of({reinterpret_cast<const char*>(&key), sizeof key}) % prime);
}

ProbeRound first_probe_round(std::span<const HostKey> keys) {
  ProbeRound round;
  round.leader = group_by_key(keys);
  round.settled.assign(keys.size(), 0);
  // A rank alone with its key needs no probe; if all are alone, there is no probe at all.
  std::vector<int> members(keys.size(), 0);
  for (const int leader : round.leader) ++members[static_cast<std::size_t>(leader)];
  round.done = true;
  for (std::size_t rank = 0; rank < keys.size(); ++rank) {
    const bool alone = members[static_cast<std::size_t>(round.leader[rank])] == 1;
    round.settled[rank] = alone ? 1 : 0;
    round.done = round.done && alone;
  }
  return round;
}

ProbeRound next_probe_round(const ProbeRound& round, std::span<const unsigned char> attached) {
  const std::size_t ranks = round.leader.size();
  COMEX_BUG_IF(attached.size() != ranks);
  ProbeRound next = round;
  next.done = true;
  std::vector<int> new_leader(ranks, -1);  // by old leader: the lowest rank that failed there
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (round.settled[rank] != 0) continue;
    const auto old = static_cast<std::size_t>(round.leader[rank]);
    if (attached[rank] != 0 || old == rank) {
      next.settled[rank] = 1;
      continue;
    }
    if (new_leader[old] < 0) new_leader[old] = static_cast<int>(rank);
    next.leader[rank] = new_leader[old];
    next.done = false;
  }
  return next;
}

}  // namespace comex::pr
