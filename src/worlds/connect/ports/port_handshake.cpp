#include "worlds/connect/ports/port_handshake.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace comex::worlds {
namespace {

using Clock = Deadline::Clock;
using Frame = std::vector<std::byte>;

constexpr std::string_view hello_words = "comex meets ";
constexpr std::string_view welcome_words = "welcome";
constexpr std::string_view here = "here";
constexpr std::string_view enter = "enter";

// How long a candidate may keep others waiting. A connector also waits so long past its limit for a listener
// to which it has answered, because the listener relies on it.
constexpr Clock::duration longest_answer = std::chrono::seconds(5);
constexpr Clock::duration between_tries = std::chrono::milliseconds(20);
// For one attempt. The system would wait longer and longer, for minutes in the end: where an address is dead,
// another one may not be, and a listener with a full queue soon accepts again.
constexpr Clock::duration longest_try = std::chrono::seconds(2);

Frame frame_of(std::string_view text) {
  Frame frame(text.size());
  if (!text.empty()) std::memcpy(frame.data(), text.data(), text.size());
  return frame;
}

bool is(const std::optional<Frame>& frame, std::string_view text) {
  return frame && frame->size() == text.size() && std::memcmp(frame->data(), text.data(), text.size()) == 0;
}

}  // namespace

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
    : listener_(listener), deadline_(deadline), hello_(std::string(hello_words) + listener.name().cookie) {}

bool PortListener::look(Clock::time_point now) {
  unverified_.look(listener_, now, [this](FramedSocket& channel, const Bytes& frame) {
    if (is(frame, hello_)) candidates_.push_back({std::move(channel)});
  });
  for (auto candidate = candidates_.begin(); candidate != candidates_.end();) {
    const bool is_open = candidate->channel.step();
    if (!receive(*candidate) || !is_open || is_too_slow(*candidate, now)) {
      if (invited_ == &*candidate) invited_ = nullptr;
      candidate = candidates_.erase(candidate);
      continue;
    }
    if (candidate->is_bound) {
      entered_ = std::move(candidate->channel);
      entered_.trust();
      entered_.send(frame_of(enter));
      return true;
    }
    if (invited_ == nullptr) invite(*candidate, now);
    ++candidate;
  }
  return deadline_.is_over(now);
}

// Returns false if the candidate sends something unexpected.
bool PortListener::receive(Candidate& candidate) {
  const auto frame = candidate.channel.take();
  if (!frame) return true;
  return candidate.is_bound = invited_ == &candidate && is(frame, here);
}

// A single candidate is never dropped.
bool PortListener::is_too_slow(const Candidate& candidate, Clock::time_point now) const {
  if (invited_ != &candidate || candidate.is_bound || now < invited_until_) return false;
  return candidates_.size() > 1;
}

// The candidate gets a share of the remaining time, so that the others have their turn with any limit.
void PortListener::invite(Candidate& candidate, Clock::time_point now) {
  invited_ = &candidate;
  invited_until_ = now + std::min(longest_answer, deadline_.left(now) / 4);
  candidate.channel.send(frame_of(welcome_words));
}

// ---- connector ----

PortConnector::PortConnector(std::vector<Address> addresses, const std::string& cookie,
                             const Deadline& deadline)
    : addresses_(std::move(addresses)), hello_(std::string(hello_words) + cookie), deadline_(deadline) {}

bool PortConnector::look(Clock::time_point now) {
  const bool is_open = channel_.step();
  receive(now);
  if (is_in_) return true;
  const bool is_slow = !channel_.is_connected() && now - tried_at_ >= longest_try;
  if (!is_open || is_slow) {
    if (tries_ != 0 && !is_open) last_ = channel_.ended();
    if (tries_ == 0 || now - tried_at_ >= between_tries) start_attempt(now);
  }
  return !has_socket_ || gives_up(now);
}

// A frame that the listener sent before it closed counts: it has gone on, and only the connection has ended.
void PortConnector::receive(Clock::time_point now) {
  const auto frame = channel_.take();
  if (has_answered_) {
    is_in_ = is(frame, enter);
    if (is_in_) channel_.trust();
  } else if (is(frame, welcome_words)) {
    channel_.send(frame_of(here));
    has_answered_ = true;
    answered_at_ = now;
  }
}

void PortConnector::start_attempt(Clock::time_point now) {
  tried_at_ = now;
  has_answered_ = false;
  Result<FramedSocket> started = FramedSocket::start(addresses_[tries_++ % addresses_.size()]);
  if (!started) {
    has_socket_ = started.take_failure();
    return;
  }
  channel_ = std::move(started).value();
  channel_.send(frame_of(hello_));
}

bool PortConnector::gives_up(Clock::time_point now) const {
  const bool is_expected = has_answered_ && channel_.is_open() && now - answered_at_ < longest_answer;
  return deadline_.is_over(now) && !is_expected;
}

}  // namespace comex::worlds
