// Flow control: the ledger on its own, and what a server makes of it.
#include "pr/credits.h"

#include <gtest/gtest.h>

#include "server_rig.h"

namespace comex::pr {
namespace {

using namespace rig;

TEST(Credits, give_everybody_one_and_no_more_without_a_pool) {
  Credits credits(0, 64);
  const Credits::Handle account = credits.open(1);
  EXPECT_TRUE(credits.admit(account));
  EXPECT_FALSE(credits.admit(account));
  EXPECT_FALSE(credits.owes(account));
  credits.finish(account);
  EXPECT_TRUE(credits.owes(account));
  EXPECT_EQ(credits.tell(account), 2U);
  EXPECT_FALSE(credits.owes(account));
  EXPECT_TRUE(credits.admit(account));
}

TEST(Credits, double_the_window_of_who_uses_up_its_limit_until_the_ceiling) {
  Credits credits(1000, 8);
  const Credits::Handle account = credits.open(1);
  std::vector<std::uint32_t> windows;
  for (unsigned round = 0; round < 5; ++round) {
    while (account->received < account->told) ASSERT_TRUE(credits.admit(account));
    windows.push_back(account->window);
    while (account->finished < account->received) credits.finish(account);
    credits.tell(account);
  }
  EXPECT_EQ(windows, (std::vector<std::uint32_t>{2, 4, 8, 8, 8}));
  EXPECT_EQ(credits.pool(), 1000U - 7U);
  credits.close(account);
  EXPECT_EQ(credits.pool(), 1000U);
}

TEST(Credits, do_not_grow_for_one_request_at_a_time) {
  Credits credits(1000, 64);
  const Credits::Handle account = credits.open(1);
  for (unsigned i = 0; i < 50; ++i) {
    ASSERT_TRUE(credits.admit(account));
    credits.finish(account);
    credits.tell(account);
  }
  EXPECT_EQ(account->window, 2U);
}

TEST(Credits, tell_only_when_half_a_window_is_untold) {
  Credits credits(7, 8);
  const Credits::Handle account = credits.open(1);
  for (unsigned round = 0; round < 4; ++round) {
    while (account->received < account->told) ASSERT_TRUE(credits.admit(account));
    while (account->finished < account->received) credits.finish(account);
    credits.tell(account);
  }
  ASSERT_EQ(account->window, 8U);
  for (unsigned i = 0; i < 3; ++i) {
    credits.admit(account);
    credits.finish(account);
    EXPECT_FALSE(credits.owes(account));
  }
  credits.admit(account);
  credits.finish(account);
  EXPECT_TRUE(credits.owes(account));
}

// Fills the pool's windows: `account` holds everything, idle.
void take_all(Credits& credits, Credits::Handle account) {
  while (credits.pool() != 0) {
    while (account->received < account->told) ASSERT_TRUE(credits.admit(account));
    while (account->finished < account->received) credits.finish(account);
    credits.tell(account);
  }
}

void send_one(Credits& credits, Credits::Handle account) {
  ASSERT_TRUE(credits.admit(account));
  credits.finish(account);
  credits.tell(account);
}

TEST(Credits, are_recalled_from_the_longest_idle_when_somebody_starves) {
  Credits credits(3, 4);
  const Credits::Handle rich = credits.open(1);
  const Credits::Handle poor = credits.open(2);
  take_all(credits, rich);
  EXPECT_EQ(credits.pick_idle(), nullptr) << "nobody has starved yet";
  for (unsigned i = 1; i < 16; ++i) {
    send_one(credits, poor);
    EXPECT_EQ(credits.pick_idle(), nullptr) << "not long enough idle";
  }
  ASSERT_TRUE(credits.admit(poor));
  EXPECT_EQ(poor->window, 1U);
  Credits::Account* asked = credits.pick_idle();
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->rank, 1);
  EXPECT_EQ(credits.pick_idle(), nullptr) << "asked once for one starving";

