// A leader and its members in calls that end and begin again at any time, their messages looked at whenever
// chance has it. All that can happen is gone through: groups come about on all at once, and none hangs.
#include "worlds/agreement/group_commit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "worlds/agreement/create_group.h"

namespace comex::worlds {
namespace {

// One way: messages in order, and a place where a newer one covers an older one.
template <class Message>
class Mail {
 public:
  void send(const Message& message) { under_way_.push_back({message.kind, message.call, message.context}); }
  bool arrives() {
    if (under_way_.empty()) return false;
    place_ = under_way_.front();
    under_way_.pop_front();
    return true;
  }
  std::optional<Message> take() {
    const auto taken = std::exchange(place_, std::nullopt);
    if (!taken) return std::nullopt;
    return Message{std::get<0>(*taken), std::get<1>(*taken), std::get<2>(*taken)};
  }
  friend auto operator<=>(const Mail&, const Mail&) = default;

 private:
  using Short = std::tuple<typename Message::Kind, std::uint64_t, std::uint64_t>;
  std::deque<Short> under_way_;
  std::optional<Short> place_;
};

using Groups = std::vector<std::uint64_t>;  // contexts

struct Member {
  explicit Member(int may_give_up) : patience(may_give_up) { begin(); }

  void begin() {
    part = CommitMember(++call);
    to_leader.send(part.come());
  }
  void look() {
    const auto message = from_leader.take();
    if (!message) return;
    if (const auto reply = part.receive(*message)) to_leader.send(*reply);
    if (part.is_committed()) groups.push_back(part.context());
    if (part.is_committed() || part.is_aborted()) begin();
  }
  void give_up() {
    if (patience == 0 || part.is_bound()) return;
    --patience;
    begin();
  }
  friend auto operator<=>(const Member&, const Member&) = default;

  Mail<MemberMessage> to_leader;
  Mail<LeaderMessage> from_leader;
  int patience;
  std::uint64_t call = 0;
  CommitMember part{0};
  Groups groups;
};

// The leader and all members, as values: where they are is all that matters for what can follow.
struct CommitModel {
  CommitModel(std::size_t size, int may_give_up)
      : members(size, Member(may_give_up)), patience(may_give_up) {}

  void look() {
    for (std::uint32_t rank = 1; rank < size(); ++rank) hear(rank);
    if (!part.can_commit()) return;
    groups.push_back(part.context());
    end(LeaderMessage::commit);
  }
  void give_up() {
    if (patience == 0) return;
    --patience;
    end(LeaderMessage::abort);
  }
  friend auto operator<=>(const CommitModel&, const CommitModel&) = default;

  std::vector<Member> members;
  int patience;
  Groups groups;

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()) + 1; }
  void hear(std::uint32_t rank) {
    const auto message = members[rank - 1].to_leader.take();
    if (!message) return;
    if (const auto reply = part.receive(rank, *message)) tell(rank, *reply);
  }
  void tell(std::uint32_t rank, const LeaderMessage& message) { members[rank - 1].from_leader.send(message); }
  void end(LeaderMessage::Kind kind) {
    for (std::uint32_t rank = 1; rank < size(); ++rank) {
      if (const auto message = part.final_message(rank, kind)) tell(rank, *message);
    }
    part = CommitLeader(size(), ++contexts);
  }

  std::uint64_t contexts = 1;
  CommitLeader part{static_cast<std::uint32_t>(members.size()) + 1, contexts};
};

// None has a group that others have not, or will not have.
bool is_well(const CommitModel& model) {
  const auto has_the_leaders = [&](const Member& member) {
    const Groups& mine = member.groups;
    return mine.size() <= model.groups.size() && std::equal(mine.begin(), mine.end(), model.groups.begin());
  };
  return std::ranges::all_of(model.members, has_the_leaders);
}

// Wherever they are, if nobody gives up any more: all have one group more than the leader has now.
bool come_together(CommitModel model) {
  constexpr int most_rounds = 30;
  const std::size_t wanted = model.groups.size() + 1;
  for (int round = 0; round < most_rounds; ++round) {
    bool have_all = model.groups.size() >= wanted;
    for (Member& member : model.members) {
      do member.look();
      while (member.from_leader.arrives());
      have_all = have_all && member.groups.size() >= wanted;
    }
    if (have_all) return is_well(model);
    for (Member& member : model.members) member.to_leader.arrives();
    model.look();
  }
  return false;
}

class Walk {
 public:
  // Until there are as many groups.
  Walk(const CommitModel& first, std::size_t most_groups) : most_groups_(most_groups) { reach(first); }

  std::size_t states() const { return seen_.size(); }
  // True when all went well.
  bool goes_on() {
    while (!open_.empty()) {
      const CommitModel here = *open_.back();
      open_.pop_back();
      if (!is_well(here) || !come_together(here)) return false;
      if (here.groups.size() < most_groups_) step_from(here);
    }
    return true;
  }

 private:
  void reach(const CommitModel& model) {
    const auto [at, is_new] = seen_.insert(model);
    if (is_new) open_.push_back(&*at);
  }
  template <class Move>
  void reach_by(CommitModel model, const Move& move) {
    move(model);
    reach(model);
  }
  void step_from(const CommitModel& here) {
    reach_by(here, [](CommitModel& all) { all.look(); });
    reach_by(here, [](CommitModel& all) { all.give_up(); });
    for (std::size_t i = 0; i < here.members.size(); ++i) {
      reach_by(here, [&](CommitModel& all) { all.members[i].to_leader.arrives(); });
      reach_by(here, [&](CommitModel& all) { all.members[i].from_leader.arrives(); });
      reach_by(here, [&](CommitModel& all) { all.members[i].look(); });
      reach_by(here, [&](CommitModel& all) { all.members[i].give_up(); });
    }
  }
  std::size_t most_groups_;
  std::set<CommitModel> seen_;
  std::vector<const CommitModel*> open_;
};

