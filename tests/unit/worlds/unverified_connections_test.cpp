// What strangers at a port cost, and that the right caller gets in among them: real sockets, a stepped clock.
#include <gtest/gtest.h>

#include <thread>

#include "support/strangers.h"
#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {
namespace {

using Clock = Deadline::Clock;
using testing::ManyStrangers;
using testing::Says;

constexpr int rounds_of_strangers = 20'000;  // of looking; far more than a local connection ever needs
constexpr std::size_t most_descriptors = 48;
constexpr std::size_t most_bytes = std::size_t{1} << 20;

struct Row {
  const char* name;
  Says says;
  std::size_t count;
  std::size_t kept;
};

class Strangers : public ::testing::TestWithParam<Row> {
 protected:
  bool is_let_in(PortConnector& connector) {
    for (int round = 0; round < rounds_of_strangers && !connector.is_in(); ++round) {
      handshake.look(now);
      connector.look(now);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      now += std::chrono::microseconds(100);
    }
    return connector.is_in();
  }

  Clock::time_point now = Clock::time_point() + std::chrono::hours(1);
  worlds::Listener listener = std::move(worlds::Listener::open("127.0.0.1")).value();
  PortListener handshake{listener, Deadline(600, now)};
};

TEST_P(Strangers, hold_little_and_keep_nobody_out) {
  const Row& row = GetParam();
  const std::size_t descriptors = testing::open_descriptors();
  const std::size_t bytes = testing::allocated_bytes();
  ManyStrangers strangers(listener.name(), row.says, row.kept);
  for (std::size_t i = 0; i < row.count; ++i) {
    ASSERT_NO_FATAL_FAILURE(strangers.add());
    handshake.look(now);
  }
  for (int more = 0; more < 40; ++more) {
    strangers.say_more();
    handshake.look(now);
  }
  EXPECT_LE(testing::open_descriptors() - strangers.size(), descriptors + most_descriptors);
  EXPECT_LE(testing::allocated_bytes(), bytes + most_bytes);
  PortConnector connector(worlds::resolve(listener.name()).value(), hello_of_leader(listener.name().cookie),
                          Deadline(600, now));
  EXPECT_TRUE(is_let_in(connector)) << connector.last_error();
}

INSTANTIATE_TEST_SUITE_P(At, Strangers,
                         ::testing::Values(Row{"idle", Says::nothing, 500, 500},
                                           Row{"many", Says::nothing, 2000, 400},
                                           Row{"half_closed", Says::end, 500, 100},
                                           Row{"garbage", Says::garbage, 100, 100},
                                           Row{"wrong_cookies", Says::wrong_cookie, 500, 100},
                                           Row{"empty_frames", Says::empty_frames, 20, 20},
                                           Row{"oversized", Says::a_huge_frame, 20, 20},
                                           Row{"slow", Says::little_by_little, 100, 100}),
                         [](const auto& one) { return std::string(one.param.name); });

using OneStranger = Strangers;

TEST_F(OneStranger, is_sent_away_after_its_time_however_slowly_it_speaks) {
  ManyStrangers strangers(listener.name(), Says::little_by_little, 1);
  strangers.add();
  for (int second = 0; second < 5; ++second) {
    handshake.look(now);
    EXPECT_EQ(strangers.gone(), 0U) << second;
    strangers.say_more();
    now += std::chrono::seconds(1);
  }
  handshake.look(now);
  EXPECT_EQ(strangers.gone(), 1U);
}

}  // namespace
}  // namespace comex::worlds
