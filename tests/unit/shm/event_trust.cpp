#include "shm/event_trust.h"

#include <gtest/gtest.h>

namespace comex::shm {
namespace {

constexpr std::uint64_t first_ns = 1000;
constexpr std::uint64_t most_ns = 20'000;

std::uint32_t messages_until_it_listens(EventTrust& trust) {
  std::uint32_t messages = 0;
  for (; !trust.listens(); ++messages) trust.on_unheard_message();
  return messages;
}

TEST(EventTrust, begins_with_naps_as_ever_and_listens) {
  const EventTrust trust(first_ns, most_ns);
  EXPECT_TRUE(trust.listens());
  EXPECT_FALSE(trust.is_earned());
  EXPECT_EQ(trust.longest_ns(), first_ns);
}

TEST(EventTrust, grows_with_messages_that_come_with_events_up_to_its_bound) {
  EventTrust trust(first_ns, most_ns);
  for (const std::uint64_t longest : {4000u, 16'000u, 20'000u, 20'000u}) {
    trust.on_message(true);
    EXPECT_TRUE(trust.is_earned());
    EXPECT_EQ(trust.longest_ns(), longest);
  }
}

TEST(EventTrust, is_lost_with_one_message_without_an_event) {
  EventTrust trust(first_ns, most_ns);
  trust.on_message(true);
  trust.on_message(false);
  EXPECT_FALSE(trust.is_earned());
  EXPECT_FALSE(trust.listens());
  EXPECT_EQ(trust.longest_ns(), first_ns);
}

TEST(EventTrust, is_lost_with_four_events_in_a_row_without_a_message) {
  EventTrust trust(first_ns, most_ns);
  trust.on_message(true);
  for (int i = 0; i < 3; ++i) trust.on_event_alone();
  trust.on_message(true);
  for (int i = 0; i < 3; ++i) trust.on_event_alone();
  EXPECT_TRUE(trust.listens());
  EXPECT_EQ(trust.longest_ns(), 16'000u);
  trust.on_event_alone();
  EXPECT_FALSE(trust.listens());
  EXPECT_EQ(trust.longest_ns(), first_ns);
}

TEST(EventTrust, listens_again_after_twice_as_many_messages_each_time_it_is_lost) {
  EventTrust trust(first_ns, most_ns);
  std::uint32_t wanted = 2;
  for (int times = 0; times < 14; ++times) {
    trust.on_message(false);
    EXPECT_EQ(messages_until_it_listens(trust), wanted);
    wanted = std::min(2 * wanted, 1024u);
  }
}

TEST(EventTrust, never_sleeps_less_than_the_naps_it_began_with) {
  EventTrust trust(most_ns * 2, most_ns);
  trust.on_message(true);
  EXPECT_EQ(trust.longest_ns(), most_ns * 2);
  EXPECT_FALSE(trust.is_earned());
}

}  // namespace
}  // namespace comex::shm
