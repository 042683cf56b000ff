// Writes the directory of a world into the arena of each host, while the world opens.
//
// The lowest rank of each host collects data from its neighbours, exchanges it with the lowest ranks of other
// hosts, one piece at a time, and writes it where all ranks of the host read it. So no process ever holds
// data of all ranks of its own. Called by open_world.
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
groups::Directory directory_of(World& world);  // its arena must be mapped
groups::Failures failures_of(World& world);    // behind the directory, where the job goes on without the dead

// Writes what follows from the split alone. `names` is by host.
void write_places(const groups::Directory& directory, const pr::WorldSplit& split, int own_host,
                  std::span<const groups::HostName> names);

// The data that a rank contributes to its row. Travels as bytes.
struct RankRow {
  std::uint64_t base = 0;  // address of its host's arena
  std::int32_t node_rank = groups::unknown_rank;
  std::int32_t spare = 0;
};
inline constexpr std::size_t most_rows_at_once = (std::size_t{4} << 20) / sizeof(RankRow);

// The ranks in one piece: those with local indices in [first, end), of each host.
struct RankRange {
  std::size_t first = 0;
  std::size_t end = 0;
  bool any() const { return first < end; }
  // Their part of an array that a host has by local index.
  template <class T>
  std::span<const T> of(std::span<const T> by_local_index) const {
    const std::size_t size = by_local_index.size();
    return by_local_index.first(std::min(end, size)).subspan(std::min(first, size));
  }
  std::span<const int> among(const pr::Host& host) const { return of(std::span<const int>(host.ranks)); }
};
// The next ones: as many as fit into `most`, but at least one of each host; none when all are done.
RankRange next_ranks(std::span<const pr::Host> hosts, const RankRange& before, std::size_t most);
// `rows` is host by host. The places must be written already.
void write_rows(const groups::Directory& directory, const pr::WorldSplit& split, const RankRange& range,
                std::span<const RankRow> rows);

// Collective over the lowest ranks of hosts, in the order of the split. `own`: of the caller's host, by local
// index. Fills the rows, with at most `most` ranks in one piece.
void exchange_rows(transport::Collective& leaders, const groups::Directory& directory,
                   const pr::WorldSplit& split, std::span<const RankRow> own, std::size_t most);

// Collective over the ranks of each host. Makes world.group and world.doorbells. `leaders` and `split`: on
// the lowest rank of each host, null elsewhere.
void open_directory(transport::Collective& host, transport::Collective* leaders, World& world,
                    const pr::WorldSplit* split);

}  // namespace comex::runtime
