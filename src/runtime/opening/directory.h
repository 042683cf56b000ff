// Writes the directory of a world, as it opens, into the arena of each host.
//
// The lowest rank of each host collects what the rows are made of from its neighbours, exchanges it with
// those of other hosts, a piece at a time, and writes it where all read it: nobody else ever holds anything
// of all ranks for them. Called by open_world.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pr/setup/world_split.h"
#include "runtime/opening/world.h"
#include "transport/collective.h"

namespace comex::runtime {

std::uint64_t directory_bytes(const World& world);
groups::Directory directory_of(World& world);  // whose arena is mapped

// What follows from the split alone. names: by host.
void write_places(const groups::Directory& directory, const pr::WorldSplit& split, int own_host,
                  std::span<const groups::HostName> names);

// What a rank itself has to say for its row. Travels as bytes.
struct RankSays {
  std::uint64_t base = 0;  // of its host's arena
  std::int32_t app = 0;    // which program of the launch
  std::int32_t node_rank = groups::unknown_rank;
};
inline constexpr std::size_t most_said_at_once = (std::size_t{4} << 20) / sizeof(RankSays);

// The ranks that speak in one piece: those with local indices in [first, end), of each host.
struct Speakers {
  std::size_t first = 0;
  std::size_t end = 0;
  bool any() const { return first < end; }
  // Theirs, of what a host has by local index.
  template <class T>
  std::span<const T> of(std::span<const T> by_local_index) const {
    const std::size_t size = by_local_index.size();
    return by_local_index.first(std::min(end, size)).subspan(std::min(first, size));
  }
  std::span<const int> among(const pr::Host& host) const { return of(std::span<const int>(host.ranks)); }
};
// Who comes after them: as many as fit into `most`, but one of each host at least; none when all have spoken.
Speakers next_speakers(std::span<const pr::Host> hosts, const Speakers& before, std::size_t most);
// said: host by host. The places are written.
void write_said(const groups::Directory& directory, const pr::WorldSplit& split, const Speakers& speakers,
                std::span<const RankSays> said);

// Collective over the lowest ranks of hosts, in the order of the split; `own`: of the caller's host, by local
// index. Fills the rows, with no more than `most` of what is said at once. The ranks of the own host in their
// programs, by local index.
std::vector<std::int32_t> exchange_rows(transport::Collective& leaders, const groups::Directory& directory,
                                        const pr::WorldSplit& split, std::span<const RankSays> own,
                                        std::size_t most);

// Collective over the ranks of each host. Makes world.group and world.bell, and the rank of the process in
// its program. leaders, split: on the lowest rank of each host, elsewhere null.
void open_directory(transport::Collective& host, transport::Collective* leaders, World& world,
                    const pr::WorldSplit* split);

}  // namespace comex::runtime
