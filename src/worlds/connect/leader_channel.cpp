#include "worlds/connect/leader_channel.h"

#include <algorithm>

#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {

Failure members_are_lost() {
  return environment_error("members of the group are lost");
}

Result<FramedSocket> await_leader(runtime::Runtime& runtime, const char* operation, Listener& listener,
                                  const Deadline& deadline, const ShouldAbort& should_abort) {
  PortListener handshake(listener, deadline);
  runtime.engine().wait([&] { return handshake.look(Deadline::Clock::now()) || should_abort(); },
                        {operation});
  if (handshake.has_entered()) return handshake.take();
  const std::string at = format_place(listener.name());
  const std::string what = handshake.has_caller() ? "the guest at " + at + " has not said who it is"
                                                  : "nobody has connected to " + at;
  return environment_error(what + " within " + deadline.text());
}

Result<FramedSocket> seek_leader(runtime::Runtime& runtime, const char* operation, const PortName& port,
                                 const Deadline& deadline, const ShouldAbort& should_abort) {
  Result<std::vector<Address>> addresses = resolve(port);
  if (!addresses) return addresses.take_failure();
  PortConnector connector(std::move(addresses).value(), hello_of_leader(port.cookie), deadline);
  runtime.engine().wait([&] { return connector.look(Deadline::Clock::now()) || should_abort(); },
                        {operation});
  if (connector.is_in()) return connector.take();
  return environment_error("nobody accepts at " + format_place(port) + " within " + deadline.text() + " (" +
                           connector.last_error() + ")");
}

Result<Bytes> MeetingChannel::receive() {
  const Deadline deadline(limit_s_);
  std::optional<Bytes> frame;
  runtime_.engine().wait(
      [&] {
        const bool is_open = other_.step();
        frame = other_.take();
        return frame || !is_open || deadline.is_over() || members_.has_lost();
      },
      {operation_});
  if (frame) return std::move(*frame);
  if (!other_.is_open()) return environment_error(how_it_ended());
  return environment_error("the other side has not answered within " + deadline.text());
}

Result<Bytes> MeetingChannel::exchange(const Bytes& mine) {
  other_.send(mine);
  return receive();
}

Result<Bytes> MeetingChannel::broadcast(const Bytes& leaders) {
  std::uint64_t size = leaders.size();
  members_.broadcast(std::as_writable_bytes(std::span(&size, 1)), leader_);
  Bytes bytes = is_leader() ? leaders : Bytes(size);
  if (size != 0) members_.broadcast(bytes, leader_);
  if (!members_.is_whole()) return members_are_lost();
  return bytes;
}

std::string MeetingChannel::spread(const std::string& leaders) {
  const auto bytes = std::as_bytes(std::span(leaders.data(), leaders.size()));
  const Result<Bytes> told = broadcast(Bytes(bytes.begin(), bytes.end()));
  if (!told) return told.failure().text;
  return {reinterpret_cast<const char*>(told->data()), told->size()};
}

// Gathers blocks of the longest one's length. The data is short, and only one rank needs it.
Result<std::vector<Bytes>> MeetingChannel::gather(const Bytes& mine) {
  const std::uint64_t longest = members_.all_max(mine.size());
  if (!members_.is_whole()) return members_are_lost();
  Bytes block = Packer().field(mine).take();
  block.resize(sizeof longest + longest);
  Bytes all(block.size() * members_.size());
  members_.all_gather(block, all);
  if (!members_.is_whole()) return members_are_lost();
  std::vector<Bytes> parts;
  if (!is_leader()) return parts;
  for (std::uint32_t rank = 0; rank < members_.size(); ++rank) {
    Unpacker from(std::span<const std::byte>(all).subspan(rank * block.size(), block.size()));
    parts.push_back(from.array<std::byte>());
    COMEX_BUG_IF(!from.ok());
  }
  return parts;
}

}  // namespace comex::worlds
