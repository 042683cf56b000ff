#include "runtime/opening/directory.h"

#include <algorithm>
#include <vector>

#include "runtime/exchange.h"

namespace comex::runtime {
namespace {

groups::DirectoryShape directory_shape(const World& world) {
  return {world.share.ranks, world.share.workers, world.share.hosts};
}

// Failures lie behind the rows, in a job that goes on without the dead.
std::uint64_t failures_offset(const World& world) {
  return shm::round_up(groups::Directory::bytes(directory_shape(world)), 64);
}

}  // namespace

groups::Directory directory_of(World& world) {
  return {world.arena->directory(), directory_shape(world)};
}

std::uint64_t directory_bytes(const World& world) {
  if (world.settings.on_failure == OnFailure::abort) return failures_offset(world);
  return failures_offset(world) + groups::Failures::bytes(world.share.workers, world.share.hosts);
}

void write_places(const groups::Directory& directory, const pr::WorldSplit& split, int own_host,
                  std::span<const HostRow> hosts) {
  std::ranges::fill(directory.slots(), groups::Directory::elsewhere);
  for (std::size_t index = 0; index < split.hosts.size(); ++index) {
    groups::HostPlace& host = directory.hosts()[index];
    host = {.name = hosts[index].name};
    const std::vector<pr::RankPlace> places = split.places_on(index);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const pr::RankPlace& place = places[i];
      const int rank = split.hosts[index].ranks[i];
      if (place.host == own_host) directory.slots()[static_cast<std::size_t>(rank)] = place.local_index;
      if (place.role == pr::Role::progress) continue;
      if (host.lowest_worker == no_rank) host.lowest_worker = rank;
      directory.places()[static_cast<std::size_t>(place.worker)] = {
          .rank = rank,
          .server = place.server < 0 ? rank : place.server,
          .host = static_cast<std::uint32_t>(index),
          .slot = static_cast<std::uint32_t>(place.local_index),
          .base = hosts[index].base};
    }
  }
}

void exchange_node_ranks(transport::Collective& leaders, const groups::Directory& directory,
                         const pr::WorldSplit& split, std::span<const std::int32_t> own) {
  std::vector<std::size_t> sizes;
  for (const pr::Host& host : split.hosts) sizes.push_back(host.ranks.size() * sizeof(std::int32_t));
  std::vector<std::int32_t> node_ranks(split.ranks());
  leaders.all_gather_parts(std::as_bytes(own), std::as_writable_bytes(std::span(node_ranks)), sizes);
  auto next = node_ranks.begin();
  for (const pr::Host& host : split.hosts) {
    for (const int rank : host.ranks) {
      const int worker = split.worker_of(rank);
      if (worker >= 0) directory.node_ranks()[static_cast<std::size_t>(worker)] = *next;
      ++next;
    }
  }
}

namespace {

HostRow host_row(const World& world) {
  HostRow row{.base = reinterpret_cast<std::uint64_t>(world.arena->base())};
  world.os->host_facts().host_name.copy(row.name.data(), row.name.size() - 1);
  return row;
}

}  // namespace

void open_directory(transport::Collective& host, transport::Collective* leaders, World& world,
                    const pr::WorldSplit* split) {
  const std::vector<std::int32_t> of_host = gather(host, world.node_rank);
  COMEX_BUG_IF(leaders != nullptr && split == nullptr);
  const groups::Directory directory = directory_of(world);
  if (leaders != nullptr) {
    write_places(directory, *split, world.place.host, gather(*leaders, host_row(world)));
    exchange_node_ranks(*leaders, directory, *split, of_host);
  }
  host.barrier();  // the rows are written by then
  world.description.size = world.share.workers;
  world.group.emplace(directory);
  if (world.settings.on_failure != OnFailure::abort)
    world.failures = {world.arena->directory() + failures_offset(world), world.share.workers};
  world.doorbells.emplace(*world.arena, directory);
}

}  // namespace comex::runtime
