#include "worlds/connect/ports/framed_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "support/frames.h"
#include "support/refused_calls.h"

namespace comex::worlds {
namespace {

using testing::frame_of;

constexpr int rounds_of_meeting = 20'000;  // of looking; far more than a local connection ever needs

template <class Condition>
bool eventually(Condition&& holds) {
  for (int round = 0; round < rounds_of_meeting; ++round) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return false;
}

// A listener and both ends of one connection.
struct Pair {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  FramedSocket near = FramedSocket::start(resolve(listener.name())->front());
  FramedSocket far;

  explicit Pair(bool is_trusted = true) {
    const bool met = eventually([this] {
      near.step();
      auto accepted = listener.accept();
      if (accepted) far = std::move(*accepted);
      return far.is_open();
    });
    EXPECT_TRUE(met);
    if (is_trusted) far.trust();
  }
  bool arrives(FramedSocket& from, FramedSocket& to, std::vector<std::byte>& into) {
    bool has_come = false;
    return eventually([&] {
             from.step();
             const bool is_open = to.step();
             auto frame = to.take();
             has_come = frame.has_value();
             if (frame) into = std::move(*frame);
             return has_come || !is_open;
           }) &&
           has_come;
  }
};

TEST(FramedSocket, carries_frames_in_order_both_ways) {
  Pair pair;
  pair.near.send(frame_of("one"));
  pair.near.send(frame_of(""));
  pair.near.send(frame_of("three"));
  pair.far.send(frame_of("back"));
  for (const char* expected : {"one", "", "three"}) {
    std::vector<std::byte> got;
    ASSERT_TRUE(pair.arrives(pair.near, pair.far, got));
    EXPECT_EQ(got, frame_of(expected));
  }
  std::vector<std::byte> back;
  ASSERT_TRUE(pair.arrives(pair.far, pair.near, back));
  EXPECT_EQ(back, frame_of("back"));
}

TEST(FramedSocket, carries_a_frame_larger_than_the_system_takes_at_once) {
  Pair pair;
  std::vector<std::byte> large(8 << 20);
  for (std::size_t i = 0; i < large.size(); i += 4096) large[i] = static_cast<std::byte>(i >> 12);
  pair.near.send(large);
  EXPECT_FALSE(pair.near.is_sent());
  std::vector<std::byte> got;
  ASSERT_TRUE(pair.arrives(pair.near, pair.far, got));
  EXPECT_TRUE(got == large);
}

TEST(FramedSocket, tells_that_the_other_side_has_closed_and_keeps_what_came_before) {
  Pair pair;
  pair.near.send(frame_of("goodbye"));
  ASSERT_TRUE(eventually([&] { return pair.near.step() && pair.near.is_sent(); }));
  pair.near.close();
  EXPECT_TRUE(eventually([&] { return !pair.far.step(); }));
  EXPECT_EQ(pair.far.take(), frame_of("goodbye"));
  EXPECT_EQ(pair.far.ended(), "the other side has closed");
  EXPECT_EQ(pair.near.ended(), "closed here");
}

TEST(FramedSocket, tells_that_nobody_listens) {
  PortName gone;
  {
    const Listener listener = std::move(Listener::open("127.0.0.1")).value();
    gone = listener.name();
  }
  FramedSocket channel = FramedSocket::start(resolve(gone)->front());
  EXPECT_TRUE(eventually([&] { return !channel.step(); }));
  EXPECT_NE(channel.ended().find("connect"), std::string::npos);
}

// A queue that is full takes no answer to the last of them.
TEST(FramedSocket, knows_an_address_that_does_not_answer_from_one_that_does) {
  const Socket deaf(::socket(AF_INET, SOCK_STREAM, 0));
  const Address here = resolve({"127.0.0.1", 0, draw_cookie()})->front();
  ASSERT_EQ(::bind(deaf.get(), here.get(), here.bytes), 0);
  ASSERT_EQ(::listen(deaf.get(), 0), 0);
  const Result<std::vector<Address>> there = resolve({"127.0.0.1", bound_port(deaf.get()), draw_cookie()});
  ASSERT_TRUE(there);
  std::vector<FramedSocket> channels;
  for (int i = 0; i < 8; ++i) channels.push_back(FramedSocket::start(there->front()));
  const auto is_connected = [](FramedSocket& channel) { return channel.step() && channel.is_connected(); };
  EXPECT_TRUE(eventually([&] { return is_connected(channels.front()); }));
  EXPECT_FALSE(is_connected(channels.back()));
  EXPECT_TRUE(channels.back().is_open());
}

TEST(FramedSocket, says_which_host_is_not_known) {
  const Result<std::vector<Address>> channel = resolve({"no such host", 4711, draw_cookie()});
  ASSERT_FALSE(channel);
  EXPECT_NE(channel.failure().text.find("no such host"), std::string::npos);
}

// Until the other side is trusted, a frame is no larger than a handshake.
TEST(FramedSocket, takes_large_frames_only_from_those_it_trusts) {
  for (const bool is_trusted : {false, true}) {
    Pair pair(is_trusted);
    pair.near.send(std::vector<std::byte>(FramedSocket::handshake_limit_bytes));
    pair.near.send(std::vector<std::byte>(FramedSocket::handshake_limit_bytes + 1));
    std::vector<std::byte> got;
    ASSERT_TRUE(pair.arrives(pair.near, pair.far, got));
    EXPECT_EQ(got.size(), FramedSocket::handshake_limit_bytes);
    EXPECT_EQ(pair.arrives(pair.near, pair.far, got), is_trusted);
    EXPECT_EQ(pair.far.is_open(), is_trusted);
  }
}

TEST(FramedSocket, drops_a_stranger_that_does_not_speak_the_protocol) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  const Socket stranger(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(listener.name().port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(stranger.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  constexpr std::string_view request = "GET / HTTP/1.1\r\n\r\n";
  ASSERT_EQ(::send(stranger.get(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::optional<FramedSocket> came;
  EXPECT_TRUE(eventually([&] {
    if (!came) came = listener.accept();
    return came && !came->step();
  }));
  EXPECT_NE(came->ended().find("does not speak this protocol"), std::string::npos);
  EXPECT_FALSE(came->take());
}

TEST(FramedSocket, keeps_listening_while_strangers_come_and_go) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  for (int i = 0; i < 3; ++i) {
    FramedSocket stranger = FramedSocket::start(resolve(listener.name())->front());
    stranger.step();
  }
  FramedSocket caller = FramedSocket::start(resolve(listener.name())->front());
  caller.send(frame_of("hello"));
  std::vector<FramedSocket> came;
  std::vector<std::byte> got;
  EXPECT_TRUE(eventually([&] {
    caller.step();
    if (auto next = listener.accept()) came.push_back(std::move(*next));
    for (FramedSocket& each : came) {
      each.step();
      if (auto frame = each.take()) got = std::move(*frame);
    }
    return !got.empty();
  }));
  EXPECT_EQ(got, frame_of("hello"));
}

// What is not advertised is not open.
TEST(FramedSocket, listens_at_the_address_that_it_gives_alone) {
  const Listener listener = std::move(Listener::open("127.0.0.1")).value();
  FramedSocket elsewhere =
      FramedSocket::start(resolve({"127.0.0.2", listener.name().port, draw_cookie()})->front());
  EXPECT_TRUE(eventually([&] { return !elsewhere.step() || elsewhere.is_connected(); }));
  EXPECT_FALSE(elsewhere.is_connected());
  FramedSocket caller = FramedSocket::start(resolve(listener.name())->front());
  EXPECT_TRUE(eventually([&] { return caller.step() && caller.is_connected(); }));
}

TEST(FramedSocket, gives_an_address_of_this_host_that_it_listens_at) {
  Listener listener = std::move(Listener::open("")).value();
  EXPECT_NE(listener.name().host, "");
  FramedSocket caller = FramedSocket::start(resolve(listener.name())->front());
  EXPECT_TRUE(eventually([&] {
    caller.step();
    return listener.accept().has_value();
  }));
}

TEST(FramedSocket, says_which_call_the_kernel_refused_a_listener) {
  const auto told = [](const char* host) {
    const Result<Listener> made = Listener::open(host);
    return made ? "" : made.failure().text;
  };
  with_refused_calls({SYS_socket}, EMFILE, [&] {
    EXPECT_EQ(told("127.0.0.1"), "bind of a port at 127.0.0.1: Too many open files");
  });
  with_refused_calls({SYS_bind}, EACCES,
                     [&] { EXPECT_EQ(told("127.0.0.1"), "bind of a port at 127.0.0.1: Permission denied"); });
  with_refused_calls({SYS_listen}, EADDRINUSE,
                     [&] { EXPECT_EQ(told("127.0.0.1"), "listen: Address already in use"); });
  with_refused_calls({SYS_getsockname}, ENOBUFS,
                     [&] { EXPECT_EQ(told("127.0.0.1"), "getsockname: No buffer space available"); });
  EXPECT_NE(told("no such host").find("no such host"), std::string::npos);
}

TEST(FramedSocket, says_which_call_the_kernel_refused_a_connection) {
  const Listener listener = std::move(Listener::open("127.0.0.1")).value();
  with_refused_calls({SYS_socket}, EMFILE, [&] {
    FramedSocket channel = FramedSocket::start(resolve(listener.name())->front());
    EXPECT_FALSE(channel.step());
    EXPECT_EQ(channel.ended(), "socket: Too many open files");
  });
  with_refused_calls({SYS_connect}, ENETUNREACH, [&] {
    FramedSocket channel = FramedSocket::start(resolve(listener.name())->front());
    EXPECT_FALSE(channel.step());
    EXPECT_EQ(channel.ended(), "connect: Network is unreachable");
  });
}

TEST(FramedSocket, goes_on_after_calls_that_a_signal_interrupted) {
  Pair pair;
  with_refused_calls({SYS_sendto, SYS_recvfrom}, EINTR, [&] {
    pair.near.send(frame_of("late"));
    EXPECT_TRUE(pair.near.step());
  });
  std::vector<std::byte> got;
  ASSERT_TRUE(pair.arrives(pair.near, pair.far, got));
  EXPECT_EQ(got, frame_of("late"));
}

TEST(FramedSocket, says_which_call_the_kernel_refused_a_transfer) {
  Pair pair;
  with_refused_calls({SYS_sendto}, EPIPE, [&] {
    pair.near.send(frame_of("unsent"));
    EXPECT_FALSE(pair.near.is_open());
    EXPECT_EQ(pair.near.ended(), "send: Broken pipe");
    EXPECT_FALSE(pair.near.step());
    pair.near.send(frame_of("too late"));
  });
  with_refused_calls({SYS_recvfrom}, ECONNRESET, [&] {
    EXPECT_FALSE(pair.far.step());
    EXPECT_EQ(pair.far.ended(), "receive: Connection reset by peer");
  });
}

}  // namespace
}  // namespace comex::worlds
