// Pictures made by hand, and what they are explained as.
#include "watch/why.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

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
  rank.wait.kind = activity::number_of(call == "ARMCI_Barrier" ? "barrier" : call);
  rank.wait.target = target;
  rank.wait.server = server_rank;
  return rank;
}

constexpr auto members = activity::Waiting::members;
constexpr auto mutex = activity::Waiting::mutex;
constexpr auto data = activity::Waiting::data;

struct Case {
  const char* what;
  Picture picture;
  const char* verdict;
  bool is_hang = true;
};

TEST(Why, NamesTheCulprit) {
  const Case cases[] = {
      {"nobody waits", {{worker(0), worker(1)}, {}, {}}, "Nobody waits in a call of the runtime", false},
      {"a member computes",
       {{waiting(0, "barrier", members), worker(1, 'R'), waiting(2, "barrier", members)}, {}, {}},
       "worker 1 (rank 1, process 101) has not entered barrier: it computes, in no call of the runtime; "
       "workers 0, 2 wait for it for up to 12.3 s."},
      {"two members compute",
       {{worker(0, 'R'), waiting(1, "barrier", members), worker(2, 'R'), worker(3)}, {}, {}},
       "worker 0 (rank 0, process 100) has not entered barrier: it computes, in no call of the runtime; "
       "neither "
       "have workers 2, 3; worker 1 waits for them for up to 12.3 s."},
      {"two members, one of whom sleeps",
       {{worker(0, 'R'), waiting(1, "barrier", members), worker(2)}, {}, {}},
       "worker 0 (rank 0, process 100) has not entered barrier: it computes, in no call of the runtime; "
       "neither "
       "has worker 2; worker 1 waits for them"},
      {"the members of a group wait in a chain",
       {{waiting(0, "barrier", members, 1), waiting(1, "barrier", members, 2), worker(2), worker(3, 'R')},
        {},
        {}},
       "worker 2 (rank 2, process 102) has not entered barrier: it sleeps or waits in no call"},
      {"different calls",
       {{waiting(0, "barrier", members), waiting(1, "malloc", members)}, {}, {}},
       "worker 0 in barrier, worker 1 in malloc: members of a group have made different collective calls."},
      {"another name of the same call",
       {{waiting(0, "ARMCI_Barrier", members), waiting(1, "barrier", members), worker(2, 'R')}, {}, {}},
       "worker 2 (rank 2, process 102) has not entered ARMCI_Barrier: it computes"},
      {"calls of two groups that wait for the same one",
       {{waiting(0, "barrier", members, 2), waiting(1, "malloc", members, 2), worker(2, 'R')}, {}, {}},
       "worker 2 (rank 2, process 102) has not entered barrier: it computes"},
      {"two groups in each other's order",
       {{waiting(0, "barrier", members, 1), waiting(1, "malloc", members, 0)}, {}, {}},
       "worker 1 (rank 1, process 101) has not entered barrier: it is in malloc for 12.3 s, worker 0"},
      {"one of two mutexes of an owner",
       {{waiting(0, "lock", mutex, 2), waiting(1, "lock", mutex, 2), worker(2)},
        {{2, 3, 0, 1}, {2, 3, 1, 1}},
        {}},
       "workers 0, 1 wait, and nothing here says why"},
      {"each other's mutex",
       {{waiting(0, "lock", mutex, 1), waiting(1, "lock", mutex, 0)}, {{0, 0, 0, 1}, {1, 1, 0, 1}}, {}},
       "workers 0, 1 wait for each other's mutex, for 12.3 s."},
      {"a holder that computes",
       {{waiting(0, "lock", mutex, 1), worker(1, 'R')}, {{1, 1, 3, 1}}, {}},
       "worker 1 holds mutex 3 of worker 1 and does not unlock it; it runs; worker 0 waits for it for 12.3 "
       "s."},
      {"a stopped progress rank",
       {{waiting(0, "get", data, 1, 2), worker(1), server(2, 1, 'T')}, {}, {}},
       "progress rank 2 (rank 2, process 102) is stopped (SIGSTOP), so nobody serves host 1; worker 0 wait"},
      {"a worker that is gone",
       {{waiting(0, "barrier", members), worker(1, 'X')}, {}, {}},
       "worker 1 (rank 1, process 101) is gone: it ended without comex_finalize; worker 0 wait"},
      {"a host that does not answer",
       {{waiting(0, "get", data, 5, 7)}, {}, {{3, 7}}},
       "progress rank 7 does not answer: it is stopped, gone or busy, or host 3 cannot be reached; worker 0 "
       "waits "
       "for "
       "up to 12.3 s."},
      {"a busy progress rank",
       {{waiting(0, "get", data, 1, 2), worker(1), server(2, 1, 'R')}, {}, {}},
       "worker 0 is in get for 12.3 s and waits for rank 2, which has 0 requests in its queues and is "
       "process "
       "102 in state R."},
      {"a word",
       {{waiting(0, "wait_until", activity::Waiting::word), worker(1)}, {}, {}},
       "worker 0 (rank 0, process 100) is in wait_until for 12.3 s: nobody has written the value"},
      {"members elsewhere",
       {{waiting(0, "barrier", members)}, {}, {}},
       "all workers seen here are in barrier for up to 12.3 s: members on other hosts have not come."},
  };
  for (const Case& each : cases) {
    const Why why = explain(nullptr, each.picture);
    EXPECT_TRUE(why.verdict.starts_with(each.verdict)) << each.what << ": " << why.verdict;
    EXPECT_EQ(why.is_hang, each.is_hang) << each.what;
  }
}

TEST(Why, WhatHasMovedDoesNotHang) {
  Picture before{{waiting(0, "barrier", members), worker(1, 'R')}, {}, {}};
  Picture now = before;
  now.ranks[1].operations = 5;
  EXPECT_NE(explain(&before, now).verdict.find("it goes on with other operations"), std::string::npos);
}

TEST(Why, ShortWaitsAreOnTheirWay) {
  Picture picture{{waiting(0, "barrier", members), worker(1)}, {}, {}};
  picture.ranks[0].wait.seconds = least_wait_seconds / 2;
  EXPECT_FALSE(explain(nullptr, picture).is_hang);
}

TEST(Picture, TravelsAsBytes) {
  const Picture picture{{waiting(0, "barrier", members, 1), server(2, 1)}, {{0, 1, 7, 2}}, {{3, 9}}};
  const std::vector<std::byte> bytes = pack(picture);
  const auto back = unpack(bytes);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->ranks.size(), 2U);
  EXPECT_EQ(back->ranks[0].wait.name(), "barrier");
  EXPECT_EQ(back->ranks[1].host, 1);
  ASSERT_EQ(back->mutexes.size(), 1U);
  EXPECT_EQ(back->mutexes[0].index, 7U);
  ASSERT_EQ(back->silent.size(), 1U);
  EXPECT_EQ(back->silent[0].server, 9);
  EXPECT_EQ(describe(*back), describe(picture));
}

TEST(Picture, OtherBytesAreNone) {
  std::vector<std::byte> bytes = pack({{worker(0)}, {}, {}});
  EXPECT_FALSE(unpack({}));
  EXPECT_FALSE(unpack(std::span(bytes).first(bytes.size() - 1)));
  std::ranges::fill(std::span(bytes).first(8), std::byte{0xff});
  EXPECT_FALSE(unpack(bytes)) << "a count that no memory could hold";
}

}  // namespace
}  // namespace comex::watch
