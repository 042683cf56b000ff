#include "worlds/connect/join.h"

#include <algorithm>
#include <array>

#include "core/protocol.h"
#include "runtime/exchange.h"
#include "runtime/mpi_in_use.h"
#include "runtime/runtime.h"
#include "transport/mpi_collective.h"
#include "worlds/agreement/deadline.h"
#include "worlds/bridge/bridge_services.h"
#include "worlds/connect/ports/life_watch.h"
#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {
namespace {

constexpr const char* operation = "meeting";

// It lies between the tags of bodies and of the transport's own probe, so no message of the wire uses it.
constexpr int roster_tag = 32766;
static_assert(protocol::get_tag(protocol::slot_count - 1) < roster_tag);

// Neighbouring blocks join in pairs: 1 with 1, 2 with 2, 4 with 4 and so on.
runtime::Communicator communicator_of(MPI_Comm wire, const std::vector<TransportRank>& ranks) {
  int mine_in_wire = 0;
  const auto& check = runtime::mpi_check();
  check(PMPI_Comm_rank(wire, &mine_in_wire), "MPI_Comm_rank");
  const auto me = static_cast<std::size_t>(std::ranges::find(ranks, mine_in_wire) - ranks.begin());
  COMEX_BUG_IF(me == ranks.size());
  runtime::Communicator joined = runtime::Communicator::duplicate(MPI_COMM_SELF);
  for (std::size_t width = 1; width < ranks.size(); width *= 2) {
    const std::size_t mine = me / width * width;
    const std::size_t other = mine ^ width;
    if (other >= ranks.size()) continue;
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Comm merged = MPI_COMM_NULL;
    check.let_errors_return(joined.get());
    check(PMPI_Intercomm_create(joined.get(), 0, wire, ranks[other], roster_tag, &both),
          "MPI_Intercomm_create");
    check.let_errors_return(both);
    check(PMPI_Intercomm_merge(both, mine > other ? 1 : 0, &merged), "MPI_Intercomm_merge");
    PMPI_Comm_free(&both);
    joined = runtime::Communicator(merged);
  }
  return joined;
}

Result<JoinedComms> join_in_mpi(MPI_Comm wire, const Roster& roster) {
  // On few cores, the awaited ranks need the processor to get here.
  const mpi::YieldScope while_waiting(runtime::mpi_in_use().yield_switch(), true);
  const runtime::Communicator members = communicator_of(wire, roster.ranks);
  return join(roster.side, roster.port, static_cast<int>(roster.root), members.get());
}

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

// `dead_workers`: of the own world, as this process knows.
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

Result<BridgeFacts> join_sides(const runtime::Reporter& reporter, MPI_Comm wire, const runtime::World& own,
                               const Roster& roster) {
  Result<JoinedComms> joined = join_in_mpi(wire, roster);
  if (!joined) return joined.take_failure();
  BridgeFacts facts;
  facts.wire = std::move(joined->all);
  facts.inter = std::move(joined->inter);
  facts.limit_s = roster.limit_s;
  transport::MpiCollective all(facts.wire.get(),
                               [&reporter](const Failure& failure) { reporter.fatal({}, failure.text); });
  facts.links = link_worlds(all, own.id, own.failures.dead_workers(), roster.limit_s, reporter);
  return facts;
}

// Held until the links are watched, because no death would be noticed before.
TimeLimit limit_of_meeting(const runtime::Reporter& reporter, const Roster& roster) {
  return limit_step(reporter, operation, "the other side has not come together with this one in MPI",
                    roster.limit_s);
}

}  // namespace

Result<BridgeId> join_bridge(runtime::Runtime& runtime, MPI_Comm wire, const Roster& roster) {
  const TimeLimit limit = limit_of_meeting(runtime.reporter(), roster);
  Result<BridgeFacts> facts = join_sides(runtime.reporter(), wire, runtime.world(), roster);
  if (!facts) return facts.take_failure();
  return open_bridge(runtime, std::move(facts).value());
}

void join_bridge(BridgeServices& services, MPI_Comm wire, const Roster& roster) {
  const TimeLimit limit = limit_of_meeting(services.reporter(), roster);
  Result<BridgeFacts> facts = join_sides(services.reporter(), wire, services.world(), roster);
  // Without them, the worker that leads reports why.
  if (facts) services.open_bridge(std::move(facts).value());
}

}  // namespace comex::worlds
