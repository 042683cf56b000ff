#include "api/bind.h"

#include <algorithm>
#include <string>
#include <vector>

#include "api/exchange.h"
#include "pr/placement.h"

namespace comex::api {
namespace {

void bind_to(const pr::Topology& topology, const pr::CoreChoice& choice, const World& world,
             const Reporter& reporter) {
  std::string where = "progress rank " + std::to_string(world.wire.rank());
  if (choice.shared) {
    reporter.notice(where + " stays where the launcher put it: the host has no core left for it alone");
    return;
  }
  const pr::CpuMask& core = topology.cores()[choice.core];
  where += " on processors " + core.text();
  const Status bound = topology.bind(core);
  if (!bound) {
    reporter.notice(where + ": not bound: " + bound.failure().text);
  } else if (world.settings.verbose) {
    reporter.notice(where + " has a core of its own");
  }
}

}  // namespace

void bind_progress_ranks(transport::Collective& all, const World& world, const Reporter& reporter) {
  if (world.settings.bind != BindMode::progress || world.split.progress.empty()) return;
  const pr::Topology topology = pr::Topology::load();
  const std::vector<pr::CpuMask> bindings = gather(all, topology.binding());
  if (!topology.available()) {
    if (world.place.local_index == 0)
      reporter.notice("COMEX_BIND=progress binds nothing: " + topology.notice());
    return;
  }
  std::vector<pr::CpuMask> workers;
  std::vector<pr::CpuMask> progress;
  std::vector<int> servers;
  for (std::size_t rank = 0; rank < bindings.size(); ++rank) {
    const pr::RankPlace& place = world.split.ranks[rank];
    const pr::Host& host = world.split.hosts[static_cast<std::size_t>(place.host)];
    if (host.real_host != world.own_host().real_host) continue;
    if (place.role == pr::Role::progress) {
      progress.push_back(bindings[rank]);
      servers.push_back(static_cast<int>(rank));
    } else {
      workers.push_back(bindings[rank]);
    }
  }
  const auto choices = pr::choose_cores(topology.cores(), workers, progress);
  const auto mine = std::ranges::find(servers, world.wire.rank());
  if (mine == servers.end() || choices.empty()) return;
  bind_to(topology, choices[static_cast<std::size_t>(mine - servers.begin())], world, reporter);
}

}  // namespace comex::api
