#include "runtime/opening/bind.h"

#include <algorithm>
#include <string>
#include <vector>

#include "pr/setup/placement.h"
#include "runtime/exchange.h"

namespace comex::runtime {
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

void bind_progress_ranks(transport::Collective& machine, const World& world, const Reporter& reporter) {
  if (world.settings.bind != BindMode::progress || world.share.progress == 0) return;
  struct Bound {
    pr::CpuMask cpus;
    bool serves = false;
  };
  const pr::Topology topology = pr::Topology::load();
  const std::vector<Bound> ranks =
      gather(machine, Bound{topology.binding(), world.place.role == pr::Role::progress});
  if (!topology.available()) {
    if (world.place.local_index == 0)
      reporter.notice("COMEX_BIND=progress binds nothing: " + topology.notice());
    return;
  }
  std::vector<pr::CpuMask> workers;
  std::vector<pr::CpuMask> progress;
  std::size_t mine = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (rank == static_cast<std::size_t>(machine.rank())) mine = progress.size();
    (ranks[rank].serves ? progress : workers).push_back(ranks[rank].cpus);
  }
  if (world.is_worker()) return;
  const auto choices = pr::choose_cores(topology.cores(), workers, progress);
  if (!choices.empty()) bind_to(topology, choices[mine], world, reporter);
}

}  // namespace comex::runtime
