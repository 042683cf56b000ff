// Strangers at a port, and a stranger where a port should be: any bytes, over connections of this machine.
//
// A stranger may end its own connection only: the listener then still lets in who knows the cookie.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <deque>
#include <string>

#include "fuzz/fuzz.h"
#include "worlds/connect/ports/life_watch.h"
#include "worlds/connect/ports/port_handshake.h"

namespace comex::fuzz {
namespace {

using worlds::FramedSocket;
using worlds::Socket;
using Clock = worlds::Deadline::Clock;

// Closed by a reset, so that no ports of the machine are used up.
void close_hard(const Socket& socket) {
  const linger at_once{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

Socket connected_to(const worlds::Address& address) {
  Socket made(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  bool is_made = ::connect(made.get(), address.get(), address.bytes) == 0;
  if (!is_made && errno == EINTR) {  // the fuzzer's alarm ends only the wait
    pollfd made_later{made.get(), POLLOUT, 0};
    while (::poll(&made_later, 1, -1) < 0 && errno == EINTR) {
    }
    is_made = (made_later.revents & (POLLERR | POLLHUP)) == 0;
  }
  demand(is_made, "the port is there");
  close_hard(made);
  return made;
}

void say(const Socket& to, std::span<const std::byte> bytes) {
  static_cast<void>(::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

void say_frame(const Socket& to, std::string_view text) {
  const std::uint64_t bytes = text.size();
  say(to, std::as_bytes(std::span(&bytes, 1)));
  say(to, std::as_bytes(std::span(text.data(), text.size())));
}

// What a right guest or a right listener would say next, or bytes of the input.
void say_something(Input& input, const Socket& to, const std::string& cookie) {
  switch (input.below(10)) {
    case 0:
      return say_frame(to, "comex meets " + cookie);
    case 1:
    case 2:
    case 3:
      return say_frame(to, "enter");
    case 4: {
      const auto world = input.value<WorldId>();
      const Bytes hello = Packer().text(cookie).value(world).take();
      return say_frame(to, {reinterpret_cast<const char*>(hello.data()), hello.size()});
    }
    case 5: {
      const auto bytes = input.value<std::uint64_t>();
      return say(to, std::as_bytes(std::span(&bytes, 1)));
    }
    case 6: {
      const std::vector<std::byte> text = input.block(input.below(100));
      return say_frame(to, {reinterpret_cast<const char*>(text.data()), text.size()});
    }
    default:
      return say(to, input.take(input.value<std::uint16_t>() % 4096));
  }
}

worlds::Listener& port() {
  static worlds::Listener listener = std::move(worlds::Listener::open("127.0.0.1")).value();
  return listener;
}
const worlds::Address& address() {
  static const worlds::Address found = worlds::resolve(port().name())->front();
  return found;
}

// All that is left from before.
void empty_the_port() {
  while (auto left = port().accept()) left->close();
}

void many_connections(Input& input) {
  Clock::time_point now{};
  worlds::PortListener listener(port(), worlds::Deadline(60, now));
  std::deque<Socket> strangers;
  bool is_over = false;
  for (int steps = 0; steps < 24 && !input.empty() && !is_over; ++steps) {
    const unsigned what = input.below(8);
    if (what == 0 || strangers.empty()) {
      strangers.push_back(connected_to(address()));
    } else if (what == 1) {
      strangers.pop_front();
    } else if (what == 2) {
      now += std::chrono::milliseconds(input.value<std::uint16_t>() / 8);
    } else {
      say_something(input, strangers[input.below(16) % strangers.size()], port().name().cookie);
    }
    is_over = listener.look(now);
  }
  if (is_over || listener.has_caller()) return;
  // Who keeps to the rules comes in, however long the others keep it waiting.
  worlds::PortConnector connector({address()}, worlds::hello_of_leader(port().name().cookie),
                                  worlds::Deadline(1000, now));
  const auto end = now + std::chrono::seconds(50);
  for (int turns = 0; turns < 20000 && now < end && !listener.has_caller(); ++turns) {
    listener.look(now);
    connector.look(now);
    if (turns > 200) now += std::chrono::milliseconds(5);
  }
  demand(listener.has_caller(), "a caller that keeps to the rules comes in");
}

void false_port(Input& input) {
  Clock::time_point now{};
  worlds::PortConnector connector({address()}, worlds::hello_of_leader(port().name().cookie),
                                  worlds::Deadline(1, now));
  connector.look(now);
  std::optional<FramedSocket> here;
  for (int i = 0; i < 100 && !here; ++i) here = port().accept();
  if (!here) return;
  const Socket raw(::dup(here->descriptor()));
  for (int steps = 0; steps < 24 && !input.empty(); ++steps) {
    say_something(input, raw, port().name().cookie);
    if (input.below(4) == 0) now += std::chrono::milliseconds(input.value<std::uint16_t>() / 8);
    if (connector.look(now)) return;
  }
}

// A connection whose other end is trusted, or not yet.
void frames(Input& input) {
  int pair[2] = {-1, -1};
  demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0,
         "a pair of sockets");
  FramedSocket here{Socket(pair[0])};
  Socket there(pair[1]);
  const bool is_trusted = input.below(2) != 0;
  if (is_trusted) here.trust();
  for (int steps = 0; steps < 24 && !input.empty(); ++steps) {
    say_something(input, there, "cookie");
    static_cast<void>(here.step());
    while (const auto frame = here.take())
      demand(is_trusted || frame->size() <= FramedSocket::handshake_limit_bytes,
             "a stranger's frame is short");
  }
  there = Socket();
  while (here.step()) {
    while (here.take()) {  // a connection takes no more before
    }
  }
  demand(!here.ended().empty(), "the end has a reason");
}

void links(Input& input) {
  std::deque<Socket> others;
  for (int count = 1 + static_cast<int>(input.below(4)); count > 0; --count) {
    others.push_back(connected_to(address()));
    say_something(input, others.back(), port().name().cookie);
  }
  const worlds::MadeLinks made = worlds::make_links(1, {}, port(), 2, worlds::Deadline(0));
  demand(made.links.size() <= 2, "no more links than were awaited");
}

void watch(Input& input) {
  worlds::LifeWatch watch;  // each looks at its first call
  int pair[2] = {-1, -1};
  demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0,
         "a pair of sockets");
  constexpr BridgeId bridge = 1;
  worlds::LivenessLinks links;
  links.emplace(2, FramedSocket(Socket(pair[0])));
  const Socket there(pair[1]);
  watch.add(bridge, std::move(links));
  for (int steps = 0; steps < 8 && !input.empty(); ++steps) say_something(input, there, "cookie");
  demand(watch.take_ended().size() <= 1, "a link ends once");
  watch.end(bridge, true);
  demand(watch.take_ended().empty(), "nothing is reported of a link that is not watched");
}

}  // namespace
}  // namespace comex::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace comex;
  fuzz::Input input({data, size});
  fuzz::empty_the_port();
  const unsigned kind = input.below(8);
  fuzz::run([&] {
    if (kind < 3) fuzz::many_connections(input);
    if (kind == 3) fuzz::false_port(input);
    if (kind == 4 || kind == 5) fuzz::frames(input);
    if (kind == 6) fuzz::links(input);
    if (kind == 7) fuzz::watch(input);
  });
  return 0;
}
