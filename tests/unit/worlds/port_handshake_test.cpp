// Who gets in at a port, and when the two ends give up: over loopback, with a clock that the test steps.
#include "worlds/connect/ports/port_handshake.h"

#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "support/frames.h"
#include "support/refused_calls.h"

namespace comex::worlds {
namespace {

using Clock = Deadline::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::frame_of;

constexpr double limit_s = 60;
constexpr int rounds = 20'000;  // of looking; far more than a local connection ever needs

std::string next_text(worlds::FramedSocket& channel) {
  const auto frame = channel.take();
  if (!frame) return "";
  std::string text(frame->size(), ' ');
  std::memcpy(text.data(), frame->data(), frame->size());
  return text;
}

worlds::Address local(std::uint16_t port) {
  return worlds::resolve({"127.0.0.1", port, worlds::draw_cookie()})->front();
}

// Whether all that was sent lies where the other side reads.
bool has_arrived(const worlds::FramedSocket& channel) {
  int left = -1;
  return ::ioctl(channel.descriptor(), SIOCOUTQ, &left) == 0 && left == 0;
}

// Whether the other side has the end of a connection that was shut down.
bool has_ended_there(const worlds::FramedSocket& channel) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  return ::getsockopt(channel.descriptor(), IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 &&
         info.tcpi_state == TCP_FIN_WAIT2;
}

// A place for a listener at which nobody listens yet: who comes is refused.
class Place {
 public:
  Place() {
    worlds::Address any = local(0);
    EXPECT_EQ(::bind(socket_.get(), any.get(), any.bytes), 0);
  }
  worlds::Address address() const { return local(worlds::bound_port(socket_.get())); }
  void listen() const { EXPECT_EQ(::listen(socket_.get(), 8), 0); }
  std::optional<worlds::FramedSocket> accept() const {
    worlds::Socket came(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!came) return std::nullopt;
    return worlds::FramedSocket(std::move(came));
  }

 private:
  worlds::Socket socket_{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
};

class Meeting : public ::testing::Test {
 protected:
  PortConnector connector_to(const worlds::Address& address) const {
    return {{address}, hello_of_leader(listener.name().cookie), Deadline(limit_s, start)};
  }
  // A caller that says these words.
  worlds::FramedSocket caller(const std::string& words) const {
    worlds::FramedSocket made = worlds::FramedSocket::start(local(listener.name().port));
    made.send(frame_of(words));
    return made;
  }
  worlds::FramedSocket caller() const { return caller("comex meets " + listener.name().cookie); }
  // Steps everything, the clock aside, until this holds.
  template <class Holds>
  bool eventually(Holds&& holds) {
    for (int round = 0; round < rounds; ++round) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return false;
  }
  bool is_let_in(PortConnector& connector, PortListener& at) {
    return eventually([&] {
      at.look(now);
      connector.look(now);
      return connector.is_in();
    });
  }

