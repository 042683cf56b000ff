#include "worlds/connect/join.h"

#include <algorithm>
#include <array>

#include "core/protocol.h"
#include "runtime/exchange.h"
#include "runtime/mpi_in_use.h"
#include "runtime/opening/world.h"
#include "transport/mpi_collective.h"
#include "worlds/agreement/deadline.h"
#include "worlds/connect/ports/life_watch.h"
#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {
namespace {

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

// What each process tells all others before they link their worlds. Travels as bytes.
struct LinkRow {
  WorldId world = 0;
  std::uint32_t dead_workers = 0;
  std::array<char, 320> port = {};  // where it accepts links; empty: the system refuses it one
};

// The step has a limit, which ends the job. A link that does not come must not take all of it.
double patience_s(double limit_s) {
  return std::min(5.0, std::max(limit_s / 3, limit_s - 2));
}

void link_worlds(transport::Collective& all, const runtime::World& own, const runtime::Reporter& reporter,
                 BridgeFacts& facts) {
  Listener listener;
  if (Result<Listener> opened = Listener::open(""); opened) listener = std::move(opened).value();
  LinkRow mine{.world = own.id, .dead_workers = own.failures.dead_workers()};
  if (listener.is_open()) format_port(listener.name()).copy(mine.port.data(), mine.port.size() - 1);
  const std::vector<LinkRow> rows = runtime::gather(all, mine);
  std::vector<WorldId> worlds;
  for (const LinkRow& row : rows) {
    worlds.push_back(row.world);
    if (row.world == own.id) facts.dead_workers = std::max(facts.dead_workers, row.dead_workers);
  }
  const LivenessPlan plan = plan_links(worlds, static_cast<std::uint32_t>(all.rank()));
  std::vector<std::pair<WorldId, PortName>> others;
  for (const std::uint32_t other : plan.connects_to) {
    Result<PortName> port = parse_port(rows[other].port.data());
    others.emplace_back(worlds[other], port ? std::move(port).value() : PortName());
  }
  MadeLinks made = make_links(own.id, others, listener, plan.awaits, Deadline(patience_s(facts.limit_s)));
  const std::size_t missing = others.size() + plan.awaits - made.links.size();
  if (missing != 0) {
    reporter.notice("the death of a world may go unnoticed, for want of links: " + std::to_string(missing) +
                    (made.trouble.empty() ? "" : "; " + made.trouble));
  }
  facts.links = std::move(made.links);
}

}  // namespace

Result<BridgeFacts> join_sides(const runtime::World& own, const runtime::Reporter& reporter, MPI_Comm wire,
                               const Roster& roster) {
  BridgeFacts facts;
  facts.limit = limit_step(reporter, "meeting", "the other side has not come together with this one in MPI",
                           roster.limit_s);
  facts.limit_s = roster.limit_s;
  Result<JoinedComms> joined = join_in_mpi(wire, roster);
  if (!joined) return joined.take_failure();
  facts.wire = std::move(joined->all);
  facts.inter = std::move(joined->inter);
  transport::MpiCollective all(facts.wire.get(),
                               [&reporter](const Failure& failure) { reporter.fatal({}, failure.text); });
  link_worlds(all, own, reporter, facts);
  return facts;
}

}  // namespace comex::worlds
