// The calls for spawned worlds and for the end of a meeting.
#include <comex/worlds.h>

#include "runtime/call.h"
#include "worlds/agreement/agree.h"
#include "worlds/bridge/bridge.h"
#include "worlds/connect/meeting.h"
#include "worlds/connect/spawn.h"
#include "worlds/joined_worlds.h"

namespace comex::calls {
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
