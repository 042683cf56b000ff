#include "worlds/connect/ports/life_watch.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "support/strangers.h"

namespace comex::worlds {
namespace {

constexpr WorldId far_world = 7;

std::future<Result<FramedSocket>> ties_itself(const PortName& port, WorldId world) {
  return std::async(std::launch::async, [port, world] { return link_to(port, world, 20'000); });
}

// Both ends of one link.
std::vector<FramedSocket> make_tie(Listener& listener, std::vector<FramedSocket>& near_end) {
  std::future<Result<FramedSocket>> guest = ties_itself(listener.name(), far_world);
  LivenessLinks came;
  EXPECT_TRUE(await_links(listener, 1, 20'000, came));
  near_end = std::move(came[far_world]);
  std::vector<FramedSocket> far_end;
  far_end.push_back(std::move(guest.get()).value());
  return far_end;
}

// Two watches with one link between them.
struct LinkedPair {
  std::atomic<int> told{-1};  // to the near side: how the link has ended
  std::atomic<int> times{0};
  std::unique_ptr<LifeWatch> near = std::make_unique<LifeWatch>();
  std::unique_ptr<LifeWatch> far = std::make_unique<LifeWatch>();
  LifeWatch::Id near_link = 0;
  LifeWatch::Id far_link = 0;

  LinkedPair() {
    Listener listener = std::move(Listener::open("127.0.0.1")).value();
    std::vector<FramedSocket> near_end;
    std::vector<FramedSocket> far_end = make_tie(listener, near_end);
    near_link = near->add(std::move(near_end), [this](LinkEnd how) {
      told = static_cast<int>(how);
      ++times;
    });
    far_link = far->add(std::move(far_end), [](LinkEnd) {});
  }
  bool hears() const {
    for (int round = 0; round < 20'000 && times == 0; ++round) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return times != 0;
  }
};

TEST(LifeWatch, tells_of_a_death) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  std::atomic<int> told{-1};
  LifeWatch watch;
  {
    std::vector<FramedSocket> mine;
    const std::vector<FramedSocket> other = make_tie(listener, mine);
    watch.add(std::move(mine), [&](LinkEnd how) { told = static_cast<int>(how); });
    EXPECT_EQ(told, -1);
  }  // the other end closes without a word
  for (int round = 0; round < 20'000 && told == -1; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_EQ(told, static_cast<int>(LinkEnd::none));
}

TEST(LifeWatch, does_not_tell_of_parting) {
  LinkedPair linked;
  linked.far->end(linked.far_link, true);
  linked.far.reset();
  linked.near->end(linked.near_link, true);
  linked.near.reset();
  EXPECT_EQ(linked.times, 0);
}

TEST(LifeWatch, tells_once_that_the_other_side_has_ended) {
  LinkedPair linked;
  linked.far.reset();
  ASSERT_TRUE(linked.hears());
  EXPECT_EQ(linked.told, static_cast<int>(LinkEnd::ended));
  linked.near.reset();
  EXPECT_EQ(linked.times, 1);
}

TEST(LifeWatch, tells_both_sides_that_one_goes_on_alone) {
  LinkedPair linked;
  std::atomic<int> here{-1};
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  std::vector<FramedSocket> one_end;
  std::vector<FramedSocket> other_end = make_tie(listener, one_end);
  linked.far->add(std::move(one_end), [&](LinkEnd how) { here = static_cast<int>(how); });
  linked.far->break_all(1);
  EXPECT_EQ(here, static_cast<int>(LinkEnd::broken_here));
  ASSERT_TRUE(linked.hears());
  EXPECT_EQ(linked.told, static_cast<int>(LinkEnd::broken));
  linked.far->break_all(1);
  linked.far->end(linked.far_link, true);
  linked.far.reset();
  linked.near.reset();
  EXPECT_EQ(linked.times, 1);
}

TEST(LifeWatch, of_one_that_left_alone_still_tells_of_its_death_and_parts_at_its_end) {
  LinkedPair linked;
  linked.far->end(linked.far_link, false);
  EXPECT_EQ(linked.times, 0);
  linked.far.reset();
  linked.near->end(linked.near_link, true);
  linked.near.reset();
  EXPECT_EQ(linked.times, 0);
  LinkedPair dying;
  dying.far->end(dying.far_link, false);
  dying.far->break_all(1);
  ASSERT_TRUE(dying.hears());
  EXPECT_EQ(dying.told, static_cast<int>(LinkEnd::broken));
}

// The end follows so soon that both words may be read at once.
TEST(LifeWatch, tells_the_first_word_of_two) {
  LinkedPair linked;
  linked.far->break_all(1);
  linked.far->end(linked.far_link, true);
  linked.far.reset();
  ASSERT_TRUE(linked.hears());
  EXPECT_EQ(linked.told, static_cast<int>(LinkEnd::broken));
}

TEST(LifeWatch, breaks_links_that_the_other_side_has_parted) {
  LinkedPair linked;
  linked.far->end(linked.far_link, true);
  linked.far.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the watch reads it, and tells nobody
  linked.near->break_all(1);
  EXPECT_EQ(linked.told, static_cast<int>(LinkEnd::broken_here));
  EXPECT_EQ(linked.times, 1);
}

TEST(LifeWatch, breaks_what_was_linked_before_the_death) {
  std::array<std::atomic<int>, 2> told{-1, -1};  // outlives the watch, which sees the other ends close
  LifeWatch watch;
  watch.break_all(2);
  std::vector<std::vector<FramedSocket>> others;
  for (const std::uint32_t dead_workers : {1u, 2u}) {
    Listener listener = std::move(Listener::open("127.0.0.1")).value();
    std::vector<FramedSocket> mine;
    others.push_back(make_tie(listener, mine));
    const auto tell = [&told, dead_workers](LinkEnd how) { told[dead_workers - 1] = static_cast<int>(how); };
    watch.add(std::move(mine), tell, dead_workers);
  }
  EXPECT_EQ(told[0], static_cast<int>(LinkEnd::broken_here));
  EXPECT_EQ(told[1], -1) << "it was made without the two";
}

TEST(LifeWatch, tells_of_a_death_when_another_of_its_world_has_parted) {
  std::atomic<int> told{-1};
  LifeWatch watch;
  std::vector<FramedSocket> mine;
  std::vector<std::vector<FramedSocket>> others;
  for (int each = 0; each < 2; ++each) {
    Listener listener = std::move(Listener::open("127.0.0.1")).value();
    std::vector<FramedSocket> one;
    others.push_back(make_tie(listener, one));
    mine.push_back(std::move(one.front()));
  }
  watch.add(std::move(mine), [&](LinkEnd how) { told = static_cast<int>(how); });
  const std::byte parted{static_cast<unsigned char>(LinkEnd::parted)};
  others[0].front().send(std::span(&parted, 1));
  others[0].clear();
  others[1].clear();
  for (int round = 0; round < 20'000 && told == -1; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_EQ(told, static_cast<int>(LinkEnd::none));
}

TEST(LifeWatch, watches_further_ties_while_it_sleeps) {
  std::atomic<int> deaths{0};
  LifeWatch watch;
  for (int link = 1; link <= 3; ++link) {
    Listener listener = std::move(Listener::open("127.0.0.1")).value();
    std::vector<FramedSocket> mine;
    {
      const std::vector<FramedSocket> other = make_tie(listener, mine);
      watch.add(std::move(mine), [&](LinkEnd) { ++deaths; });
    }
    for (int round = 0; round < 20'000 && deaths < link; ++round) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    EXPECT_EQ(deaths, link);
  }
}

TEST(LifeWatch, learns_of_which_world_each_is_and_sends_strangers_away) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  PortName wrong = listener.name();
  wrong.cookie = draw_cookie();
  auto stranger = std::async(std::launch::async, [&] { return link_to(wrong, far_world, 50); });
  auto guest = ties_itself(listener.name(), far_world);
  auto other = ties_itself(listener.name(), far_world + 1);
  LivenessLinks came;
  EXPECT_TRUE(await_links(listener, 2, 20'000, came));
  EXPECT_TRUE(guest.get());
  EXPECT_TRUE(other.get());
  EXPECT_FALSE(stranger.get());
  EXPECT_EQ(came.size(), 2U);
  EXPECT_EQ(came[far_world].size(), 1U);
  EXPECT_EQ(came[far_world + 1].size(), 1U);
  LivenessLinks more;
  EXPECT_FALSE(await_links(listener, 1, 50, more));
}

struct StrangerRow {
  testing::Says says;
  int count;
  std::size_t kept;
};
class LifeWatchAmongStrangers : public ::testing::TestWithParam<StrangerRow> {};

TEST_P(LifeWatchAmongStrangers, is_tied_to_the_right_one) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  const std::size_t descriptors = testing::open_descriptors();
  const std::size_t bytes = testing::allocated_bytes();
  std::atomic<bool> is_tied{false};
  LivenessLinks came;
  testing::ManyStrangers strangers(listener.name(), GetParam().says, GetParam().kept);
  const auto waits =
      std::async(std::launch::async, [&] { is_tied = await_links(listener, 1, 20'000, came); });
  for (int i = 0; i < GetParam().count; ++i) {
    ASSERT_NO_FATAL_FAILURE(strangers.add());
    if (i % 100 == 99) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // no more than may wait
  }
  for (int more = 0; more < 40; ++more) {
    strangers.say_more();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LE(testing::open_descriptors() - strangers.size(), descriptors + 48);
  EXPECT_LE(testing::allocated_bytes(), bytes + (std::size_t{1} << 20));
  const auto guest = link_to(listener.name(), far_world, 5000);
  waits.wait();
  EXPECT_TRUE(is_tied);
  EXPECT_EQ(came[far_world].size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(ManyStrangers, LifeWatchAmongStrangers,
                         ::testing::Values(StrangerRow{testing::Says::nothing, 500, 500},
                                           StrangerRow{testing::Says::nothing, 2000, 400},
                                           StrangerRow{testing::Says::end, 200, 200},
                                           StrangerRow{testing::Says::garbage, 200, 200},
                                           StrangerRow{testing::Says::wrong_cookie, 200, 200},
                                           StrangerRow{testing::Says::empty_frames, 20, 20},
                                           StrangerRow{testing::Says::a_huge_frame, 20, 20},
                                           StrangerRow{testing::Says::little_by_little, 20, 20}));

TEST(LifeWatch, is_tied_to_those_who_come_in_the_middle_of_strangers) {
  constexpr std::uint32_t guests = 8;
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  std::atomic<bool> is_over{false};
  std::thread others([&] {
    testing::ManyStrangers strangers(listener.name(), testing::Says::nothing, 200);
    for (int i = 0; i < 900 && !is_over; ++i) strangers.add();  // fewer than may wait to be accepted
  });
  std::vector<std::future<Result<FramedSocket>>> far_ends;
  for (std::uint32_t i = 0; i < guests; ++i) far_ends.push_back(ties_itself(listener.name(), far_world));
  LivenessLinks came;
  EXPECT_TRUE(await_links(listener, guests, 20'000, came));
  for (auto& far_end : far_ends) EXPECT_TRUE(far_end.get());
  is_over = true;
  others.join();
  EXPECT_EQ(came[far_world].size(), guests);
}

TEST(LifeWatch, is_tied_to_one_that_was_sent_away_before_it_was_known) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  std::future<Result<FramedSocket>> guest = ties_itself(listener.name(), far_world);
  while (!listener.accept()) std::this_thread::yield();
  LivenessLinks came;
  EXPECT_TRUE(await_links(listener, 1, 5000, came));
  EXPECT_TRUE(guest.get());
  EXPECT_EQ(came[far_world].size(), 1U);
}

// Nor is the end of one that has given up a death to the other side, which hears of it too late.
TEST(LifeWatch, takes_leave_where_it_is_not_welcomed_in_time) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  EXPECT_FALSE(link_to(listener.name(), far_world, 50));
  LivenessLinks came;
  ASSERT_TRUE(await_links(listener, 1, 20'000, came));
  std::atomic<int> deaths{0};
  LifeWatch watch;
  watch.add(std::move(came[far_world]), [&](LinkEnd) { ++deaths; });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(deaths, 0);
}

// A line that others may read.
TEST(LifeWatch, does_not_show_the_cookie_where_nobody_answers) {
  const PortName gone = std::move(Listener::open("127.0.0.1")).value().name();
  EXPECT_FALSE(link_to(gone, far_world, 0));
  EXPECT_FALSE(link_to({"no such host", 4711, gone.cookie}, far_world, 0));
  const auto link = link_to(gone, far_world, 5000);
  ASSERT_FALSE(link);
  EXPECT_NE(link.failure().text.find("127.0.0.1:"), std::string::npos) << link.failure().text;
  EXPECT_EQ(link.failure().text.find(gone.cookie), std::string::npos) << link.failure().text;
}

}  // namespace
}  // namespace comex::worlds