  EXPECT_TRUE(credits.return_credits(rich, rich->received));
  EXPECT_EQ(rich->window, 1U);
  EXPECT_EQ(rich->credit_returns, 1U);
  EXPECT_EQ(credits.pool(), 3U);
  EXPECT_TRUE(credits.owes(rich)) << "its own one is always told again";
  credits.finish(poor);
  credits.tell(poor);
  ASSERT_TRUE(credits.admit(poor));
  EXPECT_EQ(poor->window, 2U);
}

TEST(Credits, are_not_recalled_from_who_has_requests_here) {
  Credits credits(3, 4);
  const Credits::Handle busy = credits.open(1);
  const Credits::Handle poor = credits.open(2);
  take_all(credits, busy);
  ASSERT_TRUE(credits.admit(busy));
  for (unsigned i = 0; i < 50; ++i) {
    send_one(credits, poor);
    EXPECT_EQ(credits.pick_idle(), nullptr);
  }
  credits.finish(busy);
  send_one(credits, poor);
  EXPECT_NE(credits.pick_idle(), nullptr);
}

TEST(Credits, are_not_recalled_from_one_starving_origin_for_another) {
  Credits credits(3, 4);
  const Credits::Handle rich = credits.open(1);
  const Credits::Handle poor = credits.open(2);
  take_all(credits, rich);
  for (unsigned i = 0; i < 100; ++i) {
    send_one(credits, rich);
    send_one(credits, poor);
    EXPECT_EQ(credits.pick_idle(), nullptr);
  }
}

TEST(Credits, stay_as_they_are_while_a_recall_is_unanswered) {
  Credits credits(3, 4);
  const Credits::Handle rich = credits.open(1);
  const Credits::Handle poor = credits.open(2);
  take_all(credits, rich);
  for (unsigned i = 0; i < 16; ++i) send_one(credits, poor);
  ASSERT_NE(credits.pick_idle(), nullptr);
  const std::uint64_t told = rich->told;
  ASSERT_TRUE(credits.admit(rich));
  credits.finish(rich);
  EXPECT_FALSE(credits.owes(rich));
  EXPECT_EQ(credits.tell(rich), told);
  EXPECT_FALSE(credits.return_credits(rich, rich->received - 1)) << "less than it sent";
  EXPECT_FALSE(credits.return_credits(rich, told + 1)) << "more than it had";
  EXPECT_TRUE(credits.return_credits(rich, rich->received + 1));
  EXPECT_FALSE(credits.return_credits(rich, rich->received + 1)) << "not asked";
  EXPECT_EQ(rich->told, rich->received + 1);
}

TEST(ServerCredits, the_peak_of_queued_requests_stays_at_the_bound_when_sixteen_origins_flood) {
  ServerOptions options = small_options();
  options.pool_bytes = 0;
  Rig rig(17, options);
  std::vector<std::unique_ptr<Hand>> hands;
  for (TransportRank rank = 1; rank <= 16; ++rank) hands.push_back(std::make_unique<Hand>(rig, rank));
  const Bytes body = pattern(5 * small_chunk, 1);
  const Bytes flag = pattern(3000, 2);
  std::vector<std::uint32_t> late(16);
  // Each keeps a large put without its body in front, so that everything behind it must queue.
  for (unsigned i = 0; i < 16; ++i) late[i] = hands[i]->big_put(rig.memory + i * 0x8000, body.size());
  for (unsigned round = 0; round < 400; ++round) {
    for (unsigned i = 0; i < 16; ++i) {
      if (hands[i]->may_send()) hands[i]->put(rig.memory + i * 0x8000, flag);
    }
    if (round == 100) {
      for (unsigned i = 0; i < 16; ++i) hands[i]->send_chunks(late[i], body);
    }
    rig.pass();
  }
  for (const auto& hand : hands) ASSERT_NE(hand->reply_to(hand->fence(), 50), nullptr);
  EXPECT_LE(rig.server->counters().queued_peak, 16U);
  EXPECT_EQ(rig.server->counters().queued, 0U);
  EXPECT_GT(hands[0]->sent, 50U) << "it did flood";
}

TEST(ServerCredits, queued_requests_never_exceed_origins_plus_pool) {
  ServerOptions options = small_options();
  options.pool_bytes = 20 * protocol::message_bytes;
  options.max_window = 64;
  Rig rig(5, options);
  std::vector<std::unique_ptr<Hand>> hands;
  for (TransportRank rank = 1; rank <= 4; ++rank) hands.push_back(std::make_unique<Hand>(rig, rank));
  const Bytes word = pattern(8, 2);
  const Bytes body = pattern(5 * small_chunk, 1);
  for (unsigned round = 0; round < 30; ++round) {  // windows grow while nothing is in the way
    for (const auto& hand : hands) {
      while (hand->may_send()) hand->put(rig.memory, word);
    }
    rig.run(2);
  }
  std::vector<std::uint32_t> late(4);
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_TRUE(hands[i]->wait_credit());
    late[i] = hands[i]->big_put(rig.memory + i * 0x8000, body.size());
  }
  for (unsigned round = 0; round < 50; ++round) {
    for (const auto& hand : hands) {
      while (hand->may_send()) hand->put(rig.memory, word);
    }
    rig.run(2);
  }
  EXPECT_EQ(rig.server->counters().queued, 24U) << "all credits are queued requests now";
  EXPECT_EQ(rig.server->counters().queued_peak, 24U);
  EXPECT_EQ(rig.server->counters().queue_bound, 24U);
  EXPECT_GT(rig.server->counters().queued_met, 24U) << "the last ones met a queue";
  for (unsigned i = 0; i < 4; ++i) hands[i]->send_chunks(late[i], body);
  for (const auto& hand : hands) ASSERT_NE(hand->reply_to(hand->fence(), 100), nullptr);
  EXPECT_EQ(rig.server->counters().queued, 0U);
}

