// Founders who ask around whether they wait in a circle: which of the waits they believe in.
#include "worlds/agreement/circle.h"

#include "conformance/job_rig.h"
#include "worlds/agreement/roll_call.h"

namespace comex::whole {
namespace {

using worlds::Circle;

constexpr std::uint64_t call = 11;  // of the first worker
constexpr std::uint64_t other_call = 12;
constexpr std::uint64_t list = 101;
constexpr std::uint64_t other_list = 102;

class CircleOfTwo : public testing::Test {
 protected:
  worlds::Route route_to(int worker) { return {&job_.runtime(1 - worker).control, job_.rank_of(worker)}; }
  // What the second makes of what the first asks, and the first of what comes back.
  bool is_found(Circle& first, Circle& second) {
    EXPECT_FALSE(hears(1, second));
    return hears(0, first);
  }
  bool hears(int worker, Circle& circle) {
    const std::vector<worlds::Route> awaited{route_to(1 - worker)};
    for (int round = 0; round < 4; ++round) job_.runtime(worker).engine.poll();
    return circle.is_closed(awaited);
  }
  void ask(int worker, Circle& circle) { circle.ask(std::vector{route_to(1 - worker)}); }
  static bool nobody_has_come(std::uint64_t, std::uint64_t) { return false; }

  Job job_{{0, 0, 1, 1}, {}};
  Circle leader_{job_.runtime(0), {list, call, 0}, nobody_has_come};
  Circle member_{job_.runtime(0), {list, call, 1}, nobody_has_come};
  Circle other_{job_.runtime(1), {other_list, other_call, 0}, nobody_has_come};
};

TEST_F(CircleOfTwo, is_closed_where_each_leads_a_list_that_the_other_does_not_come_to) {
  ask(0, leader_);
  EXPECT_TRUE(is_found(leader_, other_));
  EXPECT_EQ(leader_.neighbour().gpid, (Gpid{0, 1}));
  EXPECT_TRUE(hears(1, other_)) << "it is told so";
  EXPECT_EQ(other_.neighbour().gpid, (Gpid{0, 0}));
}

TEST_F(CircleOfTwo, needs_a_member_whose_call_has_not_been_answered) {
  ask(0, member_);
  EXPECT_FALSE(is_found(member_, other_)) << "no word lies there";
  const auto send_word = [&](std::uint64_t number) {
    const worlds::MembersWord word{worlds::MembersWord::comes, number, 0};
    route_to(1).control->send(route_to(1).rank, op::mailbox_context, list, 2,
                              std::as_bytes(std::span(&word, 1)));
  };
  send_word(call - 1);
  ask(0, member_);
  EXPECT_FALSE(is_found(member_, other_)) << "another call's lies there";
  send_word(call);
  ask(0, member_);
  EXPECT_TRUE(is_found(member_, other_));
}

TEST_F(CircleOfTwo, is_none_where_both_have_come_to_one_list) {
  Circle same(job_.runtime(1), {list, other_call, 1}, nobody_has_come);
  ask(0, leader_);
  EXPECT_FALSE(is_found(leader_, same));
}

TEST_F(CircleOfTwo, leads_through_a_leader_only_for_the_call_that_has_come_to_it) {
  for (const bool has_come : {false, true}) {
    const auto knows = [&](std::uint64_t rank, std::uint64_t number) {
      return has_come && rank == 1 && number == call;
    };
    Circle leader(job_.runtime(1), {list, other_call, 0}, knows);
    Circle missing(job_.runtime(0), {other_list, call, 0}, nobody_has_come);
    ask(0, member_);
    EXPECT_EQ(is_found(missing, leader), has_come);
  }
}

TEST_F(CircleOfTwo, is_none_once_the_wait_is_over) {
  ask(0, leader_);
  leader_.retract();
  EXPECT_FALSE(is_found(leader_, other_));
  ask(0, leader_);
  EXPECT_FALSE(hears(1, other_));
  Circle next(job_.runtime(0), {list, call + 1, 0}, nobody_has_come);
  EXPECT_FALSE(hears(0, next)) << "an earlier wait's question has come back";
}

}  // namespace
}  // namespace comex::whole
