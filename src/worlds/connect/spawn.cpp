// Spawned worlds: starts one, and meets the parents from one.
//
//   root: finds the program ── opens a port ── MPI_Comm_spawn, alone ── sends port, launch and job number
//   members and progress ranks of the parents: go on serving
//   children: comex_init opens their world, then connects to the port; the parents' root accepts
#include "worlds/connect/spawn.h"

#include <comex/worlds.h>

#include <filesystem>
#include <system_error>

#include "core/packing.h"
#include "groups/world_identity.h"
#include "runtime/call.h"
#include "runtime/environment.h"
#include "worlds/connect/dynamic.h"
#include "worlds/connect/meeting.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {
namespace {

// The standard has no way to hand an environment to children. So `env` is spawned, which becomes the program.
constexpr const char* becomes_program = "/usr/bin/env";

// The parents' settings also hold for their children, wherever they were set, although the launcher passes on
// only its own environment. Settings of one rank or host are left out, but the verbosity is passed on.
std::vector<std::string> arguments_of_env(const Settings& settings, const std::string& program,
                                          const std::vector<std::string>& arguments) {
  std::vector<std::string> all{std::string(spawned_name) + "=1"};
  for (const SettingRow& row : setting_rows()) {
    const bool is_for_all = row.scope == Scope::job || row.id == SettingId::verbose;
    if (is_for_all && settings.is_explicit(row.id))
      all.push_back(std::string(row.name) + "=" + value_text(settings, row.id));
  }
  all.push_back(program);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

// What the children receive: see runtime::Parents.
Result<Bytes> message_to_children(runtime::Runtime& runtime, const PortName& port) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::uint32_t spawns = joined_worlds(runtime).spawns++;
  std::optional<std::uint32_t> job = 0;  // the launcher gives the children their number
  if (!runtime::launched_process().job) {
    job = groups::job_of_spawn(runtime.world().id, static_cast<std::uint32_t>(rank), spawns);
  }
  if (!job) {
    return caller_error(
        "no number is left for the job that it would be; start another launch for further worlds");
  }
  return Packer().value(runtime.world().description.launch).value(*job).text(format_port(port)).take();
}

// They come to the port.
Result<std::unique_ptr<Children>> start(runtime::Runtime& runtime, const Spawn& spawn, const PortName& port) {
  if (spawn.processes < 1) {
    return caller_error("it needs processes >= 1, not " + std::to_string(spawn.processes));
  }
  if (!runtime::launched_process().is_launched) {
    return environment_error("this process was started without mpirun, so there is nobody to start others");
  }
  Result<std::string> path =
      find_command(spawn.command, runtime::environment_lookup()("PATH").value_or(""), is_program);
  if (!path) return path.take_failure();
  if (path->find('=') != std::string::npos) {
    return caller_error(
        path.value() +
        " has a = in its path, by which env would take it for a variable; call it by another path");
  }
  Result<Bytes> message = message_to_children(runtime, port);
  if (!message) return message.take_failure();
  const Settings& settings = runtime.world().settings;
  const TimeLimit limit =
      limit_step(runtime.reporter(), "world_spawn", path.value() + " has not come to MPI_Init",
                 static_cast<double>(settings.meet_s));
  return worlds::spawn(becomes_program, arguments_of_env(settings, path.value(), spawn.arguments),
                       spawn.processes, std::move(message).value());
}

}  // namespace

Result<FramedSocket> start_and_await(runtime::Runtime& runtime, const Spawn& spawn,
                                     const ShouldAbort& should_abort) {
  Result<Listener> listener = Listener::open("");
  if (!listener) return listener.take_failure();
  Result<std::unique_ptr<Children>> children = start(runtime, spawn, listener->name());
  if (!children) return children.take_failure();
  const Deadline deadline(static_cast<double>(runtime.world().settings.meet_s));
  Result<FramedSocket> met = await_leader(runtime, "world_spawn", listener.value(), deadline, should_abort);
  if (met) return met;
  return environment_error(spawn.command +
                           " has been started, but its processes have not come through comex_init within " +
                           deadline.text() + " (COMEX_MEET_S)");
}

Result<std::string> find_command(std::string_view command, std::string_view search_path,
                                 const IsProgram& is_there) {
  const std::string name(command);
  if (name.empty()) return caller_error("it needs a command");
  if (name.find('/') != std::string::npos) {
    if (is_there(name)) return name;
    return caller_error("there is no program " + name + " that could be started");
  }
  while (!search_path.empty()) {
    const std::size_t end = search_path.find(':');
    const std::string directory(search_path.substr(0, end));
    const std::string path = (directory.empty() ? "." : directory) + "/" + name;
    if (is_there(path)) return path;
    search_path = end == std::string_view::npos ? std::string_view() : search_path.substr(end + 1);
  }
  if (is_there("./" + name)) return "./" + name;
  return caller_error("there is no program " + name +
                      " in the directories of PATH nor in the working directory");
}

bool is_program(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  constexpr fs::perms executable = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  return !failed && fs::is_regular_file(status) && (status.permissions() & executable) != fs::perms::none;
}

std::optional<runtime::Parents> hear_parents() {
  const Lookup lookup = runtime::environment_lookup();
  if (!lookup(spawned_name)) return std::nullopt;
  const Result<Settings> settings = parse_settings(lookup);  // init says what is wrong with them
  const Bytes bytes =
      hear_spawner(Deadline(static_cast<double>(settings ? settings->meet_s : Settings().meet_s)));
  Unpacker message(bytes);
  runtime::Parents parents;
  parents.launch = message.value<Id128>();
  parents.job = message.value<std::uint32_t>();
  parents.port = message.text();
  if (!message.is_done()) return runtime::Parents();
  return parents;
}

int meet_parents(runtime::Runtime& runtime) {
  const std::optional<runtime::Parents>& parents = runtime.world().parents;
  if (!parents) return COMEX_SUCCESS;
  Meeting meeting;
  meeting.operation = "init";
  meeting.side = MeetingSide::connects;
  meeting.is_spawn = true;
  meeting.begin = [&](const ShouldAbort& should_abort) -> Result<FramedSocket> {
    if (!parents->are_known()) {
      return environment_error(std::string(spawned_name) +
                               " is set, but no world_spawn has said within COMEX_MEET_S that it has started "
                               "this job; unset it if none has");
    }
    Result<PortName> name = parse_port(parents->port);
    if (!name) return name.take_failure();
    return seek_leader(runtime, "init", name.value(),
                       Deadline(static_cast<double>(runtime.world().settings.meet_s)), should_abort);
  };
  int parent = no_group;
  const int result = run_meeting(runtime, meeting, &parent);
  joined_worlds(runtime).parent = parent;
  return result;
}

}  // namespace comex::worlds
