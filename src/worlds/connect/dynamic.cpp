#include "worlds/connect/dynamic.h"

#include <algorithm>
#include <array>

#include "core/protocol.h"
#include "runtime/communicator.h"
#include "runtime/environment.h"
#include "runtime/exchange.h"
#include "runtime/opening/world.h"
#include "transport/mpi_collective.h"
#include "worlds/connect/ports/life_watch.h"

namespace comex::worlds {
namespace {

Status check(int code, const char* call) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  std::string line(text.data(), static_cast<std::size_t>(length));
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::ranges::replace(line, '\n', ';');  // a library may explain itself in several lines
  return environment_error(std::string(call) + ": " + line);
}

constexpr int spawn_tag = 0;

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

Status join_in_mpi(MPI_Comm wire, const Roster& roster, BridgeFacts& facts) {
  // On few cores, the awaited ranks need the processor to get here.
  const mpi::YieldScope while_waiting(runtime::mpi_in_use().yield_switch(), true);
  const runtime::Communicator members = communicator_of(wire, roster.ranks);
  std::string name = roster.port;
  name.resize(MPI_MAX_PORT_NAME);
  const runtime::ReturnedErrors errors(members.get());
  const bool accepts = roster.side == MeetingSide::accepts;
  MPI_Comm inter = MPI_COMM_NULL;
  Status met = check((accepts ? PMPI_Comm_accept : PMPI_Comm_connect)(
                         name.data(), MPI_INFO_NULL, static_cast<int>(roster.root), members.get(), &inter),
                     accepts ? "MPI_Comm_accept" : "MPI_Comm_connect");
  if (!met) return met;
  facts.inter = runtime::Communicator(inter);
  const runtime::ReturnedErrors inter_errors(inter);
  MPI_Comm all = MPI_COMM_NULL;
  met = check(PMPI_Intercomm_merge(inter, accepts ? 0 : 1, &all), "MPI_Intercomm_merge");
  if (met) facts.wire = runtime::Communicator(all);
  return met;
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

Children::Children(MPI_Comm inter, Bytes message) : inter_(inter), message_(std::move(message)) {
  PMPI_Isend(message_.data(), static_cast<int>(message_.size()), MPI_BYTE, 0, spawn_tag, inter_, &sending_);
}

Children::~Children() {
  int is_sent = 0;
  PMPI_Test(&sending_, &is_sent, MPI_STATUS_IGNORE);
  if (is_sent == 0) {
    PMPI_Request_free(&sending_);
    static_cast<void>(std::make_unique<Bytes>(std::move(message_)).release());  // MPI may still read it
  }
  PMPI_Comm_free(&inter_);
}

Result<std::unique_ptr<Children>> spawn(const char* program, std::vector<std::string> arguments,
                                        int processes, Bytes message) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  MPI_Comm inter = MPI_COMM_NULL;
  const runtime::ReturnedErrors errors(MPI_COMM_SELF);
  std::vector<int> codes(static_cast<std::size_t>(processes), MPI_SUCCESS);
  Status spawned = check(PMPI_Comm_spawn(program, pointers.data(), processes, MPI_INFO_NULL, 0, MPI_COMM_SELF,
                                         &inter, codes.data()),
                         "MPI or its launcher has started no processes: MPI_Comm_spawn");
  if (!spawned) return spawned.take_failure();
  return std::make_unique<Children>(inter, std::move(message));
}

Bytes hear_spawner(const Deadline& deadline) {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return {};
  const auto& check = runtime::mpi_check();
  check.let_errors_return(parent);
  int rank = 0;
  int bytes = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Status status;
  if (rank == 0) {
    int is_there = 0;
    while (is_there == 0 && !deadline.is_over())
      check(PMPI_Iprobe(0, spawn_tag, parent, &is_there, &status), "MPI_Iprobe");
    if (is_there != 0) PMPI_Get_count(&status, MPI_BYTE, &bytes);
  }
  PMPI_Bcast(&bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  Bytes message(static_cast<std::size_t>(bytes));
  if (rank == 0 && bytes != 0) {
    check(PMPI_Recv(message.data(), bytes, MPI_BYTE, 0, spawn_tag, parent, MPI_STATUS_IGNORE), "MPI_Recv");
  }
  PMPI_Bcast(message.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  PMPI_Comm_free(&parent);
  return message;
}

Result<std::unique_ptr<MpiPort>> MpiPort::open() {
  std::array<char, MPI_MAX_PORT_NAME> port{};
  const runtime::ReturnedErrors errors(MPI_COMM_SELF);
  const runtime::ReturnedErrors world_errors(MPI_COMM_WORLD);
  Status opened =
      check(PMPI_Open_port(MPI_INFO_NULL, port.data()), "MPI or its launcher joins no worlds: MPI_Open_port");
  if (!opened) return opened.take_failure();
  return std::unique_ptr<MpiPort>(new MpiPort(port.data()));
}

MpiPort::~MpiPort() {
  const runtime::ReturnedErrors errors(MPI_COMM_WORLD);
  name_.resize(MPI_MAX_PORT_NAME);
  PMPI_Close_port(name_.data());
}

Result<BridgeFacts> join_sides(const runtime::World& own, const runtime::Reporter& reporter, MPI_Comm wire,
                               const Roster& roster) {
  BridgeFacts facts;
  facts.limit = limit_step(reporter, "meeting", "the other side has not come together with this one in MPI",
                           roster.limit_s);
  facts.limit_s = roster.limit_s;
  Status joined = join_in_mpi(wire, roster, facts);
  if (!joined) return joined.take_failure();
  transport::MpiCollective all(facts.wire.get(),
                               [&reporter](const Failure& failure) { reporter.fatal({}, failure.text); });
  link_worlds(all, own, reporter, facts);
  return facts;
}

void part(MPI_Comm inter) {
  PMPI_Comm_disconnect(&inter);
}

}  // namespace comex::worlds
