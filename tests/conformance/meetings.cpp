// Workers that meet: everybody sees what everybody says, time after time, with and without one host.
#include <thread>

#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

struct Word {
  std::uint64_t worker = 0;
  std::uint64_t round = 0;
};

// Each worker on a thread of its own; how often one saw something else than what all said in that round.
int count_wrong_words(Job& job, std::uint64_t rounds) {
  std::atomic<int> wrong{0};
  const auto take_part = [&](int worker) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const Word mine{static_cast<std::uint64_t>(worker), round};
      const std::vector<Word> all = job.runtime(worker).gather(groups::world_handle, mine);
      for (std::uint64_t i = 0; i < all.size(); ++i) {
        if (all[i].worker != i || all[i].round != round) ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int worker = 0; worker < job.workers(); ++worker) threads.emplace_back(take_part, worker);
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

TEST(Meetings, show_what_all_say_on_one_host) {
  Job job({0, 0, 0, 0, 0}, {});
  EXPECT_EQ(job.workers(), 4);
  EXPECT_EQ(count_wrong_words(job, 2000), 0);
}

TEST(Meetings, show_what_all_say_where_workers_serve_themselves) {
  Job job({0, 0, 0}, {{"GA_NUM_PROGRESS_RANKS_PER_NODE", "0"}});
  EXPECT_EQ(job.workers(), 3);
  EXPECT_EQ(count_wrong_words(job, 500), 0);
}

TEST(Meetings, show_what_all_say_on_several_hosts) {
  Job job({0, 0, 1, 1}, {});
  EXPECT_EQ(job.workers(), 2);
  EXPECT_EQ(count_wrong_words(job, 500), 0);
}

TEST(Meetings, say_who_has_not_come) {
  Job job({0, 0, 0}, {{"GA_NUM_PROGRESS_RANKS_PER_NODE", "0"}, {"COMEX_STALL_S", "1"}});
  testing::internal::CaptureStderr();
  std::vector<std::thread> threads;
  for (const int worker : {0, 2}) {
    threads.emplace_back([&job, worker] { job.runtime(worker).gather(groups::world_handle, Word{}); });
  }
  await_lines_of_waits(1);
  job.runtime(1).gather(groups::world_handle, Word{});
  for (std::thread& thread : threads) thread.join();
  const std::string said = with_waits_of_1_s(testing::internal::GetCapturedStderr());
  EXPECT_NE(said.find("gather: has been waiting for 1 s for worker 1"), std::string::npos) << said;
  EXPECT_EQ(said.find("worker 0"), std::string::npos) << said;
}

}  // namespace
}  // namespace comex::whole
