#include "worlds/connect/ports/life_watch.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/strangers.h"
#include "worlds/connect/ports/port_handshake.h"

namespace comex::worlds {
namespace {

constexpr WorldId near_world = 6;
constexpr WorldId far_world = 7;
constexpr BridgeId near_bridge = 1;
constexpr BridgeId far_bridge = 2;

// The two ends of a link.
Result<FramedSocket> link_to(const PortName& port, WorldId mine, const Deadline& deadline) {
  Listener nobody_comes;
  const std::pair<WorldId, PortName> other{near_world, port};
  MadeLinks made = make_links(mine, std::span(&other, 1), nobody_comes, 0, deadline);
  if (made.links.empty()) return environment_error(made.trouble);
  return std::move(made.links.begin()->second);
}
bool await_links(Listener& listener, std::uint32_t expected, const Deadline& deadline, LivenessLinks& came) {
  MadeLinks made = make_links(near_world, {}, listener, expected, deadline);
  const bool are_all = made.links.size() == expected;
  came.merge(made.links);
  return are_all;
}

std::future<Result<FramedSocket>> ties_itself(const PortName& port, WorldId world) {
  return std::async(std::launch::async, [port, world] { return link_to(port, world, Deadline(20)); });
}

// Both ends of one link; returns the far one.
FramedSocket make_tie(Listener& listener, LivenessLinks& near_end) {
  std::future<Result<FramedSocket>> caller = ties_itself(listener.name(), far_world);
  EXPECT_TRUE(await_links(listener, 1, Deadline(20), near_end));
  return std::move(caller.get()).value();
}

LivenessLinks links_with(FramedSocket channel) {
  LivenessLinks links;
  links.emplace(far_world, std::move(channel));
  return links;
}

// All that a watch reports, until it reports something or the time is over.
std::vector<EndedLink> wait_for_end(LifeWatch& watch) {
  std::vector<EndedLink> ended;
  for (int round = 0; round < 20'000 && ended.empty(); ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ended = watch.take_ended();
  }
  return ended;
}

// Looks for long enough to see what has already come.
std::vector<EndedLink> look(LifeWatch& watch) {
  std::vector<EndedLink> ended = watch.take_ended();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (const EndedLink& each : watch.take_ended()) ended.push_back(each);
  return ended;
}

void expect_one(const std::vector<EndedLink>& ended, LinkEnd how) {
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().how, how);
  EXPECT_EQ(ended.front().bridge, near_bridge);
  EXPECT_EQ(ended.front().world, far_world);
}

// Two watches with one link between them.
struct LinkedPair {
  std::unique_ptr<LifeWatch> near = std::make_unique<LifeWatch>();
  std::unique_ptr<LifeWatch> far = std::make_unique<LifeWatch>();

  LinkedPair() {
    Listener listener = std::move(Listener::open("127.0.0.1")).value();
    LivenessLinks near_end;
    FramedSocket far_end = make_tie(listener, near_end);
    near->add(near_bridge, std::move(near_end));
    far->add(far_bridge, links_with(std::move(far_end)));
  }
};

TEST(LifeWatch, tells_of_a_death) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  LifeWatch watch;
  {
    LivenessLinks mine;
    const FramedSocket other = make_tie(listener, mine);
    watch.add(near_bridge, std::move(mine));
    EXPECT_TRUE(look(watch).empty());
  }  // the other end closes without a word
  expect_one(wait_for_end(watch), LinkEnd::none);
  EXPECT_TRUE(look(watch).empty());
}

TEST(LifeWatch, does_not_tell_of_parting) {
  LinkedPair linked;
  linked.far->end(far_bridge, true);
  linked.far.reset();
  EXPECT_TRUE(look(*linked.near).empty());
  linked.near->end(near_bridge, true);
  EXPECT_TRUE(look(*linked.near).empty());
}

TEST(LifeWatch, does_not_tell_of_an_end_that_came_before_parting) {
  LinkedPair linked;
  linked.near->break_all(1);
  linked.near->end(near_bridge, true);
  EXPECT_TRUE(look(*linked.near).empty());
}

TEST(LifeWatch, tells_once_that_the_other_side_has_ended) {
  LinkedPair linked;
  linked.far.reset();
  expect_one(wait_for_end(*linked.near), LinkEnd::ended);
  EXPECT_TRUE(look(*linked.near).empty());
}

TEST(LifeWatch, tells_both_sides_that_one_goes_on_alone) {
  LinkedPair linked;
  linked.far->break_all(1);
  const std::vector<EndedLink> here = linked.far->take_ended();
  ASSERT_EQ(here.size(), 1U);
  EXPECT_EQ(here.front().how, LinkEnd::broken_here);
  expect_one(wait_for_end(*linked.near), LinkEnd::broken);
  linked.far->break_all(1);
  EXPECT_TRUE(linked.far->take_ended().empty());
  linked.far->end(far_bridge, true);
  linked.far.reset();
  EXPECT_TRUE(look(*linked.near).empty());
}

