#include "api/worlds/ties.h"

#include <array>
#include <optional>
#include <string>

#include "groups/worlds/tie_plan.h"
#include "transport/mpi_tuning.h"

namespace comex::api {
namespace {

constexpr std::uint64_t patience_ms = 5'000;

struct Door {  // where a process is tied to
  std::array<char, 320> port{};
};

std::vector<groups::PortName> exchange_ports(MPI_Comm all, const std::optional<groups::Listener>& mine,
                                             std::size_t size) {
  Door door;
  if (mine) groups::format_port(mine->name()).copy(door.port.data(), door.port.size() - 1);
  std::vector<Door> doors(size);
  PMPI_Allgather(&door, sizeof door, MPI_BYTE, doors.data(), sizeof door, MPI_BYTE, all);
  std::vector<groups::PortName> ports;
  for (const Door& each : doors) {
    Result<groups::PortName> port = groups::parse_port(each.port.data());
    ports.push_back(port ? std::move(port).value() : groups::PortName());
  }
  return ports;
}

}  // namespace

groups::Ties tie_worlds(MPI_Comm all, WorldId own, const Reporter& reporter) {
  const transport::YieldsInMpi while_waiting(true);
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(all, &rank);
  PMPI_Comm_size(all, &size);
  std::vector<WorldId> worlds(static_cast<std::size_t>(size));
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, worlds.data(), sizeof own, MPI_BYTE, all);
  const groups::TiePlan plan = groups::plan_ties(worlds, static_cast<std::uint32_t>(rank));

  std::optional<groups::Listener> listener;
  if (plan.awaits != 0) {
    Result<groups::Listener> opened = groups::Listener::open("");
    if (opened) listener.emplace(std::move(opened).value());
  }
  const std::vector<groups::PortName> ports = exchange_ports(all, listener, worlds.size());
  groups::Ties ties;
  for (const std::uint32_t other : plan.connects_to) {
    Result<groups::Channel> channel = groups::tie_to(ports[other], own, patience_ms);
    if (channel) {
      ties[worlds[other]].push_back(std::move(channel).value());
    } else {
      reporter.notice("the life of world " + std::to_string(worlds[other]) +
                      " is not watched: " + channel.failure().text);
    }
  }
  if (listener) groups::await_ties(*listener, plan.awaits, patience_ms, ties);
  return ties;
}

}  // namespace comex::api
