// What tells hosts apart: a fixed-size key made from facts, then groups that a probe has verified.
//
// No fact alone will do: host ids collide when /etc/hosts maps the name to 127.0.1.1, names collide or
// differ in containers. Ranks with one key are believed to share memory only after each has attached to
// the probe of the lowest among them. Pure: facts and outcomes are passed in, by the API at init.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace comex::pr {

struct HostKey {
  std::array<unsigned char, 64> bytes{};
  friend auto operator<=>(const HostKey&, const HostKey&) = default;
};
static_assert(sizeof(HostKey) == 64, "host keys are exchanged as plain bytes");

struct HostFacts {
  std::string_view name;
  std::int64_t host_id = 0;             // gethostid()
  std::uint64_t shared_memory_dev = 0;  // device of the shared-memory mount
};

HostKey make_host_key(const HostFacts& facts);

// COMEX_HOST_KEY in place of the facts; never equal to a key made from facts.
HostKey make_host_key_from_text(std::string_view text);

// Never below zero. Ranks with one key have one number; those with another key may have it too.
int short_number(const HostKey& key);

// For each rank the lowest rank with the same key: its leader. O(P log P).
std::vector<int> group_by_key(std::span<const HostKey> keys);

// One round of the probe. Every rank that is not settled tries to attach to its leader's probe.
struct ProbeRound {
  std::vector<int> leader;             // per rank; the lowest rank of its group
  std::vector<unsigned char> settled;  // per rank; 1: belongs to its leader for good
  bool done = false;
};

ProbeRound first_probe_round(std::span<const HostKey> keys);

// attached[r] is 1 if rank r could attach to its leader's probe (a leader always has its own, and
// settled ranks are not asked). Those that could not repeat the probe among themselves, the lowest
// leading. Each round settles every leader, so P rounds are the most there can be.
ProbeRound next_probe_round(const ProbeRound& round, std::span<const unsigned char> attached);

}  // namespace comex::pr