TEST(LifeWatch, of_one_that_left_alone_still_tells_of_its_death_and_parts_at_its_end) {
  LinkedPair linked;
  linked.far->end(far_bridge, false);
  EXPECT_TRUE(look(*linked.near).empty());
  linked.far.reset();
  EXPECT_TRUE(look(*linked.near).empty());
  LinkedPair dying;
  dying.far->end(far_bridge, false);
  dying.far->break_all(1);
  EXPECT_TRUE(dying.far->take_ended().empty());
  expect_one(wait_for_end(*dying.near), LinkEnd::broken);
}

TEST(LifeWatch, lets_go_of_a_link_that_both_sides_have_left_alone) {
  const std::size_t before = comex::testing::open_descriptors();
  LinkedPair linked;
  EXPECT_GT(comex::testing::open_descriptors(), before);
  linked.far->end(far_bridge, false);
  EXPECT_TRUE(look(*linked.near).empty());
  linked.near->end(near_bridge, false);
  for (int round = 0; round < 20'000 && comex::testing::open_descriptors() > before; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    EXPECT_TRUE(linked.far->take_ended().empty());
    EXPECT_TRUE(linked.near->take_ended().empty());
  }
  EXPECT_EQ(comex::testing::open_descriptors(), before);
}

// The end follows so soon that both words may be read at once.
TEST(LifeWatch, tells_the_first_word_of_two) {
  LinkedPair linked;
  linked.far->break_all(1);
  linked.far->end(far_bridge, true);
  linked.far.reset();
  expect_one(wait_for_end(*linked.near), LinkEnd::broken);
}

TEST(LifeWatch, breaks_links_that_the_other_side_has_parted) {
  LinkedPair linked;
  linked.far->end(far_bridge, true);
  linked.far.reset();
  EXPECT_TRUE(look(*linked.near).empty());
  linked.near->break_all(1);
  expect_one(linked.near->take_ended(), LinkEnd::broken_here);
}

TEST(LifeWatch, breaks_what_was_linked_before_the_death) {
  LifeWatch watch;
  watch.break_all(2);
  std::vector<FramedSocket> others;
  for (const std::uint32_t dead_workers : {1u, 2u}) {
    Listener listener = std::move(Listener::open("127.0.0.1")).value();
    LivenessLinks mine;
    others.push_back(make_tie(listener, mine));
    watch.add(dead_workers == 1 ? near_bridge : far_bridge, std::move(mine), dead_workers);
  }
  expect_one(look(watch), LinkEnd::broken_here);  // the other one was made without the two
}

TEST(LifeWatch, tells_of_a_death_when_another_of_its_world_has_parted) {
  LifeWatch watch;
  LivenessLinks mine;
  std::vector<FramedSocket> others;
  for (int each = 0; each < 2; ++each) {
    Listener listener = std::move(Listener::open("127.0.0.1")).value();
    others.push_back(make_tie(listener, mine));
  }
  watch.add(near_bridge, std::move(mine));
  const std::byte parted{static_cast<unsigned char>(LinkEnd::parted)};
  others[0].send(std::span(&parted, 1));
  others[0].close();
  EXPECT_TRUE(look(watch).empty());
  others[1].close();
  expect_one(wait_for_end(watch), LinkEnd::none);
}

TEST(LifeWatch, learns_of_which_world_each_is_and_sends_strangers_away) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  PortName wrong = listener.name();
  wrong.cookie = draw_cookie();
  auto stranger = std::async(std::launch::async, [&] { return link_to(wrong, far_world, Deadline(0.05)); });
  auto caller = ties_itself(listener.name(), far_world);
  auto other = ties_itself(listener.name(), far_world + 1);
  LivenessLinks came;
  EXPECT_TRUE(await_links(listener, 2, Deadline(20), came));
  EXPECT_TRUE(caller.get());
  EXPECT_TRUE(other.get());
  EXPECT_FALSE(stranger.get());
  EXPECT_EQ(came.size(), 2U);
  EXPECT_EQ(came.count(far_world), 1U);
  EXPECT_EQ(came.count(far_world + 1), 1U);
  LivenessLinks more;
  EXPECT_FALSE(await_links(listener, 1, Deadline(0.05), more));
}

// Each waits for the other, and connects to it.
TEST(LifeWatch, waits_for_nobody_at_a_listener_that_is_closed) {
  Listener closed;
  LivenessLinks came;
  EXPECT_FALSE(await_links(closed, 1, Deadline(Deadline::never), came));
}

