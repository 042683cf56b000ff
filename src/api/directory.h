// Writes the directory of a world, as it opens, into the arena of each host.
//
// The lowest rank of each host collects what the rows are made of from its neighbours, exchanges it with
// those of other hosts and writes the rows: nobody else ever holds anything of all ranks for them. Called by
// open_world.
#pragma once

#include <cstdint>
#include <span>

#include "api/world.h"
#include "pr/world_split.h"
#include "transport/collective.h"

namespace comex::api {

std::uint64_t directory_bytes(const World& world);
groups::Directory directory_of(World& world);  // whose arena is mapped

// bases and node_ranks: by rank; names: by host.
void write_directory(const groups::Directory& directory, const pr::WorldSplit& split, int own_host,
                     std::span<const std::uint64_t> bases, std::span<const groups::HostName> names,
                     std::span<const std::int32_t> node_ranks);

// Collective over all ranks. Makes world.group and world.bell, and the ranks of processes on their nodes.
void open_directory(transport::Collective& all, transport::Collective& host, World& world,
                    const pr::WorldSplit* split);

}  // namespace comex::api
