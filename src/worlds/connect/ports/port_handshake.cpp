#include "worlds/connect/ports/port_handshake.h"

#include <optional>
#include <string_view>

namespace comex::worlds {
namespace {

using Clock = Deadline::Clock;

constexpr std::string_view hello_words = "comex meets ";
constexpr std::string_view enter = "enter";

constexpr Clock::duration between_tries = std::chrono::milliseconds(20);
// For one attempt. The system would wait longer and longer, for minutes in the end: where an address is dead,
// another one may not be, and a listener with a full queue soon accepts again.
constexpr Clock::duration longest_try = std::chrono::seconds(2);

Bytes frame_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Bytes hello_of_leader(const std::string& cookie) {
  return frame_of(std::string(hello_words) + cookie);
}

void let_in(FramedSocket& channel) {
  channel.trust();
  channel.send(frame_of(enter));
}

// ---- strangers ----

void UnverifiedConnections::look(Listener& listener, Clock::time_point now, const OnFrame& on_frame) {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    each = is_done(*each, now, on_frame) ? waiting_.erase(each) : std::next(each);
  }
  // A round accepts no more than it may keep, so that the owner's loop goes on however many there are.
  for (std::size_t taken = 0; taken < capacity_; ++taken) {
    std::optional<FramedSocket> next = listener.accept();
    if (!next) return;
    Connection newest{std::move(*next), now + time_limit};
    if (is_done(newest, now, on_frame)) continue;  // a first frame that is already there counts
    if (waiting_.size() == capacity_) waiting_.pop_front();
    waiting_.push_back(std::move(newest));
  }
}

bool UnverifiedConnections::is_done(Connection& connection, Clock::time_point now, const OnFrame& on_frame) {
  const bool is_open = connection.channel.step();
  if (const auto frame = connection.channel.take()) {
    on_frame(connection.channel, *frame);
    return true;
  }
  return !is_open || now >= connection.until;
}

// ---- listener ----

PortListener::PortListener(Listener& listener, const Deadline& deadline)
    : listener_(listener), deadline_(deadline), hello_(hello_of_leader(listener.name().cookie)) {}

bool PortListener::look(Clock::time_point now) {
  unverified_.look(listener_, now, [this](FramedSocket& channel, const Bytes& frame) {
    // One that has gone since, as it has given up, must not take the place of the next.
    if (has_caller() || !channel.is_open() || frame != hello_) return;
    caller_ = std::move(channel);
    let_in(caller_);
  });
  caller_.step();
  return has_entered() || deadline_.is_over(now);
}

// ---- connector ----

PortConnector::PortConnector(std::vector<Address> addresses, Bytes hello, const Deadline& deadline)
    : addresses_(std::move(addresses)), hello_(std::move(hello)), deadline_(deadline) {}

bool PortConnector::look(Clock::time_point now) {
  const bool is_open = channel_.step();
  // A frame that the listener sent before it closed counts: it has gone on, and only the connection has
  // ended.
  if (is_in_ = channel_.take() == frame_of(enter); is_in_) {
    channel_.trust();
    return true;
  }
  const bool is_slow = !channel_.is_connected() && now - tried_at_ >= longest_try;
  if (!is_open || is_slow) {
    if (tries_ != 0 && !is_open) last_ = channel_.ended();
    if (tries_ == 0 || now - tried_at_ >= between_tries) {
      tried_at_ = now;
      channel_ = FramedSocket::start(addresses_[tries_++ % addresses_.size()]);
      channel_.send(hello_);
    }
  }
  return deadline_.is_over(now);
}

}  // namespace comex::worlds
