// Spawned worlds: starts one, and meets the parents from one.
//
//   root: finds the program ── opens a port ── MPI_Comm_spawn, alone, with the port in the environment
//   members and progress ranks of the parents: go on serving
//   children: comex_init opens their own world, then connects to the port; the parents' root accepts
#include "worlds/connect/spawn.h"

#include <comex/worlds.h>

#include "runtime/call.h"
#include "runtime/environment.h"
#include "worlds/agreement/arguments.h"
#include "worlds/connect/dynamic.h"
#include "worlds/connect/find_command.h"
#include "worlds/connect/meeting.h"
#include "worlds/connect/time_limit.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {
namespace {

// Without a launcher, nothing can start processes, and MPI would wait for ever.
bool has_launcher() {
  return runtime::environment_lookup()("OMPI_MCA_orte_hnp_uri").has_value();
}

// The parents' settings also hold for their children, wherever they were set, although the launcher passes on
// only its own environment. Settings of one rank or host are left out, but the verbosity is passed on.
std::vector<std::pair<std::string, std::string>> environment_of_children(const Settings& settings,
                                                                         const PortName& port) {
  std::vector<std::pair<std::string, std::string>> lines{{spawned_name, format_port(port)}};
  for (const SettingRow& row : setting_rows()) {
    const bool is_for_all = row.scope == Scope::job || row.id == SettingId::verbose;
    if (is_for_all && settings.is_explicit(row.id))
      lines.emplace_back(row.name, value_text(settings, row.id));
  }
  return lines;
}

Result<Listener> start(runtime::Runtime& runtime, const Spawn& spawn) {
  if (spawn.processes < 1) {
    return caller_error("it needs processes >= 1, not " + std::to_string(spawn.processes));
  }
  if (!has_launcher()) {
    return environment_error("this process was started without mpirun, so there is nobody to start others");
  }
  Result<std::string> path =
      find_command(spawn.command, runtime::environment_lookup()("PATH").value_or(""), is_program);
  if (!path) return path.take_failure();
  Result<Listener> listener = Listener::open("");
  if (!listener) return listener.take_failure();
  SpawnPlan plan;
  plan.command = path.value();
  plan.arguments = spawn.arguments;
  plan.processes = spawn.processes;
  plan.environment = environment_of_children(runtime.world().settings, listener->name());
  const TimeLimit limit(runtime.reporter(), "world_spawn", plan.command + " has not come to MPI_Init",
                        static_cast<double>(runtime.world().settings.meet_s));
  Status started = worlds::spawn(plan);
  if (!started) return started.take_failure();
  return listener;
}

}  // namespace

Result<LeaderConnection> start_and_await(runtime::Runtime& runtime, const Spawn& spawn,
                                         const ShouldAbort& should_abort) {
  Result<Listener> listener = start(runtime, spawn);
  if (!listener) return listener.take_failure();
  const Deadline deadline(static_cast<double>(runtime.world().settings.meet_s));
  Result<LeaderConnection> met =
      LeaderConnection::await(runtime, "world_spawn", listener.value(), deadline, should_abort);
  if (met) return met;
  return environment_error(spawn.command +
                           " has been started, but its processes have not come through comex_init within " +
                           deadline.text() + " (COMEX_MEET_S)");
}

void let_go_of_parents() {
  if (runtime::environment_lookup()(spawned_name)) leave_parent();
}

int meet_parents(runtime::Runtime& runtime) {
  const auto port = runtime::environment_lookup()(spawned_name);
  if (!port) return COMEX_SUCCESS;
  Meeting meeting;
  meeting.operation = "init";
  meeting.side = Side::connects;
  meeting.is_spawn = true;
  meeting.begin = [&](const ShouldAbort& should_abort) -> Result<LeaderConnection> {
    Result<PortName> name = parse_port(*port);
    if (!name) return name.take_failure();
    return LeaderConnection::seek(runtime, "init", name.value(),
                                  Deadline(static_cast<double>(runtime.world().settings.meet_s)),
                                  should_abort);
  };
  int parent = no_group;
  const int result = hold_meeting(runtime, meeting, &parent);
  joined_worlds(runtime).meetings.parent = parent;
  return result;
}

}  // namespace comex::worlds