TEST(ServerCredits, an_origin_over_its_limit_is_a_bug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Rig rig;
  Hand hand(rig, 1);
  hand.big_put(rig.memory, small_chunk);
  hand.big_put(rig.memory, small_chunk);
  EXPECT_DEATH(rig.pass(), "comex: bug at .*credits_.admit");
}

TEST(ServerCredits, fence_and_unlock_need_no_credit) {
  Rig rig;
  Hand hand(rig, 1);
  const Bytes body = pattern(small_chunk, 1);
  const std::uint32_t put = hand.big_put(rig.memory, body.size());  // the only credit
  const std::uint32_t fence = hand.fence();
  rig.run(3);
  hand.send_chunks(put, body);
  EXPECT_NE(hand.reply_to(fence, 10), nullptr);
}

TEST(ServerCredits, an_origin_returns_credits_and_goes_on) {
  ServerOptions options = small_options();
  options.pool_bytes = 7 * protocol::message_bytes;
  options.max_window = 8;
  Rig rig(2, options);
  Hand rich(rig, 1);
  Hand poor(rig, 2);
  const Bytes word = pattern(8, 2);
  for (unsigned round = 0; round < 10; ++round) {
    while (rich.may_send()) rich.put(rig.memory, word);
    rig.run(2);
  }
  rich.poll();
  ASSERT_EQ(rich.limit - rich.sent, 8U);
  for (unsigned round = 0; round < 40; ++round) {
    while (poor.may_send()) poor.put(rig.memory, word);
    rig.run(2);
  }
  rich.poll();
  ASSERT_EQ(rich.recalls, 1U);
  rich.return_credits(rich.sent);
  EXPECT_TRUE(rich.wait_credit()) << "one credit is always its own";
  EXPECT_EQ(rich.limit - rich.sent, 1U);
  for (unsigned round = 0; round < 10; ++round) {
    while (poor.may_send()) poor.put(rig.memory, word);
    rig.run(2);
  }
  poor.poll();
  EXPECT_EQ(poor.limit - poor.sent, 8U);
  rich.put(rig.memory, word);
  EXPECT_NE(rich.reply_to(rich.fence(), 10), nullptr);
}

TEST(ServerCredits, those_of_who_left_go_back_to_the_pool) {
  ServerOptions options = small_options();
  options.pool_bytes = 7 * protocol::message_bytes;
  Rig rig(2, options);
  const Bytes word = pattern(8, 2);
  for (TransportRank rank = 1; rank <= 2; ++rank) {
    Hand hand(rig, rank);
    for (unsigned round = 0; round < 10; ++round) {
      while (hand.may_send()) hand.put(rig.memory, word);
      rig.run(2);
    }
    hand.poll();
    EXPECT_EQ(hand.limit - hand.sent, 8U);
    hand.simple(Verb::leave);
    rig.run(2);
  }
  EXPECT_EQ(rig.server->departed(), 2U);
}

}  // namespace
}  // namespace comex::pr
