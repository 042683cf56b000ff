#include "runtime/opening/directory.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/exchange.h"

namespace comex::runtime {
namespace {

constexpr std::uint64_t failures_alignment = 64;

groups::DirectoryShape directory_shape(const World& world) {
  return {world.share.ranks, world.share.workers, world.share.hosts};
}

}  // namespace

groups::Directory directory_of(World& world) {
  return {world.arena->directory(), directory_shape(world)};
}

std::uint64_t directory_bytes(const World& world) {
  const std::uint64_t rows = groups::Directory::bytes(directory_shape(world));
  if (world.settings.on_failure == OnFailure::abort) return rows;
  return shm::round_up(rows, failures_alignment) +
         groups::Failures::bytes(world.share.workers, world.share.hosts);
}

groups::Failures failures_of(World& world) {
  if (world.settings.on_failure == OnFailure::abort) return {};
  const std::uint64_t rows = groups::Directory::bytes(directory_shape(world));
  return {world.arena->directory() + shm::round_up(rows, failures_alignment), world.share.workers};
}

void write_places(const groups::Directory& directory, const pr::WorldSplit& split, int own_host,
                  std::span<const groups::HostName> names) {
  std::ranges::fill(directory.slots(), groups::Directory::elsewhere);
  for (std::size_t index = 0; index < split.hosts.size(); ++index) {
    groups::HostPlace& host = directory.hosts()[index];
    host = {.name = names[index]};
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
          .slot = static_cast<std::uint32_t>(place.local_index)};
    }
  }
}

RankRange next_ranks(std::span<const pr::Host> hosts, const RankRange& before, std::size_t most) {
  const std::size_t first = before.end;
  std::size_t longest = first;
  std::size_t open_hosts = 0;
  for (const pr::Host& host : hosts) {
    longest = std::max(longest, host.ranks.size());
    if (host.ranks.size() > first) ++open_hosts;
  }
  if (open_hosts == 0) return {first, first};
  return {first, std::min(longest, first + std::max<std::size_t>(most / open_hosts, 1))};
}

void write_rows(const groups::Directory& directory, const pr::WorldSplit& split, const RankRange& range,
                std::span<const RankRow> rows) {
  auto next = rows.begin();
  for (const pr::Host& host : split.hosts) {
    for (const int rank : range.among(host)) {
      const RankRow& row = *next++;
      const int worker = split.worker_of(rank);
      if (worker < 0) continue;
      directory.places()[static_cast<std::size_t>(worker)].base = row.base;
      directory.numbers()[static_cast<std::size_t>(worker)].node_rank = row.node_rank;
    }
  }
}

namespace {

std::vector<groups::HostName> host_names(transport::Collective& leaders, const World& world) {
  groups::HostName name{};
  world.os->host_facts().host_name.copy(name.data(), name.size() - 1);
  return gather(leaders, name);
}

// Exchanges one piece, host by host. `own` is of the caller's host, by local index.
std::vector<RankRow> exchange(transport::Collective& leaders, const pr::WorldSplit& split,
                              const RankRange& range, std::span<const RankRow> own) {
  std::vector<std::size_t> sizes;
  std::size_t ranks = 0;
  for (const pr::Host& host : split.hosts) {
    const std::size_t here = range.among(host).size();
    sizes.push_back(here * sizeof(RankRow));
    ranks += here;
  }
  std::vector<RankRow> rows(ranks);
  leaders.all_gather_parts(std::as_bytes(range.of(own)), std::as_writable_bytes(std::span(rows)), sizes);
  return rows;
}

}  // namespace

void exchange_rows(transport::Collective& leaders, const groups::Directory& directory,
                   const pr::WorldSplit& split, std::span<const RankRow> own, std::size_t most) {
  RankRange range;
  while ((range = next_ranks(split.hosts, range, most)).any()) {
    write_rows(directory, split, range, exchange(leaders, split, range, own));
  }
  directory.number_pointer_domains();
}

void open_directory(transport::Collective& host, transport::Collective* leaders, World& world,
                    const pr::WorldSplit* split) {
  const std::vector<RankRow> of_host =
      gather(host, RankRow{reinterpret_cast<std::uint64_t>(world.arena->base()), world.node_rank});
  COMEX_BUG_IF(leaders != nullptr && split == nullptr);
  const groups::Directory directory = directory_of(world);
  if (leaders != nullptr) {
    write_places(directory, *split, world.place.host, host_names(*leaders, world));
    exchange_rows(*leaders, directory, *split, of_host, most_rows_at_once);
  }
  host.barrier();  // the rows are written by then
  world.description.size = world.share.workers;
  world.group.emplace(world.id, directory);
  world.failures = failures_of(world);
  world.doorbells.emplace(*world.arena, directory);
}

}  // namespace comex::runtime
