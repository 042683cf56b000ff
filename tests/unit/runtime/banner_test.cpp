// The notices that rank 0 prints as a world opens, one line each.
#include "runtime/opening/steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/environment.h"
#include "support/map_lookup.h"

namespace comex::runtime {
namespace {

std::string said_of(const std::vector<int>& host_of_rank, const std::string& progress_ranks,
                    bool some_lack_threads, bool verbose) {
  const Settings settings =
      parse_settings(test::lookup_in({{"GA_NUM_PROGRESS_RANKS_PER_NODE", progress_ranks}})).value();
  const pr::WorldSplit split = pr::split_world(host_of_rank, settings).value();
  ::testing::internal::CaptureStderr();
  print_notices(split, some_lack_threads, verbose, Reporter());
  return ::testing::internal::GetCapturedStderr();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Notices, are_none_for_a_job_as_most_are) {
  EXPECT_EQ(said_of({0, 0, 0, 1, 1, 1}, "1", false, false), "");
}

TEST(Notices, tell_once_how_workers_without_a_progress_rank_are_served) {
  const std::string by_thread = said_of({0, 0}, "0", false, false);
  EXPECT_TRUE(has(by_thread, "comex: 2 workers have no progress rank")) << by_thread;
  EXPECT_TRUE(has(by_thread, ", by a thread (MPI_THREAD_MULTIPLE)\n")) << by_thread;
  const std::string in_calls = said_of({0, 0}, "0", true, false);
  EXPECT_TRUE(has(in_calls, ", without MPI_THREAD_MULTIPLE only in calls of the runtime")) << in_calls;
  EXPECT_TRUE(has(in_calls, std::string(mpi_in_use().how_to_have_threads()))) << in_calls;
  for (const std::string& text : {by_thread, in_calls})
    EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line: " << text;
}

TEST(Notices, tell_of_a_single_rank_on_its_host_like_of_none_at_all) {
  const std::string alone = said_of({0, 0, 1}, "1", true, false);
  EXPECT_TRUE(has(alone, "comex: 1 worker has no progress rank")) << alone;
  EXPECT_TRUE(has(alone, " only in calls of the runtime")) << alone;
}

TEST(Notices, tell_of_uneven_groups_only_who_asks) {
  EXPECT_EQ(said_of({0, 0, 0, 0, 0}, "2", false, false), "");
  EXPECT_NE(said_of({0, 0, 0, 0, 0}, "2", false, true), "");
}

}  // namespace
}  // namespace comex::runtime
