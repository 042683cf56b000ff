// Decides the role of every rank of a communicator, worker or progress rank, host by host.
//
// Pure: the same input gives the same split. It uses indices within the host, never world ranks, so ranks may
// be placed in any order. On a host with progress ranks, every worker has a server there. Every host keeps at
// least one worker. O(P log P) at most. Used at init, after the hosts are verified, and by the dry run of
// comex_info.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/settings.h"
#include "core/status.h"

namespace comex::pr {

// How the ranks of a host are cut into virtual hosts. blocks: the number of contiguous blocks, the first ones
// longer; entries: the virtual host of each rank by local index. Neither: not cut.
struct VirtualHosts {
  int blocks = 1;
  std::vector<int> entries;
};

// Parses COMEX_VIRTUAL_HOSTS: a number of blocks, or one entry for each rank of a host.
Result<VirtualHosts> parse_virtual_hosts(std::string_view text);

enum class Role : unsigned char { worker, progress };

struct RankPlace {
  int host = 0;         // an index into WorldSplit::hosts
  int local_index = 0;  // among the ranks of its host, in rank order
  int group = -1;       // within the host; -1: the host has no progress rank
  Role role = Role::worker;
  int server = -1;  // the rank that serves this worker; -1: it serves itself. For a progress rank: itself
  int worker = -1;  // worker number; -1 on a progress rank
  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

struct Host {
  int real_host = 0;                // equal for the virtual hosts of one machine
  std::vector<int> ranks;           // in rank order, which is that of the local index
  std::vector<int> progress_ranks;  // by group
};

enum class NoticeKind : unsigned char {
  lowered,      // a host cannot give the wanted number of progress ranks
  self_served,  // workers without a progress rank; the caller knows how they make progress
  uneven,       // shown only if verbose
  idle,         // a progress rank has no worker to serve; shown only if verbose
};

struct SplitNotice {
  NoticeKind kind;
  std::string text;
};

// Holds two numbers for each rank, so that large worlds can afford it. Places are computed from it.
struct WorldSplit {
  std::vector<int> workers;          // rank of each worker number, ascending
  std::vector<int> progress;         // progress ranks, in rank order
  std::vector<Host> hosts;           // in the order of their lowest ranks
  std::vector<SplitNotice> notices;  // at most one of each kind
  Distribution distribution = Distribution::packed;

  std::size_t ranks() const { return workers.size() + progress.size(); }
  int worker_of(int rank) const;                             // its worker number; -1 for a progress rank
  std::vector<RankPlace> places_on(std::size_t host) const;  // by local index
  std::vector<RankPlace> places() const;                     // by rank
};

// One number for each rank, equal on ranks that share a host (the leaders of host_key).
Result<WorldSplit> split_world(std::span<const int> host_of_rank, const Settings& settings);

// Texts such as "1 host", "2 hosts".
std::string counted(std::size_t count, const char* thing);

// Travels as bytes.
struct SplitCounts {
  std::uint32_t virtual_host = 0;  // number of the own host among those of its machine
  std::uint32_t ranks = 0;
  std::uint32_t workers = 0;
  std::uint32_t hosts = 0;
  std::uint32_t servers = 0;   // progress ranks, and workers that serve themselves
  std::uint32_t progress = 0;  // progress ranks
};

// What a process keeps of a split: its own host's part, and counts. Its size does not grow with the world.
struct SplitShare : SplitCounts {
  Host host;
  std::vector<RankPlace> places;  // of host.ranks

  std::vector<int> host_workers() const;      // ranks, ascending
  const RankPlace& place_of(int rank) const;  // of a rank of this host
};

SplitShare share_of(const WorldSplit& split, std::size_t host);

// The virtual host of the rank at this index among the ranks of its machine. A list of the wrong length cuts
// nothing, and split_world refuses it.
int virtual_part(const VirtualHosts& cut, int index, int ranks);
// True if a machine of so many ranks has a virtual host of only one of them.
bool has_lone_rank(const VirtualHosts& cut, int ranks);

}  // namespace comex::pr
