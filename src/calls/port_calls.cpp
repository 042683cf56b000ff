// The calls for the runtime's own ports: open, close, accept, connect.
#include <comex/worlds.h>

#include <cstring>

#include "runtime/call.h"
#include "worlds/agreement/agree.h"
#include "worlds/connect/meeting.h"
#include "worlds/joined_worlds.h"

namespace comex::calls {
using namespace worlds;
namespace {

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
