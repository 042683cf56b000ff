// What a progress rank keeps of a wire goes with the wire, since MPI gives its handle again; and what it
// keeps of a dead worker goes with that.
#include "worlds/connect/progress_rank_calls.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/loopback_transport.h"

namespace comex::worlds {
namespace {

// Rank 0 is the progress rank; the others ask it for the lock.
class MeetingLocks : public ::testing::Test {
 protected:
  enum Phase : std::uint32_t { ask = 1, give_back = 2, granted = 3 };

  void say(TransportRank from, Phase phase, std::uint64_t number = 1) {
    protocol::ControlHeader header;
    header.context = progress_call_context;
    header.phase = phase;
    header.sequence = number;
    const auto bytes = std::as_bytes(std::span(&header, 1));
    calls_.on_message(fabric_.endpoint(0), MPI_COMM_WORLD, {from, bytes});
  }
  bool has_lock(TransportRank rank) {
    transport::Message message;
    fabric_.endpoint(0).progress();
    if (!fabric_.endpoint(rank).receive(message)) return false;
    protocol::ControlHeader header;
    std::memcpy(&header, message.data.data(), sizeof header);
    return header.phase == granted;
  }

  transport::LoopbackFabric fabric_{4, 1024};
  ProgressRankCalls calls_;
};

TEST_F(MeetingLocks, go_to_the_next_in_line_when_their_holder_or_one_before_it_has_died) {
  for (const TransportRank rank : {1, 2, 3}) say(rank, ask);
  EXPECT_TRUE(has_lock(1));
  calls_.forget_dead(MPI_COMM_WORLD, {1, 2});
  EXPECT_FALSE(has_lock(2));
  EXPECT_TRUE(has_lock(3));
  say(1, give_back);  // was under way when it died
  say(2, ask);
  say(3, give_back);
  say(3, ask);
  EXPECT_TRUE(has_lock(3));
}

TEST_F(MeetingLocks, are_given_back_by_who_waits_for_them_as_well) {
  for (const TransportRank rank : {1, 2, 3}) say(rank, ask);
  EXPECT_TRUE(has_lock(1));
  say(2, give_back);
  EXPECT_FALSE(has_lock(3));
  say(1, give_back);
  EXPECT_FALSE(has_lock(2));
  EXPECT_TRUE(has_lock(3));
}

// Its threads may lead meetings at a time.
TEST_F(MeetingLocks, of_one_worker_are_told_apart) {
  say(1, ask, 7);
  say(1, ask, 8);
  EXPECT_TRUE(has_lock(1));
  say(1, give_back, 7);
  EXPECT_TRUE(has_lock(1));
}

}  // namespace
}  // namespace comex::worlds
