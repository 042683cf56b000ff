#include "worlds/connect/leader_connection.h"

#include <array>
#include <cstdio>

#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {
std::string Deadline::text() const {
  std::array<char, 32> shown{};
  std::snprintf(shown.data(), shown.size(), "%g s", seconds_);
  return shown.data();
}

Result<LeaderConnection> LeaderConnection::await(runtime::Runtime& runtime, const char* operation,
                                                 Listener& listener, const Deadline& deadline,
                                                 const ShouldAbort& should_abort) {
  PortListener handshake(listener, deadline);
  runtime.engine().wait([&] { return handshake.look(Deadline::Clock::now()) || should_abort(); },
                        {operation});
  if (handshake.has_entered()) return LeaderConnection(handshake.take());
  return environment_error("nobody has connected to " + format_place(listener.name()) + " within " +
                           deadline.text());
}

Result<LeaderConnection> LeaderConnection::seek(runtime::Runtime& runtime, const char* operation,
                                                const PortName& port, const Deadline& deadline,
                                                const ShouldAbort& should_abort) {
  Result<std::vector<Address>> addresses = resolve(port);
  if (!addresses) return addresses.take_failure();
  PortConnector connector(std::move(addresses).value(), port.cookie, deadline);
  runtime.engine().wait([&] { return connector.look(Deadline::Clock::now()) || should_abort(); },
                        {operation});
  if (connector.is_in()) return LeaderConnection(connector.take());
  if (!connector.has_socket()) return connector.has_socket().failure();
  return environment_error("nobody accepts at " + format_place(port) + " within " + deadline.text() + " (" +
                           connector.last_error() + ")");
}

Result<Bytes> LeaderConnection::receive(runtime::Runtime& runtime, const char* operation,
                                        const Deadline& deadline, const ShouldAbort& should_abort) {
  std::optional<Bytes> frame;
  runtime.engine().wait(
      [&] {
        const bool is_open = channel_.step();
        frame = channel_.take();
        return frame || !is_open || deadline.is_over() || should_abort();
      },
      {operation});
  if (frame) return std::move(*frame);
  if (!channel_.is_open()) return environment_error(how_it_ended());
  return environment_error("the other side has not answered within " + deadline.text());
}

}  // namespace comex::worlds
