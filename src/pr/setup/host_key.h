// Identifies hosts: makes a fixed-size key from facts, then groups of ranks that a probe has verified.
//
// No fact alone is enough: host ids are equal when /etc/hosts maps the name to 127.0.1.1, and names are equal
// or differ in containers. Ranks with one key count as sharing memory only after each has attached to the
// probe of the lowest one. Pure: runtime/opening passes in facts and results at init.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace comex::pr {

struct HostKey {
  enum Kind : std::uint64_t { facts, text };
  Kind kind = facts;
  std::uint64_t host_id = 0;    // gethostid()
  std::uint64_t device = 0;     // of the shared-memory mount
  std::uint64_t hash = 0;       // of the whole name
  std::array<char, 32> name{};  // as much of it as fits
  friend auto operator<=>(const HostKey&, const HostKey&) = default;
};
static_assert(sizeof(HostKey) == 64 && std::has_unique_object_representations_v<HostKey>,
              "host keys are exchanged as plain bytes");

HostKey make_host_key(std::string_view name, std::uint64_t host_id, std::uint64_t device);

// A key from COMEX_HOST_KEY instead of facts. It never equals a key made from facts.
HostKey make_host_key_from_text(std::string_view text);

// Never negative. Ranks with equal keys have equal numbers; ranks with other keys may have the same number.
int key_hash(const HostKey& key);

// One round of the probe. Every rank that is not settled tries to attach to its leader's probe.
struct ProbeRound {
  std::vector<int> leader;             // by rank; the lowest rank of its group
  std::vector<unsigned char> settled;  // by rank; 1: it belongs to its leader for good
  bool done = false;
};

ProbeRound first_probe_round(std::span<const HostKey> keys);

// attached[r] is 1 if rank r could attach to its leader's probe. (A leader always has its own, and settled
// ranks are not asked.) Ranks that could not attach repeat the probe among themselves, led by the lowest.
// Each round settles every leader, so there are at most P rounds.
ProbeRound next_probe_round(const ProbeRound& round, std::span<const unsigned char> attached);

}  // namespace comex::pr
