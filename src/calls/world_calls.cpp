// The calls by which worlds meet: spawn, the runtime's own ports (open, close, accept, connect), and the end
// of a meeting.
#include <comex/worlds.h>

#include <cstring>

#include "runtime/call.h"
#include "worlds/agreement/agree.h"
#include "worlds/bridge/bridge.h"
#include "worlds/connect/meeting.h"
#include "worlds/connect/spawn.h"
#include "worlds/joined_worlds.h"

namespace comex::calls {
using namespace worlds;
namespace {

// Called on the root only, since these arguments may be anything elsewhere.
worlds::Spawn read_spawn(const char* command, char* const argv[], int processes) {
  worlds::Spawn spawn;
  spawn.processes = processes;
  if (command != nullptr) spawn.command = command;
  for (char* const* argument = argv; argument != nullptr && *argument != nullptr; ++argument) {
    spawn.arguments.emplace_back(*argument);
  }
  return spawn;
}

constexpr const char* accepting = "world_accept";
constexpr const char* connecting = "world_connect";

Result<FramedSocket> await_at(runtime::Runtime& runtime, const PortName& port, const Deadline& deadline,
                              const ShouldAbort& should_abort) {
  const auto listener = worlds::joined_worlds(runtime).ports.find(format_port(port));
  if (listener != nullptr) return await_leader(runtime, accepting, *listener, deadline, should_abort);
  return caller_error("this process has no such port open at " + format_place(port) +
                      "; the root accepts at a port that it has opened itself");
}

// Finds the other root at the port, from either side.
Result<FramedSocket> find_root(runtime::Runtime& runtime, worlds::MeetingSide side, const char* port,
                               double timeout_s, const ShouldAbort& should_abort) {
  if (!(timeout_s >= 0)) {
    return caller_error("the time limit is " + std::to_string(timeout_s) + " s; it is a number from 0 up");
  }
  if (port == nullptr) return caller_error("the port is null");
  Result<PortName> name = parse_port(port);
  if (!name) return name.take_failure();
  const Deadline deadline(timeout_s);
  if (side == worlds::MeetingSide::accepts) return await_at(runtime, name.value(), deadline, should_abort);
  return seek_leader(runtime, connecting, name.value(), deadline, should_abort);
}

int meet_at(const char* port, Meeting meeting, double timeout_s, comex_group_t* peer) {
  runtime::Runtime* runtime = runtime::enter(meeting.operation);
  const runtime::CallScope call(meeting.operation, meeting.group);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (const int code = check_all_meet(*runtime, meeting.operation, meeting.group, meeting.root, peer);
      code != COMEX_SUCCESS)
    return code;
  const worlds::MeetingSide side = meeting.side;
  meeting.begin = [&](const ShouldAbort& should_abort) {
    return find_root(*runtime, side, port, timeout_s, should_abort);
  };
  return run_meeting(*runtime, meeting, peer);
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_world_spawn(const char* command, char* const argv[], int processes, int root, comex_group_t group,
                      comex_group_t* children) {
  const char* name = "world_spawn";
  runtime::Runtime* runtime = runtime::enter(name);
  const runtime::CallScope call(name, group);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (const int code = worlds::check_all_meet(*runtime, name, group, root, children); code != COMEX_SUCCESS)
    return code;
  worlds::Meeting meeting{.operation = name, .group = group, .root = root, .is_spawn = true};
  meeting.begin = [&](const worlds::ShouldAbort& should_abort) {
    return worlds::start_and_await(*runtime, read_spawn(command, argv, processes), should_abort);
  };
  return worlds::run_meeting(*runtime, meeting, children);
}

int comex_world_parent(comex_group_t* parent) {
  return runtime::tell("world_parent", parent, [](runtime::Runtime& runtime) {
    const int handle = worlds::joined_worlds(runtime).parent;
    return handle == worlds::no_group ? COMEX_GROUP_NULL : handle;
  });
}

int comex_world_disconnect(comex_group_t* peer) {
  const char* name = "world_disconnect";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (peer == nullptr)
    return runtime->reporter().fail({.operation = name}, "the place of the group's handle is null");
  groups::Group* group = runtime::enter_group(*runtime, name, *peer);
  if (group == nullptr) return COMEX_FAILURE;
  if (*peer == COMEX_GROUP_WORLD || *peer == COMEX_GROUP_SELF) {
    return runtime->reporter().fail({.operation = name},
                                    "the group is one of the own world; it lives until finalize");
  }
  const runtime::CallScope call(name, *peer);
  const int result = worlds::disconnect(*runtime, *group, *peer);
  *peer = COMEX_GROUP_NULL;
  return result == COMEX_FAILURE ? runtime::failed_on_the_way(*runtime, runtime->has_lost_hosts()) : result;
}

int comex_world_open_port(char* port, int port_bytes) {
  const char* name = "world_open_port";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr || !runtime::has_place(*runtime, name, port)) return COMEX_FAILURE;
  auto listener = Listener::open("");
  if (!listener) return runtime->reporter().fail({.operation = name}, listener.failure());
  const std::string text = format_port(listener->name());
  if (port_bytes < 0 || text.size() >= static_cast<std::size_t>(port_bytes)) {
    return runtime->reporter().fail({.operation = name},
                                    "the place for the port holds " + std::to_string(port_bytes) +
                                        " bytes; this one needs " + std::to_string(text.size() + 1));
  }
  worlds::joined_worlds(*runtime).ports.add(std::move(listener).value());
  std::memcpy(port, text.c_str(), text.size() + 1);
  return COMEX_SUCCESS;
}

int comex_world_close_port(const char* port) {
  const char* name = "world_close_port";
  runtime::Runtime* runtime = runtime::enter(name);
  if (runtime == nullptr) return COMEX_FAILURE;
  if (port == nullptr) return runtime->reporter().fail({.operation = name}, "the port is null");
  auto parsed = parse_port(port);
  if (!parsed) return runtime->reporter().fail({.operation = name}, parsed.failure());
  if (worlds::joined_worlds(*runtime).ports.remove(format_port(parsed.value()))) return COMEX_SUCCESS;
  return runtime->reporter().fail({.operation = name}, "this process has no such port open");
}

int comex_world_accept(const char* port, int root, comex_group_t group, double timeout_s,
                       comex_group_t* peer) {
  return meet_at(port,
                 {.operation = accepting, .group = group, .root = root, .side = worlds::MeetingSide::accepts},
                 timeout_s, peer);
}

int comex_world_connect(const char* port, int root, comex_group_t group, double timeout_s,
                        comex_group_t* peer) {
  return meet_at(
      port, {.operation = connecting, .group = group, .root = root, .side = worlds::MeetingSide::connects},
      timeout_s, peer);
}
