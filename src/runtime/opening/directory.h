// Writes the directory of a world into the arena of each host, while the world opens.
//
// The lowest rank of each host collects data from its neighbours, exchanges it with the lowest ranks of other
// hosts and writes it where all ranks of the host read it. So no process keeps data of all ranks of its own.
// Called by open_world.
#pragma once

#include <cstdint>
#include <span>

#include "pr/setup/world_split.h"
#include "runtime/opening/world.h"
#include "transport/collective.h"

namespace comex::runtime {

std::uint64_t directory_bytes(const World& world);
groups::Directory directory_of(World& world);  // its arena must be mapped

// The data of a host. Travels as bytes.
struct HostRow {
  groups::HostName name{};
  std::uint64_t base = 0;  // address of its arena
};

// Writes what follows from the split and the rows of its hosts.
void write_places(const groups::Directory& directory, const pr::WorldSplit& split, int own_host,
                  std::span<const HostRow> hosts);

// Collective over the lowest ranks of hosts, in the order of the split. `own`: of the caller's host, by local
// index.
void exchange_node_ranks(transport::Collective& leaders, const groups::Directory& directory,
                         const pr::WorldSplit& split, std::span<const std::int32_t> own);

// Collective over the ranks of each host. Makes world.group and world.doorbells. `leaders` and `split`: on
// the lowest rank of each host, null elsewhere.
void open_directory(transport::Collective& host, transport::Collective* leaders, World& world,
                    const pr::WorldSplit* split);

}  // namespace comex::runtime
