#include "api/worlds/conversation.h"

#include <array>
#include <cstdio>
#include <list>

#include "groups/worlds/rendezvous_address.h"

namespace comex::api {
namespace {

constexpr std::string_view hello = "comex meets ";
constexpr std::string_view welcome = "welcome";
constexpr std::string_view here = "here";

Bytes bytes_of(std::string_view text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

bool is(const std::optional<Bytes>& frame, std::string_view text) {
  return frame && frame->size() == text.size() && std::memcmp(frame->data(), text.data(), text.size()) == 0;
}

// Those who have come to a port: the first that knows the cookie is asked in, the others wait behind it.
class Door {
 public:
  explicit Door(groups::Listener& listener)
      : listener_(listener), greeting_(std::string(hello) + listener.name().cookie) {}

  // True once somebody is in.
  bool look() {
    while (auto next = listener_.accept()) guests_.push_back({std::move(*next)});
    for (auto guest = guests_.begin(); guest != guests_.end();) {
      const bool is_open = guest->channel.step();
      if (!hear(*guest) || (!is_open && !guest->is_bound)) {
        if (invited_ == &*guest) invited_ = nullptr;
        guest = guests_.erase(guest);
        continue;
      }
      if (guest->is_bound) {
        entered_ = std::move(guest->channel);
        return true;
      }
      if (guest->knows_cookie && invited_ == nullptr) {
        invited_ = &*guest;
        guest->channel.send(bytes_of(welcome));
      }
      ++guest;
    }
    return false;
  }
  groups::Channel take() { return std::move(entered_); }

 private:
  struct Guest {
    groups::Channel channel;
    bool knows_cookie = false;
    bool is_bound = false;
  };
  // False for a stranger.
  bool hear(Guest& guest) {
    const auto frame = guest.channel.take();
    if (!frame) return true;
    if (!guest.knows_cookie) return guest.knows_cookie = is(frame, greeting_);
    return guest.is_bound = invited_ == &guest && is(frame, here);
  }

  groups::Listener& listener_;
  std::string greeting_;
  std::list<Guest> guests_;
  Guest* invited_ = nullptr;
  groups::Channel entered_;
};

}  // namespace

std::string Deadline::text() const {
  std::array<char, 32> shown{};
  std::snprintf(shown.data(), shown.size(), "%g s", seconds_);
  return shown.data();
}

Result<Conversation> Conversation::await(Runtime& runtime, const char* operation, groups::Listener& listener,
                                         const Deadline& deadline, const InVain& in_vain) {
  Door door(listener);
  bool has_come = false;
  runtime.engine.wait(
      [&] {
        has_come = door.look();
        return has_come || deadline.is_over() || in_vain();
      },
      {operation});
  if (!has_come) {
    return environment_error("nobody has connected to " + groups::format_port(listener.name()) + " within " +
                             deadline.text());
  }
  return Conversation(door.take());
}

Result<Conversation> Conversation::seek(Runtime& runtime, const char* operation, const groups::PortName& port,
                                        const Deadline& deadline, const InVain& in_vain) {
  const Result<groups::Address> address = groups::resolve(port);
  if (!address) return address.failure();
  groups::Channel channel;
  std::string last = "no answer";
  Status has_socket;
  std::uint64_t tried_at = 0;
  bool is_in = false;
  const auto gives_up = [&] { return deadline.is_over() || in_vain(); };
  const auto look = [&] {
    constexpr std::uint64_t pause_ns = 20'000'000;  // between two tries
    if (channel.step()) {
      if (is(channel.take(), welcome)) {
        channel.send(bytes_of(here));
        return is_in = true;
      }
      return gives_up();
    }
    if (!channel.ended().empty() && tried_at != 0) last = channel.ended();
    const std::uint64_t now = runtime.world->os->now_ns();
    if (tried_at != 0 && now - tried_at < pause_ns) return gives_up();
    tried_at = now;
    Result<groups::Channel> started = groups::Channel::start(address.value());
    if (!started) {
      has_socket = started.take_failure();
      return true;
    }
    channel = std::move(started).value();
    channel.send(bytes_of(std::string(hello) + port.cookie));
    return gives_up();
  };
  runtime.engine.wait(look, {operation});
  if (!has_socket) return has_socket.take_failure();
  if (!is_in) {
    const bool is_waiting = channel.is_connected();
    return environment_error("nobody accepts at " + groups::format_port(port) + " within " + deadline.text() +
                             " (" + (is_waiting ? "the port is there" : last) + ")");
  }
  return Conversation(std::move(channel));
}

Result<Bytes> Conversation::hear(Runtime& runtime, const char* operation, const Deadline& deadline,
                                 const InVain& in_vain) {
  std::optional<Bytes> frame;
  runtime.engine.wait(
      [&] {
        const bool is_open = channel_.step();
        frame = channel_.take();
        return frame || !is_open || deadline.is_over() || in_vain();
      },
      {operation});
  if (frame) return std::move(*frame);
  if (!channel_.is_open()) return environment_error("the other side has gone (" + channel_.ended() + ")");
  return environment_error("the other side has not answered within " + deadline.text());
}

}  // namespace comex::api
