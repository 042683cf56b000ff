#include "worlds/connect/ports/strangers.h"

#include <utility>

namespace comex::worlds {

void Strangers::look(Listener& listener, Clock::time_point now, const Hear& hear) {
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    each = is_done(*each, now, hear) ? waiting_.erase(each) : std::next(each);
  }
  // A round accepts no more than it may keep, so that the owner's loop goes on however many there are.
  for (std::size_t taken = 0; taken < capacity_; ++taken) {
    std::optional<FramedSocket> next = listener.accept();
    if (!next) return;
    Stranger newest{std::move(*next), now + patience};
    if (is_done(newest, now, hear)) continue;  // a first frame that is already there counts
    if (waiting_.size() == capacity_) waiting_.pop_front();
    waiting_.push_back(std::move(newest));
  }
}

bool Strangers::is_done(Stranger& stranger, Clock::time_point now, const Hear& hear) {
  const bool is_open = stranger.channel.step();
  if (const auto frame = stranger.channel.take()) {
    hear(stranger.channel, *frame);
    return true;
  }
  return !is_open || now >= stranger.until;
}

}  // namespace comex::worlds