TEST(LifeWatch, makes_the_links_of_two_that_wait_for_each_other) {
  Listener near = std::move(Listener::open("127.0.0.1")).value();
  Listener far = std::move(Listener::open("127.0.0.1")).value();
  const std::pair<WorldId, PortName> to_near{near_world, near.name()};
  const std::pair<WorldId, PortName> to_far{far_world, far.name()};
  auto there = std::async(std::launch::async, [&] {
    return make_links(far_world, std::span(&to_near, 1), far, 1, Deadline(20));
  });
  for (const MadeLinks& made :
       {make_links(near_world, std::span(&to_far, 1), near, 1, Deadline(20)), there.get()}) {
    EXPECT_EQ(made.links.size(), 2U);
    EXPECT_EQ(made.trouble, "");
  }
}

struct StrangerRow {
  testing::Says says;
  int count;
  std::size_t kept;
};
class LifeWatchAmongStrangers : public ::testing::TestWithParam<StrangerRow> {};

TEST_P(LifeWatchAmongStrangers, is_tied_to_the_right_one) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  const std::size_t descriptors = comex::testing::open_descriptors();
  const std::size_t bytes = testing::allocated_bytes();
  std::atomic<bool> is_tied{false};
  LivenessLinks came;
  testing::ManyStrangers strangers(listener.name(), GetParam().says, GetParam().kept);
  const auto waits =
      std::async(std::launch::async, [&] { is_tied = await_links(listener, 1, Deadline(20), came); });
  for (int i = 0; i < GetParam().count; ++i) {
    ASSERT_NO_FATAL_FAILURE(strangers.add());
    if (i % 100 == 99) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // no more than may wait
  }
  for (int more = 0; more < 40; ++more) {
    strangers.say_more();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LE(comex::testing::open_descriptors() - strangers.size(), descriptors + 48);
  EXPECT_LE(testing::allocated_bytes(), bytes + (std::size_t{1} << 20));
  const auto caller = link_to(listener.name(), far_world, Deadline(5));
  waits.wait();
  EXPECT_TRUE(is_tied);
  EXPECT_EQ(came.count(far_world), 1U);
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
  EXPECT_TRUE(await_links(listener, guests, Deadline(20), came));
  for (auto& far_end : far_ends) EXPECT_TRUE(far_end.get());
  is_over = true;
  others.join();
  EXPECT_EQ(came.count(far_world), guests);
}

TEST(LifeWatch, is_tied_to_one_that_was_sent_away_before_it_was_known) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  std::future<Result<FramedSocket>> caller = ties_itself(listener.name(), far_world);
  while (!listener.accept()) std::this_thread::yield();
  LivenessLinks came;
  EXPECT_TRUE(await_links(listener, 1, Deadline(5), came));
  EXPECT_TRUE(caller.get());
  EXPECT_EQ(came.count(far_world), 1U);
}

// A listener's queue may be full for a moment.
TEST(LifeWatch, is_tied_to_one_that_was_refused_at_first) {
  PortName port;
  {
    const Listener early = std::move(Listener::open("127.0.0.1")).value();
    port = early.name();
  }
  std::future<Result<FramedSocket>> caller = ties_itself(port, far_world);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Socket late(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int again = 1;
  ::setsockopt(late.get(), SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  const Address here = resolve(port)->front();
  if (::bind(late.get(), here.get(), here.bytes) != 0) GTEST_SKIP() << "somebody else has taken the port";
  ASSERT_EQ(::listen(late.get(), 8), 0);
  std::optional<FramedSocket> came;
  bool has_said = false;
  for (int round = 0; round < 20'000 && !has_said; ++round) {
    if (Socket next(::accept4(late.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)); next && !came)
      came.emplace(std::move(next));
    has_said = came && came->step() && came->take().has_value();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  ASSERT_TRUE(has_said);
  let_in(*came);
  EXPECT_TRUE(caller.get());
}

// Nor is the end of one that has given up a death to the other side, which hears of it too late.
TEST(LifeWatch, takes_leave_where_it_is_not_welcomed_in_time) {
  Listener listener = std::move(Listener::open("127.0.0.1")).value();
  EXPECT_FALSE(link_to(listener.name(), far_world, Deadline(0.5)));
  LivenessLinks came;
  ASSERT_TRUE(await_links(listener, 1, Deadline(20), came));
  LifeWatch watch;
  watch.add(near_bridge, std::move(came));
  EXPECT_TRUE(look(watch).empty());
}

// A line that others may read.
TEST(LifeWatch, does_not_show_the_cookie_where_nobody_answers) {
  const PortName gone = std::move(Listener::open("127.0.0.1")).value().name();
  EXPECT_FALSE(link_to(gone, far_world, Deadline(0)));
  EXPECT_FALSE(link_to({"no such host", 4711, gone.cookie}, far_world, Deadline(0)));
  const auto link = link_to(gone, far_world, Deadline(0.1));
  ASSERT_FALSE(link);
  EXPECT_NE(link.failure().text.find("127.0.0.1:"), std::string::npos) << link.failure().text;
  EXPECT_EQ(link.failure().text.find(gone.cookie), std::string::npos) << link.failure().text;
}

}  // namespace
}  // namespace comex::worlds
