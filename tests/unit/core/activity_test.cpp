#include "core/activity.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace comex::activity {
namespace {

// A block with its rows, as they lie in a board.
class Board {
 public:
  Board(std::uint32_t slots, std::uint32_t hosts, bool counts_sizes)
      : bytes_(bytes_for(slots, hosts) + 64),
        begin_(bytes_.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64)),
        recorder(begin_, slots, hosts, counts_sizes) {}
  const Peer& row(std::size_t at) const { return reinterpret_cast<const Peer*>(begin_ + sizeof(Block))[at]; }

 private:
  std::vector<std::byte> bytes_;
  std::byte* begin_;

 public:
  Recorder recorder;
};

TEST(Activity, classes_of_sizes_are_powers_of_four) {
  const auto classes = {std::pair(0u, 0u), {1u, 0u},  {2u, 1u},  {4u, 1u},
                        {5u, 2u},          {16u, 2u}, {17u, 3u}, {1u << 30, 15u}};
  for (const auto& [bytes, expected] : classes) EXPECT_EQ(class_of(bytes), expected) << bytes;
  EXPECT_EQ(class_of(UINT64_MAX), size_classes - 1);
}

TEST(Activity, counts_by_peer_and_kind) {
  const Board board(3, 2, false);
  board.recorder.count_near(Kind::get, 2, 100);
  board.recorder.count_near(Kind::get, 2, 28);
  board.recorder.count_far(Kind::acc, 1, 7);
  board.recorder.count_other_world(Kind::rmw, 8);
  const auto of = [&](std::size_t row, Kind kind) -> const Tally& {
    return board.row(row).by_kind[static_cast<std::size_t>(kind)];
  };
  EXPECT_EQ(of(2, Kind::get).count.get(), 2u);
  EXPECT_EQ(of(2, Kind::get).amount.get(), 128u);
  EXPECT_EQ(of(4, Kind::acc).amount.get(), 7u);
  EXPECT_EQ(of(5, Kind::rmw).count.get(), 1u);
  EXPECT_EQ(of(2, Kind::put).count.get(), 0u);
  EXPECT_EQ(board.recorder.block().sizes[1][class_of(100)].get(), 0u);  // sizes are not counted
}

TEST(Activity, many_hosts_share_rows) {
  const Board board(1, 1000, true);
  board.recorder.count_far(Kind::put, 999, 5);
  EXPECT_EQ(board.row(1 + 999 % most_host_rows).by_kind[0].amount.get(), 5u);
  EXPECT_EQ(board.recorder.block().sizes[0][class_of(5)].get(), 1u);
}

TEST(Activity, a_wait_can_be_read_until_it_ends) {
  const Board board(1, 1, true);
  const CurrentWait& wait = board.recorder.block().current[0];
  const Recorder::Wait fence{
      .name = "a_name_that_is_longer_than_the_room", .waiting = Waiting::fence, .kind = 9, .target = 3};
  const std::size_t row = board.recorder.begin_wait(fence, 55);
  EXPECT_EQ(wait.since_ns.get(), 55u);
  EXPECT_EQ(wait.target.get(), 4u);
  EXPECT_EQ(wait.waiting.get(), std::uint64_t{static_cast<unsigned>(Waiting::fence)} << 32 | 9);
  EXPECT_EQ(wait.server.get(), 0u);
  char name[CurrentWait::name_bytes];
  std::memcpy(name, static_cast<const void*>(wait.name.data()), sizeof name);
  EXPECT_STREQ(name, "a_name_that_is_longer_t");
  board.recorder.end_wait(row, fence, 55, 100);
  EXPECT_EQ(wait.since_ns.get(), 0u);
  EXPECT_EQ(board.recorder.block().waits[1].amount.get(), 45u);
}

TEST(Activity, threads_wait_in_rows_of_their_own) {
  const Board board(1, 1, true);
  const auto& rows = board.recorder.block().current;
  for (std::size_t i = 0; i < most_waits; ++i) EXPECT_EQ(board.recorder.begin_wait({}, 10 + i), i);
  EXPECT_EQ(board.recorder.begin_wait({}, 99), most_waits) << "all are taken: it is not shown";
  board.recorder.end_wait(most_waits, {}, 99, 100);
  EXPECT_EQ(rows[2].since_ns.get(), 12u);
  board.recorder.end_wait(2, {}, 12, 100);
  EXPECT_EQ(rows[2].since_ns.get(), 0u);
  EXPECT_EQ(rows[1].since_ns.get(), 11u);
  EXPECT_EQ(board.recorder.begin_wait({}, 101), 2u);
}

TEST(Activity, attempts_last_while_the_same_call_fails_again_and_again) {
  const Board board(1, 1, true);
  const Recorder& recorder = board.recorder;
  const Attempts& attempts = recorder.block().attempts;
  EXPECT_FALSE(recorder.failed_before(7, 10)) << "nothing was tried";
  recorder.show_attempt({.name = "trylock", .kind = 7, .target = 3, .mutex = 2}, 0, 10, 10);
  EXPECT_EQ(recorder.failed_before(7, 20).value_or(Recorder::Failed{}).since_ns, 10u);
  EXPECT_FALSE(recorder.failed_before(9, 20)) << "another call";
  recorder.repeat_attempt(20);
  EXPECT_EQ(attempts.last_ns.get(), 20u);
  EXPECT_TRUE(recorder.failed_before(7, 19 + attempts_apart_ns));
  EXPECT_FALSE(recorder.failed_before(7, 20 + attempts_apart_ns)) << "that was long ago";
}

TEST(Activity, attempts_end_when_the_one_that_failed_succeeds) {
  const Board board(1, 1, true);
  const Recorder& recorder = board.recorder;
  const auto goes_on = [&] { return recorder.failed_before(9, 11).has_value(); };
  recorder.show_attempt({.name = "test", .kind = 9}, 44, 10, 10);
  EXPECT_EQ(recorder.failed_before(9, 11).value_or(Recorder::Failed{}).handle, 44);
  recorder.end_attempts(7);
  recorder.end_attempts(9, 45);
  EXPECT_TRUE(goes_on()) << "another call, and another handle";
  recorder.end_attempts(9, 44);
  EXPECT_FALSE(goes_on());
  Recorder().end_attempts(9);
}

TEST(Activity, a_call_tells_what_it_waits_for) {
  EXPECT_EQ(waiting_of("fence_all", false), Waiting::fence);
  EXPECT_EQ(waiting_of("lock", true), Waiting::mutex);
  EXPECT_EQ(waiting_of("wait_until", false), Waiting::word);
  EXPECT_EQ(waiting_of("receive", false), Waiting::message);
  EXPECT_EQ(waiting_of("barrier", false), Waiting::members);
  EXPECT_EQ(waiting_of("reduction", false), Waiting::members);
  EXPECT_EQ(waiting_of("malloc_local", false), Waiting::other);
  EXPECT_EQ(waiting_of("get", true), Waiting::data);
  EXPECT_EQ(waiting_of("wait", false), Waiting::data);
  EXPECT_EQ(waiting_of("disconnect", false), Waiting::other);
}

}  // namespace
}  // namespace comex::activity