  const Clock::time_point start = Clock::time_point() + std::chrono::hours(1);
  Clock::time_point now = start;
  worlds::Listener listener = std::move(worlds::Listener::open("127.0.0.1")).value();
  PortListener handshake{listener, Deadline(limit_s, start)};
};

TEST_F(Meeting, lets_a_visitor_in_that_then_talks_with_the_host) {
  PortConnector connector = connector_to(local(listener.name().port));
  ASSERT_TRUE(is_let_in(connector, handshake));
  worlds::FramedSocket come = connector.take();
  come.send(frame_of("hello"));
  ASSERT_TRUE(eventually([&] { return come.step() && handshake.look(now); }));
  ASSERT_TRUE(handshake.has_entered());
  worlds::FramedSocket host = handshake.take();
  EXPECT_EQ(next_text(host), "hello");
  host.send(frame_of("good day"));
  EXPECT_TRUE(eventually([&] {
    host.step();
    come.step();
    return next_text(come) == "good day";
  }));
}

TEST_F(Meeting, lets_nobody_in_without_the_cookie) {
  worlds::FramedSocket stranger = caller("comex meets somebody");
  EXPECT_TRUE(eventually([&] {
    EXPECT_FALSE(handshake.look(now));
    return !stranger.step();
  }));
  EXPECT_EQ(next_text(stranger), "");
}

TEST_F(Meeting, waits_for_a_guest_until_its_limit_and_no_shorter) {
  EXPECT_FALSE(handshake.look(now));
  EXPECT_FALSE(handshake.look(start + seconds(60) - milliseconds(1)));
  EXPECT_TRUE(handshake.look(start + seconds(60)));
  EXPECT_FALSE(handshake.has_entered());
}

// Refused thousands of times, it goes on; nobody ever listens.
TEST_F(Meeting, is_tried_until_the_limit_where_nobody_listens) {
  const Place place;
  PortConnector connector = connector_to(place.address());
  for (; now < start + seconds(60); now += milliseconds(20))
    ASSERT_FALSE(connector.look(now)) << connector.last_error();
  EXPECT_TRUE(connector.look(now));
  EXPECT_FALSE(connector.is_in());
  EXPECT_NE(connector.last_error().find("refused"), std::string::npos) << connector.last_error();
}

TEST_F(Meeting, comes_about_where_there_was_no_socket_at_first) {
  PortConnector connector = connector_to(local(listener.name().port));
  with_refused_calls({SYS_socket}, EMFILE, [&] {
    for (int round = 0; round < 2; ++round) EXPECT_FALSE(connector.look(now));
  });
  EXPECT_EQ(connector.last_error(), "socket: Too many open files");
  now += milliseconds(20);
  EXPECT_TRUE(is_let_in(connector, handshake));
}

TEST_F(Meeting, comes_about_where_somebody_listens_after_many_refusals) {
  const Place place;
  PortConnector connector = connector_to(place.address());
  for (; now < start + seconds(50); now += milliseconds(20)) ASSERT_FALSE(connector.look(now));
  place.listen();
  std::optional<worlds::FramedSocket> came;
  EXPECT_TRUE(eventually([&] {
    now += milliseconds(1);
    connector.look(now);
    if (!came) came = place.accept();
    return came && came->step() && next_text(*came).starts_with("comex meets");
  }));
}

TEST_F(Meeting, tries_the_addresses_of_a_host_in_turn) {
  const Place place;
  PortConnector connector({place.address(), local(listener.name().port)},
                          hello_of_leader(listener.name().cookie), Deadline(limit_s, start));
  EXPECT_TRUE(eventually([&] {
    now += milliseconds(20);
    handshake.look(start);
    connector.look(now);
    return connector.is_in();
  }));
}

// A queue that is full answers nobody: the system itself would go on for minutes.
TEST_F(Meeting, leaves_an_address_that_does_not_answer_for_the_next) {
  const worlds::Socket full(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const worlds::Address any = local(0);
  ASSERT_EQ(::bind(full.get(), any.get(), any.bytes), 0);
  ASSERT_EQ(::listen(full.get(), 0), 0);
  const worlds::Address silent = local(worlds::bound_port(full.get()));
  std::vector<worlds::FramedSocket> strangers;
  for (int i = 0; i < 8; ++i) strangers.push_back(worlds::FramedSocket::start(silent));
  ASSERT_TRUE(eventually([&] { return strangers.front().step() && strangers.front().is_connected(); }));
  PortConnector connector({silent, local(listener.name().port)}, hello_of_leader(listener.name().cookie),
                          Deadline(limit_s, start));
  for (; now < start + milliseconds(1900); now += milliseconds(100)) {
    connector.look(now);
    handshake.look(start);
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_FALSE(connector.is_in());
  now = start + milliseconds(2000);
  EXPECT_TRUE(is_let_in(connector, handshake));
}

// The system would try again later and later, and in the end after the limit.
TEST_F(Meeting, is_tried_anew_where_others_have_filled_the_queue) {
  const worlds::Socket full(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const worlds::Address any = local(0);
  ASSERT_EQ(::bind(full.get(), any.get(), any.bytes), 0);
  ASSERT_EQ(::listen(full.get(), 0), 0);
  const worlds::Address only = local(worlds::bound_port(full.get()));
  std::vector<worlds::FramedSocket> strangers;
  for (int i = 0; i < 8; ++i) strangers.push_back(worlds::FramedSocket::start(only));
  ASSERT_TRUE(eventually([&] { return strangers.front().step() && strangers.front().is_connected(); }));
  PortConnector connector = connector_to(only);
  connector.look(now);
  strangers.clear();
  while (worlds::Socket(::accept(full.get(), nullptr, nullptr))) {
  }
  now += seconds(2);
  connector.look(now);  // its new attempt is there before the system repeats the old one, a second after it
  bool has_come = false;
  for (int round = 0; round < 2000 && !has_come; ++round) {
    has_come = static_cast<bool>(worlds::Socket(::accept(full.get(), nullptr, nullptr)));
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  EXPECT_TRUE(has_come);
}

// ---- several guests, and those that were dropped ----

TEST_F(Meeting, lets_one_guest_in_though_two_know_the_cookie) {
  worlds::FramedSocket first = caller();
  worlds::FramedSocket second = caller();
  ASSERT_TRUE(
      eventually([&] { return first.step() && second.step() && first.is_sent() && second.is_sent(); }));
  ASSERT_TRUE(eventually([&] { return has_arrived(first) && has_arrived(second); }));
  ASSERT_TRUE(eventually([&] {
    EXPECT_FALSE(handshake.look(now));
    first.step();
    return next_text(first) == "enter";
  }));
  first.send(frame_of("facts"));
  ASSERT_TRUE(eventually([&] { return first.step() && handshake.look(now); }));
  worlds::FramedSocket entered = handshake.take();
  second.step();
  EXPECT_EQ(next_text(second), "");
  PortListener next(listener, Deadline(limit_s, start));
  PortConnector connector = connector_to(local(listener.name().port));  // as the second one would
  EXPECT_TRUE(is_let_in(connector, next));
}

// It has given up while it waited in the queue.
TEST_F(Meeting, goes_on_with_the_next_where_a_guest_has_gone) {
  for (int gone = 0; gone < 3; ++gone) {
    worlds::FramedSocket left = caller();
    ASSERT_TRUE(eventually([&] { return left.step() && left.is_sent() && left.is_connected(); }));
    ASSERT_EQ(::shutdown(left.descriptor(), SHUT_WR), 0);
    ASSERT_TRUE(eventually([&] { return has_ended_there(left); }));
  }
  for (int round = 0; round < 50; ++round) ASSERT_FALSE(handshake.look(now));
  PortConnector connector = connector_to(local(listener.name().port));
  EXPECT_TRUE(is_let_in(connector, handshake));
  EXPECT_TRUE(handshake.has_caller());
}

// It gave up in the moment in which it was let in.
TEST_F(Meeting, goes_on_with_the_next_where_a_guest_goes_before_its_first_frame) {
  std::optional<worlds::FramedSocket> left = caller();
  ASSERT_TRUE(eventually([&] { return left->step() && (handshake.look(now), handshake.has_caller()); }));
  left.reset();
  PortConnector connector = connector_to(local(listener.name().port));
  EXPECT_TRUE(is_let_in(connector, handshake));
}

TEST_F(Meeting, ends_at_its_limit_where_a_guest_says_nothing_more) {
  worlds::FramedSocket silent = caller();
  ASSERT_TRUE(eventually([&] { return silent.step() && (handshake.look(now), handshake.has_caller()); }));
  EXPECT_FALSE(handshake.look(start + seconds(60) - milliseconds(1)));
  EXPECT_TRUE(handshake.look(start + seconds(60)));
  EXPECT_FALSE(handshake.has_entered());
}

// It comes again; and what it was told counts, though the connection has ended.
TEST_F(Meeting, does_no_harm_to_a_visitor_that_was_let_go) {
  const Place place;
  place.listen();
  PortConnector connector = connector_to(place.address());
  for (int turn = 0; turn < 2; ++turn) {
    std::optional<worlds::FramedSocket> came;
    ASSERT_TRUE(eventually([&] {
      now += milliseconds(1);
      EXPECT_FALSE(connector.look(now));
      if (!came) came = place.accept();
      return came && came->step() && next_text(*came).starts_with("comex meets");
    }));
    if (turn == 0) continue;
    came->send(frame_of("enter"));
    came->send(frame_of("and more"));
    ASSERT_TRUE(eventually([&] { return came->step() && came->is_sent(); }));
    came->close();
    EXPECT_TRUE(eventually([&] { return connector.look(now) && connector.is_in(); }));
  }
  worlds::FramedSocket inside = connector.take();
  EXPECT_TRUE(eventually([&] {
    inside.step();
    return next_text(inside) == "and more";
  }));
}

TEST_F(Meeting, is_not_entered_by_any_other_word) {
  const Place place;
  place.listen();
  PortConnector connector = connector_to(place.address());
  std::optional<worlds::FramedSocket> came;
  ASSERT_TRUE(eventually([&] {
    connector.look(now);
    if (!came) came = place.accept();
    return came && came->step() && next_text(*came).starts_with("comex meets");
  }));
  came->send(frame_of("welcome"));
  ASSERT_TRUE(eventually([&] { return came->step() && came->is_sent() && has_arrived(*came); }));
  for (int round = 0; round < 50; ++round) EXPECT_FALSE(connector.look(now));
  EXPECT_TRUE(connector.look(start + seconds(60)));
  EXPECT_FALSE(connector.is_in());
}

}  // namespace
}  // namespace comex::worlds
