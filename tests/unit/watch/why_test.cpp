// Job states made by hand, and what they are explained as.
#include "watch/why.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "watch/wait_graph.h"

namespace comex::watch {
namespace {

RankState worker(int number, char state = 'S') {
  RankState rank;
  rank.rank = rank.worker = number;
  rank.pid = 100 + number;
  rank.state = state;
  return rank;
}

RankState server(int rank, int host, char state = 'S') {
  RankState made;
  made.rank = rank;
  made.host = host;
  made.pid = 100 + rank;
  made.state = state;
  return made;
}

RankState waiting(int number, std::string_view call, activity::Waiting what, int target = -1,
                  int server_rank = -1) {
  RankState rank = worker(number);
  std::ranges::copy(call, rank.wait.call.begin());
  rank.wait.seconds = 12.34;
  rank.wait.waiting = what;
  rank.wait.kind = activity::call_hash(call == "ARMCI_Barrier" ? "barrier" : call);
  rank.wait.target = target;
  rank.wait.server = server_rank;
  return rank;
}

RankState gone(bool RankState::*how, RankState rank) {
  rank.state = 'X';
  rank.*how = true;
  return rank;
}
constexpr auto left = &RankState::has_left;
constexpr auto dead = &RankState::is_known_dead;

constexpr auto members = activity::Waiting::members;
constexpr auto mutex = activity::Waiting::mutex;
constexpr auto message = activity::Waiting::message;
constexpr auto data = activity::Waiting::data;

RankState repeated(int number, std::string_view call, int server_rank) {
  RankState rank = waiting(number, call, data, -1, server_rank);
  rank.wait.is_repeated = true;
  return rank;
}

RankState in_lock(int number, int owner, int index) {
  RankState rank = waiting(number, "lock", mutex, owner);
  rank.wait.mutex = index;
  return rank;
}

// Waits for `target` in a call over the group with this context, which it knows by the handle 3.
RankState in_group(int number, std::string_view call, std::uint64_t context, int target) {
  RankState rank = waiting(number, call, members, target);
  rank.wait.context = context;
  rank.wait.group = 3;
  return rank;
}

const QueuedRequest late_put{2, 1, 3, protocol::Verb::put, activity::Obstacle::body, 4096, 5.0};

struct Case {
  const char* what;
  JobState job_state;
  const char* verdict;
  bool is_hang = true;
};

TEST(Why, NamesTheRankWaitedFor) {
  const Case cases[] = {
      {"nobody waits", {{worker(0), worker(1)}}, "Nobody waits in a call of the runtime", false},
      {"a member computes",
       {{waiting(0, "barrier", members), worker(1, 'R'), waiting(2, "barrier", members)}},
       "worker 1 (rank 1, process 101) has not entered barrier: it computes, in no call that waits; workers "
       "0, 2 wait for it for up to 12.3 s."},
      {"two members compute",
       {{worker(0, 'R'), waiting(1, "barrier", members), worker(2, 'R'), worker(3)}},
       "worker 0 (rank 0, process 100) has not entered barrier: it computes, in no call that waits; neither "
       "have workers 2, 3; worker 1 waits for them for up to 12.3 s."},
      {"two members, one of whom sleeps",
       {{worker(0, 'R'), waiting(1, "barrier", members), worker(2)}},
       "worker 0 (rank 0, process 100) has not entered barrier: it computes, in no call that waits; neither "
       "has worker 2; worker 1 waits for them"},
      {"the members of a group wait in a chain",
       {{waiting(0, "barrier", members, 1), waiting(1, "barrier", members, 2), worker(2), worker(3, 'R')}},
       "worker 2 (rank 2, process 102) has not entered barrier: it sleeps or waits in no call"},
      {"different calls",
       {{waiting(0, "barrier", members), waiting(1, "malloc", members)}},
       "worker 0 in barrier, worker 1 in malloc: members of a group have made different collective calls."},
      {"another name of the same call",
       {{waiting(0, "ARMCI_Barrier", members), waiting(1, "barrier", members), worker(2, 'R')}},
       "worker 2 (rank 2, process 102) has not entered ARMCI_Barrier: it computes"},
      {"calls of two groups that wait for the same one",
       {{waiting(0, "barrier", members, 2), waiting(1, "malloc", members, 2), worker(2, 'R')}},
       "worker 2 (rank 2, process 102) has not entered barrier: it computes"},
      {"two groups in each other's order",
       {{waiting(0, "barrier", members, 1), waiting(1, "malloc", members, 0)}},
       "worker 1 (rank 1, process 101) has not entered barrier: it is in malloc for 12.3 s, worker 0"},
      {"one of two mutexes of an owner",
       {{in_lock(0, 2, 1), in_lock(1, 2, 0), worker(2), worker(3)}, {{2, 3, 0, 1}, {2, 3, 1, 1}}},
       "worker 3 holds mutex 1 of worker 2 and does not unlock it; it is in no call that waits; worker 0 "
       "waits"},
      {"a mutex locked twice",
       {{in_lock(0, 1, 2), worker(1)}, {{1, 0, 2, 1}}},
       "worker 0 (rank 0, process 100) waits for a mutex that it holds itself, mutex 2 of worker 1, for 12.3 "
       "s."},
      {"members of a group for whom nobody waits directly",
       {{in_group(0, "barrier", 17, 3), in_group(1, "barrier", 17, 0), worker(2), worker(3, 'R'), worker(4)},
        {},
        {},
        {{0, 17}, {1, 17}, {2, 17}, {3, 17}, {4, 18}}},
       "worker 2 (rank 2, process 102) has not entered barrier of group 3: it sleeps or waits in no call of "
       "the runtime, in its own MPI perhaps; neither has worker 3; workers 0, 1 wait for them"},
      {"a member that is in another group's call because of a third",
       {{in_group(0, "barrier", 17, 1), in_group(1, "barrier", 18, 2), worker(2, 'R')},
        {},
        {},
        {{0, 17}, {1, 17}, {1, 18}, {2, 18}, {2, 17}}},
       "worker 2 (rank 2, process 102) has not entered barrier of group 3: it computes"},
      {"members of a group in different calls",
       {{in_group(0, "barrier", 17, 1), in_group(1, "malloc", 17, 0), worker(2, 'R')},
        {},
        {},
        {{0, 17}, {1, 17}}},
       "worker 0 in barrier of group 3, worker 1 in malloc of group 3: members of a group have made "
       "different"},
      {"a member of a group that is in no other call than it should be, for a third has not come",
       {{in_group(0, "barrier", 17, 1), in_group(1, "broadcast", 17, 2), worker(2, 'R')},
        {},
        {},
        {{0, 17}, {1, 17}, {2, 17}}},
       "worker 2 (rank 2, process 102) has not entered barrier of group 3: it computes"},
      {"each other's mutex",
       {{in_lock(0, 1, 0), in_lock(1, 0, 0)}, {{0, 0, 0, 1}, {1, 1, 0, 1}}},
       "workers 0, 1 wait for each other's mutex, for 12.3 s."},
      {"each other's mutex, by threads beside those that wait elsewhere",
       {{waiting(0, "wait_until", activity::Waiting::word),
         waiting(1, "wait_until", activity::Waiting::word)},
        {{0, 0, 0, 1}, {1, 1, 0, 1}},
        {},
        {},
        {},
        {{0, in_lock(0, 1, 0).wait}, {1, in_lock(1, 0, 0).wait}}},
       "workers 0, 1 wait for each other's mutex, for 12.3 s."},
      {"a member whose thread has come",
       {{waiting(0, "wait_until", activity::Waiting::word), waiting(1, "barrier", members), worker(2, 'R')},
        {},
        {},
        {},
        {},
        {{0, waiting(0, "barrier", members).wait}}},
       "worker 2 (rank 2, process 102) has not entered barrier: it computes, in no call that waits; workers "
       "0, 1 wait for it"},
      {"a message that a worker does not send, down a tree",
       {{waiting(0, "armci_msg_bcast", message, 1), waiting(1, "armci_msg_bcast", message, 2),
         worker(2, 'R')}},
       "worker 2 (rank 2, process 102) has not come to the message that worker 1 waits for in "
       "armci_msg_bcast: it computes, in no call that waits; workers 0, 1 wait for up to 12.3 s."},
      {"messages of each other",
       {{waiting(0, "armci_msg_rcv", message, 1), waiting(1, "armci_msg_snd", message, 0)}},
       "workers 0, 1 wait for messages of each other, for 12.3 s."},
      {"a message that anybody may send",
       {{waiting(0, "armci_msg_rcvany", message), worker(1, 'R')}},
       "worker 0 (rank 0, process 100) is in armci_msg_rcvany for 12.3 s: nobody has sent the message"},
      {"a holder that computes",
       {{in_lock(0, 1, 3), worker(1, 'R')}, {{1, 1, 3, 1}}},
       "worker 1 holds mutex 3 of worker 1 and does not unlock it; it runs; worker 0 waits for it for 12.3 "
       "s."},
      {"a stopped progress rank",
       {{waiting(0, "get", data, 1, 2), worker(1), server(2, 1, 'T')}},
       "progress rank 2 (rank 2, process 102) is stopped (SIGSTOP), so nobody serves host 1; worker 0 wait"},
      {"a worker that is gone",
       {{waiting(0, "barrier", members), worker(1, 'X')}},
       "worker 1 (rank 1, process 101) is gone: it ended without comex_finalize; worker 0 wait"},
      {"a holder, where the job goes on without a worker that died in a call",
       {{gone(dead, waiting(0, "barrier", members)), in_lock(1, 2, 0), worker(2)}, {{2, 2, 0, 1}}},
       "worker 2 holds mutex 0 of worker 2 and does not unlock it; it is in no call that waits; worker 1"},
      {"a member, in a call that goes on without the dead",
       {{gone(dead, worker(0)), in_group(1, "barrier", 17, 2), worker(2)},
        {},
        {},
        {{0, 17}, {1, 17}, {2, 17}}},
       "worker 2 (rank 2, process 102) has not entered barrier of group 3: it sleeps or waits in no call of "
       "the runtime, in its own MPI perhaps; worker 1 waits for it"},
      {"a sender, where another worker has left",
       {{gone(left, worker(0)), waiting(1, "armci_msg_rcv", message, 2), worker(2)}},
       "worker 2 (rank 2, process 102) has not come to the message that worker 1 waits for"},
      {"a member that has left",
       {{in_group(0, "barrier", 17, 1), gone(left, worker(1))}, {}, {}, {{0, 17}, {1, 17}}},
       "worker 1 (rank 1, process 101) has not entered barrier of group 3: it is past comex_finalize"},
      {"a death in a call", {{gone(dead, waiting(0, "barrier", members))}}, "Nobody waits", false},
      {"a host that does not answer",
       {{waiting(0, "get", data, 5, 7)}, {}, {{3, 7}}},
       "progress rank 7 does not answer: it is stopped, gone or busy, or host 3 cannot be reached; worker 0 "
       "waits for up to 12.3 s."},
      {"a host whose progress rank runs",
       {{waiting(0, "get", data, 5, 7), server(7, 3, 'R')}, {}, {{3, 7}}},
       "progress rank 7 (rank 7, process 107) is busy: it runs and does not answer; worker 0 waits"},
      {"a busy progress rank",
       {{waiting(0, "get", data, 1, 2), worker(1), server(2, 1, 'R')}},
       "worker 0 is in get for 12.3 s and waits for rank 2 (process 102), which is busy: it runs and does "
       "not answer; it has 0 requests in its queues."},
      {"a busy progress rank, by a worker that tests its handle",
       {{repeated(0, "test", 2), worker(1), server(2, 1, 'R')}},
       "worker 0 is in a loop of test for 12.3 s and waits for rank 2 (process 102), which is busy"},
      {"a progress rank with requests that do not go on",
       {{waiting(0, "get", data, 1, 2), worker(1), server(2, 1, 'D')},
        {},
        {},
        {},
        {{2, 4, -1, protocol::Verb::batch, activity::Obstacle::order, 0, 1.0}, late_put}},
       "worker 0 is in get for 12.3 s and waits for rank 2 (process 102), which is in state D; it has 0 "
       "requests in its queues (put of 4096 bytes from worker 1 to worker 3, 5.0 s old: its body has not "
       "come)."},
      {"a word",
       {{waiting(0, "wait_until", activity::Waiting::word), worker(1)}},
       "worker 0 (rank 0, process 100) is in wait_until for 12.3 s: nobody has written the value"},
      {"endpoints that nobody drives",
       {{waiting(0, "barrier", members, 1), waiting(1, "barrier", members, 0)}},
       "all workers seen here are in barrier for up to 12.3 s: endpoints of theirs that no thread drives "
       "have not come."},
      {"endpoints that nobody drives, where another thread of a worker waits for something else",
       {{waiting(0, "wait_until", activity::Waiting::word), waiting(1, "barrier", members, 0)},
        {},
        {},
        {},
        {},
        {{0, waiting(0, "barrier", members, 1).wait}}},
       "all workers seen here are in barrier for up to 12.3 s: endpoints of theirs that no thread drives "
       "have not come."},
      {"members elsewhere",
       {{waiting(0, "barrier", members)}},
       "all workers seen here are in barrier for up to 12.3 s: members on other hosts, or of other worlds, "
       "have not come."},
  };
  for (const Case& each : cases) {
    const Why why = explain(nullptr, each.job_state);
    EXPECT_TRUE(why.verdict.starts_with(each.verdict)) << each.what << ": " << why.verdict;
    EXPECT_EQ(why.is_hang, each.is_hang) << each.what;
  }
}

TEST(Why, WhatHasMovedDoesNotHang) {
  JobState before{{waiting(0, "barrier", members), worker(1, 'R')}};
  JobState now = before;
  now.ranks[1].operations = 5;
  EXPECT_NE(explain(&before, now).verdict.find("it goes on with other operations"), std::string::npos);
}

TEST(Why, AMutexThatIsPassedOnIsNotHeld) {
  const JobState before{{in_lock(0, 1, 3), worker(1), worker(2)}, {{1, 2, 3, 1}}};
  JobState now = before;
  EXPECT_TRUE(explain(&before, now).verdict.starts_with("worker 2 holds mutex 3 of worker 1"));
  now.mutexes.front().holder = 1;
  EXPECT_EQ(explain(&before, now).verdict,
            "mutex 3 of worker 1 is passed on; worker 0 waits for up to 12.3 s.");
}

TEST(Why, ShortWaitsAreOnTheirWay) {
  JobState job_state{{waiting(0, "barrier", members), worker(1)}};
  job_state.ranks[0].wait.seconds = least_wait_seconds / 2;
  EXPECT_FALSE(explain(nullptr, job_state).is_hang);
}

TEST(WaitGraph, IsDrawnAsTreesFromThoseWhoWaitForNobody) {
  const JobState job_state{
      {worker(0, 'R'), in_lock(1, 0, 2), waiting(2, "get", data, 1, 5), waiting(3, "get", data, 1, 5),
       in_lock(4, 0, 3), server(5, 0, 'R'), in_lock(6, 0, 2)},
      {{0, 0, 2, 2}, {0, 1, 3, 1}}};
  const std::vector<std::string> wanted = {
      "worker 0: runs",
      "  worker 1 waits for it in lock, for mutex 2 of worker 0",
      "    worker 4 waits for it in lock, for mutex 3 of worker 0",
      "  worker 6 waits for it in lock, for mutex 2 of worker 0",
      "progress rank 5: serves",
      "  workers 2, 3 wait for it in get",
  };
  EXPECT_EQ(WaitGraph(job_state).draw(), wanted);
}

TEST(WaitGraph, DrawsACircleOnce) {
  const JobState job_state{{in_lock(0, 1, 0), in_lock(1, 0, 0)}, {{0, 0, 0, 1}, {1, 1, 0, 1}}};
  const std::vector<std::string> wanted = {
      "worker 0: in lock for 12.3 s, worker 1",
      "  worker 1 waits for it in lock, for mutex 0 of worker 0",
      "    worker 0 waits for it in lock, for mutex 0 of worker 1 (it is above)",
  };
  EXPECT_EQ(WaitGraph(job_state).draw(), wanted);
}

// Only the first of those who are late are drawn, so that thousands of them are no millions of lines.
TEST(WaitGraph, OfALargeJobDrawsTheFirstOfThoseWhoAreLate) {
  constexpr int workers = 4000;
  JobState job_state;
  for (int number = 0; number < workers; ++number) {
    job_state.ranks.push_back(number % 2 == 0 ? in_group(number, "barrier", 17, 1) : worker(number));
    job_state.members.push_back({number, 17});
  }
  const std::vector<std::string> lines = WaitGraph(job_state).draw();
  ASSERT_EQ(lines.size(), 16U);
  EXPECT_EQ(lines[0], "worker 1: in no call that waits");
  EXPECT_EQ(lines[1], "  workers 0, 2, 4, 6, 8, 10, 12, 14 and 1992 more wait for it in barrier");
  EXPECT_EQ(lines[14], "worker 15: in no call that waits");
  EXPECT_TRUE(
      explain(nullptr, job_state).verdict.starts_with("worker 1 (rank 1, process 101) has not entered"));
}

TEST(Describe, NamesWhoStandsInLine) {
  const JobState job_state{{in_lock(0, 1, 3), worker(1, 'R')}, {{1, 1, 3, 1}}};
  const std::vector<std::string> lines = describe(job_state);
  EXPECT_NE(std::ranges::find(lines, "mutex 3 of worker 1: worker 1 holds it, 1 in line: worker 0"),
            lines.end());
}

TEST(Describe, NamesWhoTriesWithoutALine) {
  RankState tries = in_lock(0, 1, 3);
  tries.wait.is_repeated = true;
  const JobState job_state{{tries, worker(1, 'R')}, {{1, 1, 3, 0}, {1, 1, 4, 0}}};
  const std::vector<std::string> lines = describe(job_state);
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines[0], "worker 0 (rank 0, process 100): in a loop of lock for 12.3 s, worker 1");
  EXPECT_EQ(lines[2], "mutex 3 of worker 1: worker 1 holds it, 0 in line: worker 0");
  EXPECT_EQ(std::ranges::count_if(lines, [](auto& line) { return line.starts_with("mutex"); }), 1);
}

TEST(Describe, ShowsOtherThreadsToo) {
  const JobState job_state{{waiting(0, "wait_until", activity::Waiting::word), worker(1, 'R')},
                           {{1, 1, 3, 1}},
                           {},
                           {},
                           {},
                           {{0, in_lock(0, 1, 3).wait}}};
  const std::vector<std::string> lines = describe(job_state);
  ASSERT_GE(lines.size(), 4U);
  EXPECT_EQ(lines[1], "  another thread of it: in lock for 12.3 s, worker 1");
  EXPECT_EQ(lines[3], "mutex 3 of worker 1: worker 1 holds it, 1 in line: worker 0");
}

TEST(Describe, ShowsWhatLiesAtAProgressRank) {
  const QueuedRequest from_afar{2, 9, -1, protocol::Verb::batch, activity::Obstacle::lock, 12, 0.5};
  const std::vector<std::string> lines =
      describe({{worker(1), server(2, 1)}, {}, {}, {}, {late_put, from_afar}});
  ASSERT_GE(lines.size(), 4U);
  EXPECT_TRUE(lines[1].starts_with("progress rank 2"));
  EXPECT_EQ(lines[2], "  put of 4096 bytes from worker 1 to worker 3, 5.0 s old: its body has not come");
  EXPECT_EQ(lines[3],
            "  batch of 12 bytes from rank 9, 0.5 s old: another process holds the lock of the block that it "
            "accumulates to");
}

TEST(JobState, TravelsAsBytes) {
  const JobState job_state{{waiting(0, "barrier", members, 1), server(2, 1)},
                           {{0, 1, 7, 2}},
                           {{3, 9}},
                           {{1, 17}},
                           {late_put},
                           {{0, in_lock(0, 1, 3).wait}}};
  const std::vector<std::byte> bytes = pack(job_state);
  const auto back = unpack(bytes);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->ranks.size(), 2U);
  EXPECT_EQ(back->ranks[0].wait.name(), "barrier");
  EXPECT_EQ(back->ranks[1].host, 1);
  ASSERT_EQ(back->threads.size(), 1U);
  EXPECT_EQ(back->threads[0].wait.name(), "lock");
  ASSERT_EQ(back->members.size(), 1U);
  EXPECT_EQ(back->members[0].context, 17U);
  ASSERT_EQ(back->mutexes.size(), 1U);
  EXPECT_EQ(back->mutexes[0].index, 7U);
  ASSERT_EQ(back->silent.size(), 1U);
  EXPECT_EQ(back->silent[0].server, 9);
  EXPECT_EQ(describe(*back), describe(job_state));
}

TEST(JobState, OtherBytesAreNone) {
  std::vector<std::byte> bytes = pack({{worker(0)}});
  EXPECT_FALSE(unpack({}));
  EXPECT_FALSE(unpack(std::span(bytes).first(bytes.size() - 1)));
  std::ranges::fill(std::span(bytes).first(8), std::byte{0xff});
  EXPECT_FALSE(unpack(bytes)) << "a count that no memory could hold";
}

}  // namespace
}  // namespace comex::watch
