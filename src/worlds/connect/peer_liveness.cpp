#include "worlds/connect/peer_liveness.h"

#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/exchange.h"

namespace comex::worlds {
namespace {

// The step has a limit, which ends the job. A link that does not come must not take all of it.
double patience_s(double limit_s) {
  return std::min(5.0, std::max(limit_s / 3, limit_s - 2));
}

// Runs it beside the caller. Where the system has no thread for that, it does not run, and the result is what
// `refused` makes of the reason.
template <class Run, class Refused>
auto beside(Run run, const Refused& refused) -> std::future<decltype(run())> {
  try {
    return std::async(std::launch::async, std::move(run));
  } catch (const std::system_error& error) {
    std::promise<decltype(run())> never_run;
    never_run.set_value(refused("pthread_create: " + error.code().message()));
    return never_run.get_future();
  }
}

// Where each process accepts links.
std::vector<PortName> exchange_ports(transport::Collective& all, const std::optional<Listener>& mine) {
  std::array<char, 320> own{};
  if (mine) format_port(mine->name()).copy(own.data(), own.size() - 1);
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

  std::optional<Listener> listener;
  if (plan.awaits != 0) {
    Result<Listener> opened = Listener::open("");
    if (opened) listener.emplace(std::move(opened).value());
  }
  const std::vector<PortName> ports = exchange_ports(all, listener);
  // It runs beside the connecting part, because two processes may wait for each other.
  LivenessLinks came;
  std::future<bool> have_come;
  if (listener) {
    have_come =
        beside([&] { return await_links(*listener, plan.awaits, Deadline(patience_s(limit_s)), came); },
               [](const std::string&) { return false; });
  }
  // All at once: the patience of the others begins now, and one that does not answer takes all of it.
  std::vector<std::future<Result<FramedSocket>>> connecting;
  for (const std::uint32_t other : plan.connects_to) {
    connecting.push_back(
        beside([&, other] { return link_to(ports[other], own, Deadline(patience_s(limit_s))); },
               [](const std::string& why) { return Result<FramedSocket>(environment_error(why)); }));
  }
  LivenessLinks links;
  for (std::size_t i = 0; i < connecting.size(); ++i) {
    const std::uint32_t other = plan.connects_to[i];
    Result<FramedSocket> channel = connecting[i].get();
    if (channel) {
      links.emplace(worlds[other], std::move(channel).value());
    } else {
      reporter.notice("the death of world " + std::to_string(worlds[other]) +
                      " may go unnoticed: " + channel.failure().text);
    }
  }
  if (plan.awaits != 0 && !(listener && have_come.get())) {
    reporter.notice(
        "some processes of other worlds did not connect to this one; their death may go unnoticed");
  }
  links.merge(came);
  return {std::move(links), dead_workers};
}

}  // namespace comex::worlds
