#include "worlds/connect/ports/unverified_connections.h"

#include <utility>

namespace comex::worlds {

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

}  // namespace comex::worlds
