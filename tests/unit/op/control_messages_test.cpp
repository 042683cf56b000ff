// Control messages as another process may send them: in pieces, and with a length that never comes.
#include "op/control_messages.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/protocol.h"
#include "support/loopback_transport.h"

namespace comex::op {
namespace {

class Control : public testing::Test {
 protected:
  void say(const protocol::ControlHeader& header, std::size_t bytes) {
    std::vector<std::byte> message(sizeof header + bytes, std::byte{5});
    std::memcpy(message.data(), &header, sizeof header);
    control.on_message({1, message});
  }

  transport::LoopbackFabric fabric{2};
  ControlMessages control{fabric.endpoint(0)};
};

TEST_F(Control, a_length_costs_nothing_before_its_bytes_come) {
  protocol::ControlHeader header;
  header.bytes = std::uint64_t{1} << 60;
  say(header, 8);
  EXPECT_FALSE(control.take(1, 0, 0, 0));
  say(header, 8);
  EXPECT_FALSE(control.take(1, 0, 0, 0));
}

TEST_F(Control, pieces_make_one_message) {
  protocol::ControlHeader header;
  header.bytes = 12;
  say(header, 8);
  EXPECT_FALSE(control.take(1, 0, 0, 0));
  say(header, 4);
  EXPECT_EQ(control.take(1, 0, 0, 0), std::vector<std::byte>(12, std::byte{5}));
}

TEST_F(Control, more_bytes_than_announced_end_the_job) {
  protocol::ControlHeader header;
  header.bytes = 4;
  EXPECT_DEATH(say(header, 8), "comex: bug at .*control_messages");
}

}  // namespace
}  // namespace comex::op
