// Spawned worlds: start one, meet one's parents.
//
//   root: is there such a program? ── opens a port ── MPI_Comm_spawn, alone, with the port in the environment
//   members and progress ranks of the parents: go on serving
//   children: comex_init opens their own world, then connects to the port; the parents' root accepts
#include "api/worlds/spawn.h"

#include <comex/worlds.h>

#include "api/call.h"
#include "api/environment.h"
#include "api/worlds/arguments.h"
#include "api/worlds/find_command.h"
#include "api/worlds/meeting.h"
#include "api/worlds/time_limit.h"
#include "groups/worlds/dynamic.h"

namespace comex::api {
namespace {

struct Spawn {
  std::string command;
  std::vector<std::string> arguments;
  int processes = 0;
};

// On the root: elsewhere these arguments may be anything.
Spawn read_spawn(const char* command, char* const argv[], int processes) {
  Spawn spawn;
  spawn.processes = processes;
  if (command != nullptr) spawn.command = command;
  for (char* const* argument = argv; argument != nullptr && *argument != nullptr; ++argument) {
    spawn.arguments.emplace_back(*argument);
  }
  return spawn;
}

// Without a launcher nobody is there to start processes; MPI would wait for ever.
bool has_launcher() {
  return environment_lookup()("OMPI_MCA_orte_hnp_uri").has_value();
}

// What the parents were told to do holds for their children, wherever it was said: the launcher itself hands
// on only its own environment. What is of one rank or host stays there; how much is said is everybody's.
std::vector<std::pair<std::string, std::string>> environment_of_children(const Settings& settings,
                                                                         const groups::PortName& port) {
  std::vector<std::pair<std::string, std::string>> lines{{spawned_name, groups::format_port(port)}};
  for (const SettingRow& row : setting_rows()) {
    const bool is_for_all = row.scope == Scope::job || row.id == SettingId::verbose;
    if (is_for_all && settings.is_explicit(row.id))
      lines.emplace_back(row.name, value_text(settings, row.id));
  }
  return lines;
}

Result<groups::Listener> start(Runtime& runtime, const Spawn& spawn) {
  if (spawn.processes < 1) {
    return caller_error("it needs processes >= 1, not " + std::to_string(spawn.processes));
  }
  if (!has_launcher()) {
    return environment_error("this process was started without mpirun, so there is nobody to start others");
  }
  Result<std::string> path =
      find_command(spawn.command, environment_lookup()("PATH").value_or(""), is_program);
  if (!path) return path.take_failure();
  Result<groups::Listener> listener = groups::Listener::open("");
  if (!listener) return listener.take_failure();
  groups::SpawnPlan plan;
  plan.command = path.value();
  plan.arguments = spawn.arguments;
  plan.processes = spawn.processes;
  plan.environment = environment_of_children(runtime.world->settings, listener->name());
  const TimeLimit limit(runtime.reporter, "world_spawn", plan.command + " has not come to MPI_Init",
                        static_cast<double>(runtime.world->settings.meet_s));
  Status started = groups::spawn(plan);
  if (!started) return started.take_failure();
  return listener;
}

Result<Conversation> start_and_await(Runtime& runtime, const Spawn& spawn, const InVain& in_vain) {
  Result<groups::Listener> listener = start(runtime, spawn);
  if (!listener) return listener.take_failure();
  const Deadline deadline(static_cast<double>(runtime.world->settings.meet_s));
  Result<Conversation> met = Conversation::await(runtime, "world_spawn", listener.value(), deadline, in_vain);
  if (met) return met;
  return environment_error(spawn.command +
                           " has been started, but its processes have not come through comex_init within " +
                           deadline.text() + " (COMEX_MEET_S)");
}

}  // namespace

void let_go_of_parents() {
  if (environment_lookup()(spawned_name)) groups::leave_parent();
}

int meet_parents(Runtime& runtime) {
  const auto port = environment_lookup()(spawned_name);
  if (!port) return COMEX_SUCCESS;
  Meeting meeting;
  meeting.operation = "init";
  meeting.side = groups::Side::connects;
  meeting.is_spawn = true;
  meeting.begin = [&](const InVain& in_vain) -> Result<Conversation> {
    Result<groups::PortName> name = groups::parse_port(*port);
    if (!name) return name.take_failure();
    return Conversation::seek(runtime, "init", name.value(),
                              Deadline(static_cast<double>(runtime.world->settings.meet_s)), in_vain);
  };
  int parent = no_group;
  const int result = hold_meeting(runtime, meeting, &parent);
  runtime.meetings.parent = parent;
  return result;
}

}  // namespace comex::api

using namespace comex::api;

int comex_world_spawn(const char* command, char* const argv[], int processes, int root, comex_group_t group,
                      comex_group_t* children) {
  const char* name = "world_spawn";
  Runtime* runtime = enter(name);
  const CallScope call(name, group);
  if (runtime == nullptr || !may_all_meet(*runtime, name, group, root, children)) return COMEX_FAILURE;
  Meeting meeting;
  meeting.operation = name;
  meeting.group = group;
  meeting.root = root;
  meeting.is_spawn = true;
  meeting.begin = [&](const InVain& in_vain) {
    return start_and_await(*runtime, read_spawn(command, argv, processes), in_vain);
  };
  return hold_meeting(*runtime, meeting, children);
}

int comex_world_parent(comex_group_t* parent) {
  Runtime* runtime = enter("world_parent");
  if (runtime == nullptr || !has_place(*runtime, "world_parent", parent)) return COMEX_FAILURE;
  const int handle = runtime->meetings.parent;
  *parent = handle == no_group ? COMEX_GROUP_NULL : handle;
  return COMEX_SUCCESS;
}
