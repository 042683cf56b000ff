#include "api/directory.h"

#include <vector>

#include "api/exchange.h"
#include "api/worlds/identity.h"

namespace comex::api {
namespace {

groups::DirectoryShape directory_shape(const World& world) {
  return {world.share.ranks, world.share.workers, world.share.hosts};
}

}  // namespace

groups::Directory directory_of(World& world) {
  return {world.arena->directory(), directory_shape(world)};
}

std::uint64_t directory_bytes(const World& world) {
  return groups::Directory::bytes(directory_shape(world));
}

void write_directory(const groups::Directory& directory, const pr::WorldSplit& split, int own_host,
                     std::span<const std::uint64_t> bases, std::span<const groups::HostName> names,
                     std::span<const std::int32_t> node_ranks) {
  for (std::size_t host = 0; host < split.hosts.size(); ++host) {
    directory.hosts()[host] = {.name = names[static_cast<std::size_t>(split.hosts[host].ranks.front())]};
  }
  for (std::size_t worker = 0; worker < split.workers.size(); ++worker) {
    const int rank = split.workers[worker];
    const auto index = static_cast<std::size_t>(rank);
    const pr::RankPlace& place = split.ranks[index];
    directory.places()[worker] = {.rank = rank,
                                  .server = place.server < 0 ? rank : place.server,
                                  .host = static_cast<std::uint32_t>(place.host),
                                  .slot = static_cast<std::uint32_t>(place.local_index),
                                  .base = bases[index]};
    directory.numbers()[worker].node_rank = node_ranks[index];
    groups::HostPlace& host = directory.hosts()[static_cast<std::size_t>(place.host)];
    if (host.lowest_worker == no_rank || rank < host.lowest_worker) host.lowest_worker = rank;
  }
  for (std::size_t rank = 0; rank < split.ranks.size(); ++rank) {
    const pr::RankPlace& place = split.ranks[rank];
    directory.slots()[rank] = place.host == own_host ? place.local_index : groups::Directory::elsewhere;
  }
  directory.number_pointer_domains();
}

void open_directory(transport::Collective& all, transport::Collective& host, World& world,
                    const pr::WorldSplit& split) {
  const auto bases = gather(all, reinterpret_cast<std::uint64_t>(world.arena->base()));
  groups::HostName name{};
  world.os->host_facts().host_name.copy(name.data(), name.size() - 1);
  const auto names = gather(all, name);
  const std::vector<std::int32_t> node_ranks = number_on_nodes(world, split);
  const groups::Directory directory = directory_of(world);
  if (host.rank() == 0) write_directory(directory, split, world.place.host, bases, names, node_ranks);
  host.barrier();
  world.group.emplace(world.id, directory);
  world.bell.emplace(*world.arena, directory);
}

}  // namespace comex::api
