#include "runtime/opening/world.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "runtime/environment.h"
#include "runtime/exchange.h"
#include "runtime/opening/boards.h"
#include "runtime/opening/directory.h"
#include "runtime/opening/eager.h"
#include "runtime/opening/steps.h"
#include "runtime/process.h"
#include "shm/posix_os.h"
#include "transport/mpi_collective.h"
#include "transport/mpi_transport.h"

namespace comex::runtime {
namespace {

// Where the launcher lets the others live, it has ended the rank with the failure alone.
[[noreturn]] void end_with_the_job() {
  constexpr std::chrono::seconds longer_than_the_line_takes(5);
  std::this_thread::sleep_for(longer_than_the_line_takes);
  std::_Exit(failure_exit_code);
}

// If a rank has a failure, it prints it once and ends the job on all ranks.
void require(transport::Collective& all, const Reporter& reporter, const Status& mine) {
  const TransportRank failed = lowest_where(all, !mine);
  if (failed == no_rank) return;
  if (failed == all.rank()) reporter.fatal({.operation = "init"}, mine.failure().text);
  end_with_the_job();
}

// The lowest rank whose environment has unknown COMEX_ names tells of them.
void warn_of_unknown_names(transport::Collective& all, const Reporter& reporter) {
  const std::vector<std::string> warnings = unknown_name_warnings(environment_names());
  const TransportRank speaker = lowest_where(all, !warnings.empty());
  if (speaker != all.rank()) return;
  const std::string where = speaker == 0 ? "" : " (on MPI rank " + std::to_string(speaker) + ")";
  for (const std::string& warning : warnings) reporter.notice(warning + where);
}

Settings agree_on_settings(transport::Collective& all, const FirstOpening* first_opening,
                           const Reporter& reporter) {
  const bool has_say = first_opening == nullptr || first_opening->place.role == pr::Role::worker;
  const TransportRank root = lowest_where(all, has_say);
  COMEX_BUG_IF(root == no_rank);  // every host has a worker
  Result<Settings> mine =
      parse_settings(has_say ? environment_lookup() : but_for_job_values(environment_lookup()));
  require(all, reporter, mine ? Status() : Status(mine.failure()));
  std::string sent = all.rank() == root ? encode_settings(mine.value()) : std::string();
  broadcast(all, sent, root);
  Result<Settings> told = decode_settings(sent);
  require(all, reporter, told ? Status() : Status(told.failure()));
  require(all, reporter, agree(mine.value(), told.value(), all.rank(), root));
  if (first_opening == nullptr) warn_of_unknown_names(all, reporter);
  Settings asked = all.rank() == root ? std::move(mine).value() : adopt(mine.value(), told.value());
  if (first_opening == nullptr) return asked;
  if (all.rank() == root) {
    for (const std::string& notice : notices_of_kept_roles(asked, first_opening->settings))
      reporter.notice(notice);
  }
  return keep_roles(asked, first_opening->settings);
}

// The roles of the ranks, as far as this rank knows them, and its partners while its world opens.
struct Roles {
  pr::SplitShare share;
  std::optional<pr::WorldSplit> all;  // on the lowest rank of each host
  std::unique_ptr<transport::Collective> machine;
  std::unique_ptr<transport::Collective> host;     // by local index
  std::unique_ptr<transport::Collective> leaders;  // the lowest ranks of all hosts; null on other ranks
};

// Sends the ranks of one host the part of the split that they need, which does not grow with the number of
// all ranks. `own_host` is valid on the lowest rank.
pr::SplitShare hand_out(transport::Collective& host, const std::optional<pr::WorldSplit>& split,
                        std::size_t own_host, std::vector<int> ranks) {
  pr::SplitShare share;
  if (split) share = pr::share_of(*split, own_host);
  broadcast(host, static_cast<pr::SplitCounts&>(share), 0);
  share.places.resize(ranks.size());
  host.broadcast(std::as_writable_bytes(std::span(share.places)), 0);
  share.host.ranks = std::move(ranks);
  share.host.progress_ranks.clear();
  for (std::size_t i = 0; i < share.places.size(); ++i) {
    if (share.places[i].role == pr::Role::progress) share.host.progress_ranks.push_back(share.host.ranks[i]);
  }
  return share;
}

// The ranks of the caller's virtual host. Each rank computes the cut of its machine.
std::unique_ptr<transport::Collective> own_virtual_host(transport::Collective& machine,
                                                        const Settings& settings) {
  const Result<pr::VirtualHosts> asked = pr::parse_virtual_hosts(settings.virtual_hosts);
  const pr::VirtualHosts cut = asked ? asked.value() : pr::VirtualHosts{};  // the split reports bad values
  return machine.among(pr::virtual_part(cut, machine.rank(), machine.size()));
}

// The lowest rank of each host computes the split for all of its ranks.
Roles find_roles(transport::Collective& all, World& world, const Settings& settings,
                 const Reporter& reporter) {
  Machine machine;
  require(all, reporter, find_machine(all, *world.os, settings, reporter, machine));
  Roles roles;
  roles.host = own_virtual_host(*machine.ranks, settings);
  roles.leaders = all.among(roles.host->rank() == 0 ? 0 : -1);
  roles.machine = std::move(machine.ranks);
  std::vector<int> ranks = gather(*roles.host, all.rank());
  Status failed;
  std::size_t own_host = 0;
  if (roles.leaders != nullptr) {
    own_host = static_cast<std::size_t>(roles.leaders->rank());  // in the order of their lowest ranks
    const auto size = static_cast<std::size_t>(all.size());
    Result<pr::WorldSplit> made =
        pr::split_world(machines_of_ranks(*roles.leaders, machine.number, ranks, size), settings);
    if (made) {
      roles.all = std::move(made).value();
    } else {
      failed = made.take_failure();
    }
  }
  require(all, reporter, failed);
  roles.share = hand_out(*roles.host, roles.all, own_host, std::move(ranks));
  return roles;
}

// The roles stay: the same hosts, split by the settings of the first opening.
Roles find_roles_again(transport::Collective& all, World& world, const FirstOpening& first,
                       const Reporter& reporter) {
  Roles roles = find_roles(all, world, first.settings, reporter);
  require(all, reporter,
          roles.share.place_of(all.rank()) == first.place
              ? Status()
              : Status(environment_error("the ranks of its host are others than at the first init")));
  return roles;
}

// A progress rank keeps the memory of a dead worker at everybody's service, and finds that it has died.
Status check_goes_on(const World& world) {
  if (world.settings.on_failure == OnFailure::abort) return {};
  if (!world.settings.trace.empty() && world.settings.trace != "0") {
    return caller_error(
        "COMEX_ON_FAILURE=continue and COMEX_TRACE do not go together: a trace is written by all ranks");
  }
  if (!world.serves_itself()) return {};
  return environment_error(
      "COMEX_ON_FAILURE=continue takes a progress rank on every host, and this host has none: give it more "
      "ranks, or GA_NUM_PROGRESS_RANKS_PER_NODE of at least 1");
}

bool names_file(const std::string& set) {
  return !set.empty() && set != "0" && set != "1";
}

// By finalize the program may have gone to another directory, each of its ranks to its own. The names lead
// from where rank 0 is now, except on machines that do not have that directory.
void find_output_files(transport::Collective& all, Settings& settings) {
  for (std::string* const file : {&settings.stats, &settings.trace}) {
    if (!names_file(*file)) continue;
    std::error_code failed;
    const std::filesystem::path own = std::filesystem::absolute(*file, failed);
    if (!failed) *file = own.string();
    std::string common = *file;
    broadcast(all, common, 0);
    if (std::filesystem::is_directory(std::filesystem::path(common).parent_path(), failed)) *file = common;
  }
}

// What worker 0 will write at finalize: a long job should not find out then.
Status check_output_files(const World& world) {
  if (world.place.worker != 0) return {};
  const std::string &stats = world.settings.stats, &trace = world.settings.trace;
  if (names_file(trace) && trace == stats)
    return caller_error("COMEX_STATS and COMEX_TRACE name the same file, " + trace);
  for (const auto& [name, set] : {std::pair("COMEX_STATS", stats), {"COMEX_TRACE", trace}}) {
    const std::string file = world.output_file(set);
    if (names_file(set) && !std::ofstream(file, std::ios::app))
      return environment_error(std::string(name) + "=" + file + ": this file cannot be written");
  }
  return {};
}

shm::ArenaOptions arena_options(const World& world) {
  shm::ArenaOptions options;
  const pr::Host& host = world.own_host();
  options.backing = world.settings.arena;
  options.geometry.slots = static_cast<std::uint32_t>(host.ranks.size());
  options.geometry.servers = static_cast<std::uint32_t>(host.progress_ranks.size());
  options.geometry.board_bytes = board_bytes(world);
  options.geometry.activity_offset = board_layout_bytes;
  options.geometry.directory_bytes = directory_bytes(world);
  options.geometry.reservation_bytes = static_cast<std::uint64_t>(world.settings.arena_reserve);
  options.world = world.id;
  options.job = world.description.nonce.low;
  options.slot = static_cast<shm::HostSlot>(world.place.local_index);
  options.keep_bytes = static_cast<std::uint64_t>(world.settings.arena_keep);  // -1 is shm::keep_a_share
  options.on_touch = world.settings.arena_commit == ArenaCommit::touch;
  options.large_pages = world.settings.arena_large_pages;
  options.dump_core = world.settings.core == CoreDump::full;
  return options;
}

// Draws addresses until one is free in all processes of the host. A failure is that of one of them.
Status map_at_one_address(transport::Collective& host, shm::Arena& arena) {
  Status mapped;
  for (std::uint32_t attempt = 0; attempt < shm::address_attempts; ++attempt) {
    const std::uint64_t address = arena.candidate(attempt);
    // The creator goes first, because its first mapping formats the arena.
    if (host.rank() == 0) mapped = arena.map_at(address);
    host.barrier();
    if (host.rank() != 0) mapped = arena.map_at(address);
    if (host.all_agree(static_cast<bool>(mapped))) return {};
    arena.unmap();
  }
  return mapped;
}

// All hosts go step by step together, so that the failure of one ends the ranks of all.
void open_arena(transport::Collective& all, transport::Collective& host, World& world,
                const Reporter& reporter) {
  const shm::ArenaOptions options = arena_options(world);
  const auto keep = [&](Result<shm::Arena> got) -> Status {
    if (!got) return got.take_failure();
    world.arena.emplace(std::move(got).value());
    return {};
  };
  const bool is_creator = host.rank() == 0;
  require(all, reporter, is_creator ? keep(shm::Arena::create(*world.os, options)) : Status());
  shm::ArenaTicket ticket = is_creator ? world.arena->ticket() : shm::ArenaTicket();
  broadcast(host, ticket, 0);
  require(
      all, reporter,
      is_creator ? Status() : keep(shm::Arena::attach(*world.os, ticket, options.slot, options.dump_core)));
  require(all, reporter, map_at_one_address(host, *world.arena));
  if (world.settings.fork == ForkMode::share) {
    world.os->inherit_on_fork(world.arena->base(), world.arena->reservation_bytes());
  }
}

pr::CpuMask own_cpus(const World& world) {
  return world.os->host_facts().allowed_cpus;
}

std::optional<NearMemory> near_memory(const World& world) {
  const shm::HostFacts facts = world.os->host_facts();
  if (!world.is_worker() || !facts.has_several_memory_nodes) return std::nullopt;
  pr::Topology topology = pr::Topology::load();
  std::vector<unsigned> nodes = pr::nodes_near(facts.allowed_cpus, topology.memory());
  if (nodes.empty()) return std::nullopt;
  return NearMemory{std::move(topology), std::move(nodes)};
}

void open_transport(World& world) {
  transport::Bundles bundles = bundles_on_wire(wire_sizes(world, world.wire.size()), world.eager,
                                               world.spans_machines, world.is_worker());
  bundles.same_machine = world.neighbours;
  auto transport = std::make_shared<transport::MpiTransport>(world.wire.get(), mpi_failure,
                                                             std::move(bundles), mpi_in_use().yield_switch());
  if (world.spans_machines)  // within a machine, MPI registers no memory
    transport->before_bodies([&arena = *world.arena] { arena.drop_stale_registrations(); });
  world.transport = std::move(transport);
  world.transport->set_observer(&*world.doorbells);
}

// Virtual hosts share the processors of a machine. Bound ranks have few each, but many together.
shm::WaitPolicy wait_policy(transport::Collective& machine, const World& world) {
  struct RankCores {
    pr::CpuMask cpus;
    std::uint64_t is_worker;
  };
  const auto ranks = gather(machine, RankCores{own_cpus(world), world.is_worker() ? 1u : 0u});
  pr::CpuMask cores;
  std::uint64_t workers = 0;
  for (const RankCores& rank : ranks) {
    cores |= rank.cpus;
    workers += rank.is_worker;
  }
  shm::WaitPolicy policy;
  policy.spin_ns = static_cast<std::uint64_t>(world.settings.spin_us) * 1000;
  policy.nap_max_ns = static_cast<std::uint64_t>(world.settings.nap_max_us) * 1000;
  policy.nap_first_ns = std::min(policy.nap_first_ns, policy.nap_max_ns);
  policy.mode = world.settings.wait;
  policy.oversubscribed = ranks.size() > cores.count();
  policy.workers_have_cores = workers <= cores.count();
  return policy;
}

// Decides what depends on the other ranks of this machine.
void settle_on_machine(transport::Collective& machine, World& world, const Reporter& reporter) {
  bind_ranks(machine, world, reporter);
  world.spans_machines = machine.size() < world.wire.size();
  world.eager = mpi_in_use().eager_bytes();
  if (world.spans_machines) {
    world.neighbours = gather(machine, static_cast<TransportRank>(world.wire.rank()));
    std::ranges::sort(world.neighbours);
  }
  world.wait_policy = wait_policy(machine, world);
}

// Prints the banner if worker 0 is verbose; the setting may differ between ranks.
void tell_of_world(transport::Collective& all, const World& world, const Reporter& reporter) {
  const bool is_first = world.place.worker == 0;
  if (!all.all_agree(!is_first || world.settings.verbose)) return;
  const std::vector<ShownRank> ranks = gather(all, ShownRank{world.place, own_cpus(world)});
  if (is_first) print_banner(world, ranks, reporter);
}

}  // namespace

std::unique_ptr<World> open_world(MPI_Comm comm, Reporter& reporter, std::uint32_t number,
                                  const std::optional<Parents>& parents, const FirstOpening* first_opening) {
  // Waiting ranks may share a core with others.
  const mpi::YieldScope while_waiting(mpi_in_use().yield_switch(), true);
  auto os = shm::make_posix_os();
  Communicator wire = Communicator::duplicate(comm);
  transport::MpiCollective all(wire.get(), mpi_failure);
  const std::string host_name = os->host_facts().host_name;
  reporter.identify({.rank = all.rank(), .host = host_name});
  auto world = std::make_unique<World>(std::move(os), agree_on_settings(all, first_opening, reporter));
  find_output_files(all, world->settings);
  world->wire = std::move(wire);
  world->parents = parents;
  require(all, reporter, name_world(all, number, *world));
  const Roles roles = first_opening != nullptr ? find_roles_again(all, *world, *first_opening, reporter)
                                               : find_roles(all, *world, world->settings, reporter);
  world->share = roles.share;
  world->place = world->share.place_of(all.rank());
  if (world->is_first_job) world->node_rank = world->place.local_index;  // else as the launcher counts
  require(all, reporter, check_goes_on(*world));
  require(all, reporter, check_output_files(*world));
  require(all, reporter, check_attached(world->settings.check, world->settings.on_failure));
  int thread_level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&thread_level);
  world->has_threads = thread_level == MPI_THREAD_MULTIPLE;
  const bool lacks_threads = world->serves_itself() && !world->has_threads;
  const bool some_lack_threads = !all.all_agree(!lacks_threads);
  if (all.rank() == 0 && first_opening == nullptr) {
    print_notices(*roles.all, some_lack_threads, world->settings.verbose, reporter);
  }
  world->workers =
      Communicator::split(world->wire.get(), world->is_worker() ? 0 : MPI_UNDEFINED, world->place.worker);
  world->workers.take_handler_of(comm);
  world->self = Communicator::duplicate(MPI_COMM_SELF);
  world->self.take_handler_of(comm);
  COMEX_BUG_IF(roles.host->rank() != world->place.local_index);
  open_arena(all, *roles.host, *world, reporter);
  world->activity = begin_activity(*world, all.rank());
  settle_on_machine(*roles.machine, *world, reporter);
  world->near_memory = near_memory(*world);  // after the rank may have been bound
  open_directory(*roles.host, roles.leaders.get(), *world, roles.all ? &*roles.all : nullptr);
  world->os->set_timer_slack(1000);
  open_transport(*world);
  if (world->is_worker()) reporter.identify({.rank = world->place.worker, .host = host_name});
  tell_of_world(all, *world, reporter);
  all.barrier();  // nobody sends before everybody receives
  return world;
}

}  // namespace comex::runtime
