#include "api/world.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "api/bind.h"
#include "api/environment.h"
#include "api/exchange.h"
#include "api/hosts.h"
#include "api/outboxes.h"
#include "api/warn_names.h"
#include "api/worlds/identity.h"
#include "shm/posix_os.h"
#include "transport/mpi_collective.h"
#include "transport/mpi_transport.h"

namespace comex::api {
namespace {

// Says a failure once, by the rank that has it, and ends the job everywhere.
void require(transport::Collective& all, const Reporter& reporter, const Status& mine) {
  const Settled settled = settle_by_rank(all, mine);
  if (settled) return;
  if (settled.failed_rank == all.rank()) reporter.fatal({.operation = "init"}, settled.text);
  all.barrier();  // until the end of the job comes
}

transport::MpiFailureHandler mpi_failure(const Reporter& reporter) {
  return [&reporter](const Failure& failure) { reporter.fatal({}, failure.text); };
}

Settings agree_on_settings(transport::Collective& all, const Reporter& reporter) {
  Result<Settings> mine = parse_settings(environment_lookup());
  require(all, reporter, mine ? Status() : Status(mine.failure()));
  std::string sent = all.rank() == 0 ? encode_settings(mine.value()) : std::string();
  broadcast(all, sent, 0);
  Result<Settings> rank0 = decode_settings(sent);
  require(all, reporter, rank0 ? Status() : Status(rank0.failure()));
  require(all, reporter, agree(mine.value(), rank0.value(), all.rank()));
  warn_of_unknown_names(all, reporter);
  return all.rank() == 0 ? mine.value() : adopt(mine.value(), rank0.value());
}

pr::WorldSplit split(transport::Collective& all, World& world, const Reporter& reporter) {
  Result<std::vector<int>> hosts = find_hosts(all, *world.os, world.settings, reporter);
  if (!hosts) {
    if (all.rank() == 0) reporter.fatal({.operation = "init"}, hosts.failure().text);
    all.barrier();
  }
  Result<pr::SplitInput> input = pr::split_input(hosts.value(), world.settings);
  require(all, reporter, input ? Status() : Status(input.failure()));
  Result<pr::WorldSplit> made = pr::split_world(input.value());
  require(all, reporter, made ? Status() : Status(made.failure()));
  return std::move(made).value();
}

shm::Backing backing(ArenaBacking wish) {
  if (wish == ArenaBacking::memfd) return shm::Backing::memfd;
  return wish == ArenaBacking::posix ? shm::Backing::posix : shm::Backing::automatic;
}

shm::ArenaOptions arena_options(const World& world) {
  shm::ArenaOptions options;
  const pr::Host& host = world.own_host();
  options.backing = backing(world.settings.arena);
  options.geometry.slots = static_cast<std::uint32_t>(host.ranks.size());
  options.geometry.servers = static_cast<std::uint32_t>(host.progress_ranks.size());
  options.geometry.board_bytes = board_bytes(world);
  options.geometry.reservation_bytes = static_cast<std::uint64_t>(world.settings.arena_reserve);
  options.world = world.id;
  options.slot = static_cast<shm::HostSlot>(world.place.local_index);
  options.keep_bytes = static_cast<std::uint64_t>(world.settings.arena_keep);
  options.dump_core = world.settings.core == CoreDump::full;
  return options;
}

// One address for all if there is any, else wherever each can.
void map_everywhere(transport::Collective& host, const Reporter& reporter, shm::Arena& arena) {
  for (std::uint32_t attempt = 0; attempt < shm::address_attempts; ++attempt) {
    const std::uint64_t address = arena.candidate(attempt);
    // The creator formats the arena when it first maps it, so it goes first.
    bool mapped = host.rank() == 0 && arena.map_at(address);
    host.barrier();
    if (host.rank() != 0) mapped = static_cast<bool>(arena.map_at(address));
    if (host.all_agree(mapped)) return;
    arena.unmap();
  }
  Status mapped;
  if (host.rank() == 0) mapped = arena.map_anywhere();
  host.barrier();
  if (host.rank() != 0) mapped = arena.map_anywhere();
  require(host, reporter, mapped);
}

void open_arena(transport::Collective& host, World& world, const Reporter& reporter) {
  const shm::ArenaOptions options = arena_options(world);
  shm::ArenaTicket ticket;
  Status status;
  if (host.rank() == 0) {
    Result<shm::Arena> created = shm::Arena::create(*world.os, options);
    if (created) {
      world.arena.emplace(std::move(created).value());
      ticket = world.arena->ticket();
    } else {
      status = created.take_failure();
    }
  }
  require(host, reporter, status);
  broadcast(host, ticket, 0);
  if (host.rank() != 0) {
    Result<shm::Arena> attached = shm::Arena::attach(*world.os, ticket, options.slot, options.dump_core);
    if (attached) {
      world.arena.emplace(std::move(attached).value());
    } else {
      status = attached.take_failure();
    }
  }
  require(host, reporter, status);
  map_everywhere(host, reporter, *world.arena);
}

// Rows of the process group: where each worker lives and where its arena stands.
void describe_workers(transport::Collective& all, World& world) {
  const auto bases = gather(all, reinterpret_cast<std::uint64_t>(world.arena->base()));
  std::array<char, 64> name{};
  world.os->host_facts().host_name.copy(name.data(), name.size() - 1);
  const auto names = gather(all, name);
  std::vector<groups::WorkerPlace> places;
  places.reserve(world.split.workers.size());
  for (const int rank : world.split.workers) {
    const auto index = static_cast<std::size_t>(rank);
    const pr::RankPlace& place = world.split.ranks[index];
    places.push_back({.rank = rank,
                      .server = place.server < 0 ? rank : place.server,
                      .host = static_cast<std::uint32_t>(place.host),
                      .slot = static_cast<std::uint32_t>(place.local_index),
                      .base = bases[index]});
  }
  std::vector<std::string> host_names;
  for (const pr::Host& host : world.split.hosts) {
    host_names.emplace_back(names[static_cast<std::size_t>(host.ranks.front())].data());
  }
  world.group.emplace(world.id, std::move(places), std::move(host_names));
}

void open_transport(World& world, const Reporter& reporter) {
  world.transport = std::make_shared<transport::MpiTransport>(world.wire.get(), mpi_failure(reporter));
  std::vector<std::int32_t> slots(world.split.ranks.size(), HostBell::elsewhere);
  for (const int rank : world.own_host().ranks) {
    slots[static_cast<std::size_t>(rank)] = world.split.ranks[static_cast<std::size_t>(rank)].local_index;
  }
  world.bell.emplace(*world.arena, std::move(slots));
  world.transport->set_bell(&*world.bell);
}

// Virtual hosts share the processors of a machine; ranks that are bound have few each, but many together.
bool is_oversubscribed(const World& world) {
  std::size_t ranks = 0;
  decltype(pr::CpuMask::words) cpus{};
  for (const pr::Host& host : world.split.hosts) {
    if (host.real_host != world.own_host().real_host) continue;
    ranks += host.ranks.size();
    for (const int rank : host.ranks) {
      const auto& allowed = world.bindings[static_cast<std::size_t>(rank)].words;
      std::ranges::transform(cpus, allowed, cpus.begin(), std::bit_or<>());
    }
  }
  std::size_t count = 0;
  for (const std::uint64_t word : cpus) count += static_cast<std::size_t>(std::popcount(word));
  return ranks > count;
}

shm::WaitPolicy wait_policy(const World& world) {
  shm::WaitPolicy policy;
  policy.spin_ns = static_cast<std::uint64_t>(world.settings.spin_us) * 1000;
  policy.nap_max_ns = static_cast<std::uint64_t>(world.settings.nap_max_us) * 1000;
  policy.nap_first_ns = std::min(policy.nap_first_ns, policy.nap_max_ns);
  switch (world.settings.wait) {
    case WaitMode::automatic:
      policy.mode = shm::WaitMode::automatic;
      break;
    case WaitMode::spin:
      policy.mode = shm::WaitMode::spin;
      break;
    case WaitMode::yield:
      policy.mode = shm::WaitMode::yield;
      break;
    case WaitMode::sleep:
      policy.mode = shm::WaitMode::sleep;
      break;
  }
  policy.oversubscribed = is_oversubscribed(world);
  return policy;
}

// The level of threads may differ between hosts: a launcher over ssh does not carry the settings.
std::string how_served(const World& world, const std::vector<unsigned char>& lacks_threads) {
  const auto without = std::ranges::count(lacks_threads, 1);
  if (without == 0) return ", by a thread (MPI_THREAD_MULTIPLE)";
  const auto serving = std::ranges::count_if(world.split.ranks, [](const pr::RankPlace& place) {
    return place.role == pr::Role::worker && place.server < 0;
  });
  const std::string who = without == serving ? "" : std::to_string(without) + " of them ";
  return ", " + who + (without == 1 ? "whenever it is" : "whenever they are") +
         " in a call of the runtime (MPI_Init starts with threads where the environment has "
         "OMPI_MPI_THREAD_LEVEL=3)";
}

void print_notices(const World& world, const std::vector<unsigned char>& lacks_threads,
                   const Reporter& reporter) {
  for (const pr::Notice& notice : world.split.notices) {
    const bool is_detail = notice.kind == pr::NoticeKind::uneven || notice.kind == pr::NoticeKind::idle;
    const bool is_self_served = notice.kind == pr::NoticeKind::self_served;
    if (is_detail && !world.settings.verbose) continue;
    reporter.notice(notice.text + (is_self_served ? how_served(world, lacks_threads) : std::string()));
  }
}

}  // namespace

std::vector<int> World::host_workers() const {
  std::vector<int> found;
  for (const int rank : own_host().ranks) {
    if (split.ranks[static_cast<std::size_t>(rank)].role == pr::Role::worker) found.push_back(rank);
  }
  return found;
}

std::unique_ptr<World> open_world(MPI_Comm comm, Reporter& reporter, const pr::WorldSplit* known_split) {
  auto os = shm::make_posix_os();
  Communicator wire = Communicator::duplicate(comm);
  transport::MpiCollective all(wire.get(), mpi_failure(reporter));
  reporter.identify({.rank = all.rank(), .host = os->host_facts().host_name});
  auto world = std::make_unique<World>(std::move(os), agree_on_settings(all, reporter));
  world->wire = std::move(wire);
  name_world(all, *world);
  world->split = known_split != nullptr ? *known_split : split(all, *world, reporter);
  world->place = world->split.ranks[static_cast<std::size_t>(all.rank())];
  int thread_level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&thread_level);
  world->has_threads = thread_level == MPI_THREAD_MULTIPLE;
  const std::vector<unsigned char> lacks_threads =
      gather(all, static_cast<unsigned char>(world->serves_itself() && !world->has_threads ? 1 : 0));
  if (all.rank() == 0 && known_split == nullptr) print_notices(*world, lacks_threads, reporter);
  world->host = Communicator::split(world->wire.get(), world->place.host, world->place.local_index);
  world->workers =
      Communicator::split(world->wire.get(), world->is_worker() ? 0 : MPI_UNDEFINED, world->place.worker);
  world->self = Communicator::duplicate(MPI_COMM_SELF);
  transport::MpiCollective host(world->host.get(), mpi_failure(reporter));
  open_arena(host, *world, reporter);
  bind_progress_ranks(all, *world, reporter);
  world->bindings = gather(all, pr::CpuMask{world->os->host_facts().allowed_cpus});
  describe_workers(all, *world);
  describe_world(*world);
  world->wait_policy = wait_policy(*world);
  world->os->set_timer_slack(1000);
  open_transport(*world, reporter);
  all.barrier();  // nobody sends before everybody receives
  return world;
}

}  // namespace comex::api
