#include "runtime/opening/steps.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "pr/setup/placement.h"
#include "runtime/exchange.h"

namespace comex::runtime {
namespace {

using pr::CpuMask;
using pr::Role;

// What the ranks of this machine tell each other.
struct Bound {
  CpuMask cpus;
  Role role = Role::worker;
};

std::string named(const World& world) {
  return (world.is_worker() ? "worker rank " : "progress rank ") + std::to_string(world.wire.rank());
}

void bind_to(const pr::Topology& topology, const CpuMask& cpus, World& world, const Reporter& reporter) {
  const std::string who = named(world) + " on processors " + pr::text_of(cpus);
  world.launched_on = topology.binding();
  const Status bound = topology.bind(cpus);
  if (!bound) {
    reporter.notice(who + ": not bound: " + bound.failure().text);
  } else if (world.settings.verbose) {
    reporter.notice(who + (world.is_worker() ? " has them for itself" : " has a core of its own"));
  }
}

// Cores on which some rank may run as the launcher has left it. The others may be those of other jobs.
std::vector<CpuMask> usable_cores(const pr::Topology& topology, std::span<const Bound> ranks) {
  std::vector<CpuMask> usable;
  for (const CpuMask& core : topology.cores()) {
    if (std::any_of(ranks.begin(), ranks.end(), [&](const Bound& rank) { return (rank.cpus & core).any(); }))
      usable.push_back(core);
  }
  return usable;
}

// The core of this progress rank, if there is one that it need not share.
void bind_progress_rank(const pr::Topology& topology, std::span<const Bound> ranks, std::size_t me,
                        World& world, const Reporter& reporter) {
  std::vector<CpuMask> workers;
  std::vector<CpuMask> progress;
  std::size_t mine = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (rank == me) mine = progress.size();
    (ranks[rank].role == Role::progress ? progress : workers).push_back(ranks[rank].cpus);
  }
  if (world.is_worker()) return;
  const std::vector<CpuMask> cores = usable_cores(topology, ranks);
  const auto choices = pr::choose_cores(cores, workers, progress);
  if (choices.empty()) return;
  if (choices[mine].shared) {
    reporter.notice(named(world) +
                    " stays where the launcher put it: the host has no core left for it alone");
    return;
  }
  bind_to(topology, cores[choices[mine].core], world, reporter);
}

void bind_every_rank(const pr::Topology& topology, std::span<const Bound> ranks, std::size_t me, World& world,
                     const Reporter& reporter) {
  const std::vector<CpuMask> cores = usable_cores(topology, ranks);
  std::vector<Role> roles;
  for (const Bound& rank : ranks) roles.push_back(rank.role);
  const std::vector<CpuMask> shares = pr::share_cores(cores, roles);
  if (!shares.empty()) {
    bind_to(topology, shares[me], world, reporter);
  } else if (me == 0) {
    reporter.notice("COMEX_BIND=all binds nothing: the host has " + std::to_string(ranks.size()) +
                    " ranks on " + std::to_string(cores.size()) + " cores");
  }
}

}  // namespace

void bind_ranks(transport::Collective& machine, World& world, const Reporter& reporter) {
  const BindMode mode = world.settings.bind;
  if (mode == BindMode::none || (mode == BindMode::progress && world.share.progress == 0)) return;
  const pr::Topology topology = pr::Topology::load();
  const std::vector<Bound> ranks = gather(machine, Bound{topology.binding(), world.place.role});
  const auto me = static_cast<std::size_t>(machine.rank());
  if (!topology.available()) {
    if (me == 0) reporter.notice("COMEX_BIND binds nothing: " + topology.notice());
  } else if (mode == BindMode::progress) {
    bind_progress_rank(topology, ranks, me, world, reporter);
  } else {
    bind_every_rank(topology, ranks, me, world, reporter);
  }
}

void unbind(const World& world) {
  if (world.launched_on) static_cast<void>(pr::Topology::load().bind(*world.launched_on));
}

}  // namespace comex::runtime
