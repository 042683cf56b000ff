#include "worlds/connect/peer_liveness.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "runtime/exchange.h"

namespace comex::worlds {
namespace {

// The step has a limit, which ends the job. A link that does not come must not take all of it.
double patience_s(double limit_s) {
  return std::min(5.0, std::max(limit_s / 3, limit_s - 2));
}

// Where each process accepts links.
std::vector<PortName> exchange_ports(transport::Collective& all, const Listener& mine) {
  std::array<char, 320> own{};
  if (mine.is_open()) format_port(mine.name()).copy(own.data(), own.size() - 1);
  std::vector<PortName> ports;
  for (const auto& each : runtime::gather(all, own)) {
    Result<PortName> port = parse_port(each.data());
    ports.push_back(port ? std::move(port).value() : PortName());
  }
  return ports;
}

}  // namespace

LivenessPlan plan_links(std::span<const WorldId> worlds, std::uint32_t me) {
  std::map<WorldId, std::vector<std::uint32_t>> members;
  for (std::uint32_t rank = 0; rank < worlds.size(); ++rank) members[worlds[rank]].push_back(rank);
  const std::vector<std::uint32_t>& own = members[worlds[me]];
  const auto place = static_cast<std::size_t>(std::ranges::find(own, me) - own.begin());
  LivenessPlan plan;
  for (const auto& [world, others] : members) {
    if (world == worlds[me]) continue;
    const bool connects = own.size() > others.size() || (own.size() == others.size() && worlds[me] > world);
    if (connects) {
      plan.connects_to.push_back(others[place % others.size()]);
    } else {
      const std::size_t rest = others.size() % own.size();
      plan.awaits += static_cast<std::uint32_t>(others.size() / own.size() + (place < rest ? 1 : 0));
    }
  }
  return plan;
}

LinkedWorlds link_worlds(transport::Collective& all, WorldId own, std::uint32_t dead_workers, double limit_s,
                         const runtime::Reporter& reporter) {
  struct Row {
    WorldId world;
    std::uint32_t dead_workers;
  };
  std::vector<WorldId> worlds;
  for (const Row& row : runtime::gather(all, Row{own, dead_workers})) {
    worlds.push_back(row.world);
    if (row.world == own) dead_workers = std::max(dead_workers, row.dead_workers);
  }
  const LivenessPlan plan = plan_links(worlds, static_cast<std::uint32_t>(all.rank()));

  Listener listener;  // closed where the system refuses it: nobody comes then
  if (plan.awaits != 0) {
    if (Result<Listener> opened = Listener::open(""); opened) listener = std::move(opened).value();
  }
  const std::vector<PortName> ports = exchange_ports(all, listener);
  LinksToMake wanted{own, {}, &listener, listener.is_open() ? plan.awaits : 0};
  for (const std::uint32_t other : plan.connects_to) wanted.others.emplace_back(worlds[other], ports[other]);
  MadeLinks made = make_links(wanted, Deadline(patience_s(limit_s)));
  const std::size_t missing = wanted.others.size() + plan.awaits - made.links.size();
  if (missing != 0) {
    reporter.notice("the death of a world may go unnoticed, for want of links: " + std::to_string(missing) +
                    (made.trouble.empty() ? "" : "; " + made.trouble));
  }
  return {std::move(made.links), dead_workers};
}

}  // namespace comex::worlds
