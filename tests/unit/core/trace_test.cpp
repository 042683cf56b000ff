#include "core/trace.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/activity.h"

namespace comex::trace {
namespace {

TEST(TraceLog, keeps_the_first_events_and_counts_the_others) {
  Log log(3);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const std::uint32_t event = log.add({.bytes = i, .what = What::operation});
    EXPECT_EQ(event, i < 3 ? i + 1 : 0U);
    log.end(event);
  }
  ASSERT_EQ(log.events().size(), 3U);
  EXPECT_EQ(log.lost(), 2U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Event& event = log.events()[i];
    EXPECT_EQ(event.bytes, i);
    EXPECT_LE(event.begin_ns, event.end_ns);
  }
}

TEST(TraceLog, takes_events_of_several_threads) {
  constexpr std::uint64_t each = 1000;
  Log log(4 * each);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log] {
      for (std::uint64_t n = 0; n < each; ++n) log.end(log.add({.bytes = 1, .what = What::operation}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const Event& event : log.events()) sum += event.bytes;
  EXPECT_EQ(sum, 4 * each);
  EXPECT_EQ(log.lost(), 0U);
}

TEST(TraceLog, has_what_a_recorder_counts) {
  std::vector<std::byte> bytes(activity::bytes_for(2, 1));
  Log log(10);
  const activity::Recorder recorder(bytes.data(), 2, 1, false, &log);
  EXPECT_TRUE(recorder.counts_all());
  const std::uint32_t put = recorder.count_near(activity::Kind::put, 1, 64);
  EXPECT_NE(put, 0U);
  recorder.end_event(put);
  EXPECT_EQ(recorder.count_near(activity::Kind::put, 1, 64, 65), 0U) << "its end is not looked at";
  recorder.count_far(activity::Kind::get, 0, 128);
  recorder.end_wait(0, {.name = "barrier", .target = 7}, 10, 30);
  const auto events = log.events();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_STREQ(events[0].name, "put");
  EXPECT_EQ(events[1].begin_ns, events[1].end_ns);
  EXPECT_EQ(events[0].peer, 1);
  EXPECT_EQ(events[2].peer, 2) << "behind the slots of the host";
  EXPECT_EQ(events[3].what, What::wait);
  EXPECT_EQ(events[3].begin_ns, 10U);
  EXPECT_EQ(events[3].end_ns, 30U);
}

TEST(TraceLog, knows_hosts_that_share_a_row) {
  std::vector<std::byte> bytes(activity::bytes_for(2, 300));
  Log log(10);
  const activity::Recorder recorder(bytes.data(), 2, 300, false, &log);
  recorder.count_far(activity::Kind::get, 3, 8);
  recorder.count_far(activity::Kind::get, 259, 8);
  recorder.count_other_world(activity::Kind::get, 8);
  const auto events = log.events();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].peer, 5);
  EXPECT_EQ(events[1].peer, 261);
  EXPECT_EQ(events[2].peer, 302) << "behind all hosts";
}

TEST(TraceLog, is_not_there_without_being_asked_for) {
  std::vector<std::byte> bytes(activity::bytes_for(1, 1));
  const activity::Recorder recorder(bytes.data(), 1, 1, true);
  EXPECT_EQ(recorder.count_near(activity::Kind::put, 0, 64), 0U);
}

}  // namespace
}  // namespace comex::trace