void expect_that_all_goes_well(const CommitModel& model, std::size_t most_groups) {
  Walk walk(model, most_groups);
  EXPECT_TRUE(walk.goes_on()) << "after " << walk.states() << " states";
  EXPECT_GT(walk.states(), 1000U) << "it has not gone far";
}

TEST(GroupCommit, of_two_brings_both_into_one_group_after_the_other_whoever_gives_up_and_when) {
  expect_that_all_goes_well(CommitModel(1, 3), 2);
}

TEST(GroupCommit, of_three_brings_all_into_one_group_whoever_gives_up_and_when) {
  expect_that_all_goes_well(CommitModel(2, 1), 1);
}

constexpr std::uint64_t context = 77;

CommitLeader prepared_for(std::uint64_t call) {
  CommitLeader leader(2, context);
  const auto message = leader.receive(1, {MemberMessage::comes, call, 0});
  EXPECT_TRUE(message && message->kind == LeaderMessage::prepare && message->call == call &&
              message->context == context);
  return leader;
}

TEST(CommitLeader, that_is_alone_can_commit_at_once) {
  EXPECT_TRUE(CommitLeader(1, context).can_commit());
}

TEST(CommitLeader, commits_when_all_are_ready) {
  EXPECT_EQ(CommitLeader(2, context).missing(), std::vector<int>{1});
  CommitLeader leader = prepared_for(5);
  EXPECT_FALSE(leader.can_commit());
  EXPECT_EQ(leader.first_awaited(), 1U);
  leader.receive(1, {MemberMessage::ready, 5, context});
  EXPECT_TRUE(leader.can_commit());
  EXPECT_EQ(leader.final_message(1, LeaderMessage::commit)->call, 5U);
}

TEST(CommitLeader, does_not_take_one_for_ready_in_another_call_or_group) {
  CommitLeader leader = prepared_for(5);
  leader.receive(1, {MemberMessage::ready, 4, context});
  EXPECT_FALSE(leader.can_commit());
  leader.receive(1, {MemberMessage::ready, 5, context - 1});
  EXPECT_FALSE(leader.can_commit());
}

TEST(CommitLeader, asks_anew_who_comes_again) {
  CommitLeader leader = prepared_for(5);
  leader.receive(1, {MemberMessage::ready, 5, context});
  EXPECT_EQ(leader.receive(1, {MemberMessage::comes, 6, 0})->call, 6U);
  EXPECT_FALSE(leader.can_commit());
}

TEST(CommitLeader, names_only_those_missing_who_never_came_and_awaits_them_first) {
  CommitLeader leader(3, context);
  leader.receive(1, {MemberMessage::comes, 5, 0});
  EXPECT_EQ(leader.first_awaited(), 2U);
  EXPECT_EQ(leader.missing(), std::vector<int>{2});
  EXPECT_EQ(leader.final_message(1, LeaderMessage::abort)->call, 5U);
  EXPECT_FALSE(leader.final_message(2, LeaderMessage::abort)) << "it is in no call";
}

TEST(CommitMember, that_is_ready_is_bound_until_the_leader_has_decided) {
  for (const LeaderMessage::Kind last : {LeaderMessage::commit, LeaderMessage::abort}) {
    CommitMember member(5);
    EXPECT_EQ(member.come().kind, MemberMessage::comes);
    EXPECT_FALSE(member.is_bound());
    EXPECT_EQ(member.receive({LeaderMessage::prepare, 5, context})->kind, MemberMessage::ready);
    EXPECT_TRUE(member.is_bound());
    EXPECT_FALSE(member.receive({LeaderMessage::abort, 4, context})) << "that is of an earlier call";
    EXPECT_TRUE(member.is_bound());
    member.receive({last, 5, context});
    EXPECT_FALSE(member.is_bound());
    EXPECT_EQ(member.is_committed(), last == LeaderMessage::commit);
  }
}

TEST(CommitMember, does_not_hear_of_calls_that_are_over) {
  CommitMember member(5);
  EXPECT_FALSE(member.receive({LeaderMessage::prepare, 4, context}));
  EXPECT_TRUE(member.receive({LeaderMessage::prepare, 5, context}));
}

TEST(CommitMember, takes_a_word_of_no_kind_for_nothing) {
  CommitLeader leader(2, 7);
  CommitMember member(5);
  const CommitLeader leader_before = leader;
  const CommitMember member_before = member;
  EXPECT_FALSE(leader.receive(1, {MemberMessage::nothing, 5, 7}));
  EXPECT_FALSE(member.receive({LeaderMessage::nothing, 5, 7}));
  EXPECT_EQ(leader, leader_before);
  EXPECT_EQ(member, member_before);
}

// Launches that meet count their worlds alike, so that managers may be all that differs.
TEST(ListDigest, tells_lists_apart_that_differ_in_managers_only) {
  constexpr WorldId managers = 256;
  std::set<std::uint64_t> seen;
  for (WorldId one = 0; one < managers; ++one) {
    for (WorldId other = 0; other < managers; ++other) {
      ListDigest digest;
      for (const Gpid gpid : {Gpid{0, 0}, Gpid{one << 24, 1}, Gpid{other << 24, 1}}) digest.add(gpid);
      seen.insert(digest.value());
    }
  }
  EXPECT_EQ(seen.size(), managers * managers);
}

}  // namespace
}  // namespace comex::worlds
