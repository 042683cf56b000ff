// Ports of ours: open, close, accept, connect.
#include <comex/worlds.h>

#include <cstring>

#include "api/call.h"
#include "api/worlds/arguments.h"
#include "api/worlds/meeting.h"

namespace comex::api {
namespace {

Result<double> limit_of(double seconds) {
  if (seconds >= 0) return seconds;
  return caller_error("the time limit is " + std::to_string(seconds) + " s; it is a number from 0 up");
}

Result<Conversation> accept(Runtime& runtime, const char* port, double timeout_s) {
  const Result<double> limit = limit_of(timeout_s);
  if (!limit) return limit.failure();
  if (port == nullptr) return caller_error("the port is null");
  Result<groups::PortName> name = groups::parse_port(port);
  if (!name) return name.take_failure();
  const auto listener = runtime.meetings.ports.find(groups::format_port(name.value()));
  if (listener == nullptr) {
    return caller_error("this process has no open port " + groups::format_port(name.value()) +
                        "; the root accepts at a port that it has opened itself");
  }
  return Conversation::await(runtime, *listener, Deadline(limit.value()));
}

Result<Conversation> connect(Runtime& runtime, const char* port, double timeout_s) {
  const Result<double> limit = limit_of(timeout_s);
  if (!limit) return limit.failure();
  if (port == nullptr) return caller_error("the port is null");
  Result<groups::PortName> name = groups::parse_port(port);
  if (!name) return name.take_failure();
  return Conversation::seek(runtime, name.value(), Deadline(limit.value()));
}

}  // namespace
}  // namespace comex::api

using namespace comex::api;

int comex_world_open_port(char* port, int port_bytes) {
  const char* name = "world_open_port";
  Runtime* runtime = enter(name);
  if (runtime == nullptr || !has_place(*runtime, name, port)) return COMEX_FAILURE;
  auto listener = comex::groups::Listener::open("");
  if (!listener) return runtime->reporter.fail({.operation = name}, listener.failure());
  const std::string text = comex::groups::format_port(listener->name());
  if (port_bytes < 0 || text.size() >= static_cast<std::size_t>(port_bytes)) {
    return runtime->reporter.fail({.operation = name},
                                  "the place for the port holds " + std::to_string(port_bytes) +
                                      " bytes; this one needs " + std::to_string(text.size() + 1));
  }
  runtime->meetings.ports.add(std::move(listener).value());
  std::memcpy(port, text.c_str(), text.size() + 1);
  return COMEX_SUCCESS;
}

int comex_world_close_port(const char* port) {
  const char* name = "world_close_port";
  Runtime* runtime = enter(name);
  if (runtime == nullptr || !has_place(*runtime, name, port)) return COMEX_FAILURE;
  auto parsed = comex::groups::parse_port(port);
  if (!parsed) return runtime->reporter.fail({.operation = name}, parsed.failure());
  if (runtime->meetings.ports.remove(comex::groups::format_port(parsed.value()))) return COMEX_SUCCESS;
  return runtime->reporter.fail({.operation = name}, "this process has no such port open");
}

int comex_world_accept(const char* port, int root, comex_group_t group, double timeout_s,
                       comex_group_t* peer) {
  const char* name = "world_accept";
  Runtime* runtime = enter(name);
  if (runtime == nullptr || !is_meeting_group(*runtime, name, group, root, peer)) return COMEX_FAILURE;
  Meeting meeting;
  meeting.operation = name;
  meeting.group = group;
  meeting.root = root;
  meeting.begin = [&] { return accept(*runtime, port, timeout_s); };
  return hold_meeting(*runtime, meeting, peer);
}

int comex_world_connect(const char* port, int root, comex_group_t group, double timeout_s,
                        comex_group_t* peer) {
  const char* name = "world_connect";
  Runtime* runtime = enter(name);
  if (runtime == nullptr || !is_meeting_group(*runtime, name, group, root, peer)) return COMEX_FAILURE;
  Meeting meeting;
  meeting.operation = name;
  meeting.group = group;
  meeting.root = root;
  meeting.side = comex::groups::Side::connects;
  meeting.begin = [&] { return connect(*runtime, port, timeout_s); };
  return hold_meeting(*runtime, meeting, peer);
}
