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
  const pr::CpuMask& core = topology.cores()[choice.core];
  const std::string where =
      "progress rank " + std::to_string(world.wire.rank()) + " on processors " + core.text();
  const Status bound = topology.bind(core);
  if (!bound) {
    reporter.notice(where + ": not bound: " + bound.failure().text);
  } else if (choice.shared) {
    reporter.notice(where + " shares its core: the host has no free one");
  } else if (world.settings.verbose) {
    reporter.notice(where + " has a core of its own");
  }
}

}  // namespace

void bind_progress_ranks(transport::Collective& host, const World& world, const Reporter& reporter) {
  if (world.settings.bind != BindMode::progress || world.own_host().progress_ranks.empty()) return;
  const pr::Topology topology = pr::Topology::load();
  const std::vector<pr::CpuMask> bindings = gather(host, topology.binding());
  if (!topology.available()) {
    if (host.rank() == 0) reporter.notice("COMEX_BIND=progress binds nothing: " + topology.notice());
    return;
  }
  const auto& ranks = world.own_host().ranks;
  const auto& servers = world.own_host().progress_ranks;
  std::vector<pr::CpuMask> workers;
  std::vector<pr::CpuMask> progress(servers.size());
  for (std::size_t slot = 0; slot < ranks.size(); ++slot) {
    const auto server = std::ranges::find(servers, ranks[slot]);
    if (server == servers.end()) {
      workers.push_back(bindings[slot]);
    } else {
      progress[static_cast<std::size_t>(server - servers.begin())] = bindings[slot];
    }
  }
  const auto choices = pr::choose_cores(topology.cores(), workers, progress);
  const auto mine = std::ranges::find(servers, world.wire.rank());
  if (mine == servers.end() || choices.empty()) return;
  bind_to(topology, choices[static_cast<std::size_t>(mine - servers.begin())], world, reporter);
}

}  // namespace comex::api
