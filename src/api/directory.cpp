#include "api/directory.h"

#include <memory>
#include <span>
#include <utility>
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
    directory.hosts()[host] = {.name = names[host]};
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

namespace {

// What a rank contributes to the rows. Travels as bytes.
struct Contribution {
  std::uint64_t base = 0;
  ToldRanks told;
};

// By rank, from what the ranks of each host have told its lowest.
std::vector<Contribution> exchange(transport::Collective& leaders, const pr::WorldSplit& split,
                                   std::span<const Contribution> of_host) {
  std::vector<std::size_t> sizes;
  for (const pr::Host& host : split.hosts) sizes.push_back(host.ranks.size() * sizeof(Contribution));
  std::vector<Contribution> by_host(split.ranks.size());
  leaders.all_gather_parts(std::as_bytes(of_host), std::as_writable_bytes(std::span(by_host)), sizes);
  std::vector<Contribution> by_rank(split.ranks.size());
  auto next = by_host.begin();
  for (const pr::Host& host : split.hosts) {
    for (const int rank : host.ranks) by_rank[static_cast<std::size_t>(rank)] = *next++;
  }
  return by_rank;
}

// The application ranks of the own host, by local index.
std::vector<std::int32_t> fill_directory(transport::Collective& leaders, World& world,
                                         const pr::WorldSplit& split, std::span<const Contribution> of_host) {
  std::vector<std::uint64_t> bases;
  std::vector<ToldRanks> told;
  bases.reserve(split.ranks.size());
  told.reserve(split.ranks.size());
  for (const Contribution& each : exchange(leaders, split, of_host)) {
    bases.push_back(each.base);
    told.push_back(each.told);
  }
  groups::HostName name{};
  world.os->host_facts().host_name.copy(name.data(), name.size() - 1);
  const std::vector<groups::HostName> names = gather(leaders, name);
  NodeNumbers numbers = number_on_nodes(world, split, told);
  write_directory(directory_of(world), split, world.place.host, bases, names, numbers.node_ranks);
  return std::move(numbers.app_ranks);
}

}  // namespace

void open_directory(transport::Collective& all, transport::Collective& host, World& world,
                    const pr::WorldSplit* split) {
  const std::vector<Contribution> of_host =
      gather(host, Contribution{reinterpret_cast<std::uint64_t>(world.arena->base()), world.told});
  const std::unique_ptr<transport::Collective> leaders = all.among(host.rank() == 0 ? 0 : -1);
  std::vector<std::int32_t> app_ranks(of_host.size());
  COMEX_BUG_IF(leaders != nullptr && split == nullptr);
  if (leaders != nullptr) app_ranks = fill_directory(*leaders, world, *split, of_host);
  host.broadcast(std::as_writable_bytes(std::span(app_ranks)), 0);  // the rows are written by then
  world.app_rank = app_ranks[static_cast<std::size_t>(host.rank())];
  world.description.size = world.share.workers;
  const groups::Directory directory = directory_of(world);
  world.group.emplace(world.id, directory);
  world.bell.emplace(*world.arena, directory);
}

}  // namespace comex::api
