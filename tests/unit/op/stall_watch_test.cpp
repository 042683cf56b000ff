// The limit of a wait, by a clock that the test moves.
#include "op/stall_watch.h"

#include <gtest/gtest.h>

#include "support/memory_os.h"

namespace comex::op {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t limit_ns = 6 * second_ns;

class ClockOs final : public shm::MemoryOs {
 public:
  std::uint64_t now_ns() override { return now; }
  std::uint64_t now = 5 * second_ns;
};

struct Wait {
  // False: the wait has ended.
  bool look_after(std::uint64_t ns) {
    os.now += ns;
    watch.look();
    return waited_ns == 0;
  }

  ClockOs os;
  std::uint64_t waited_ns = 0;  // when it was ended
  StallOptions options{.stall_ns = 0, .limit_ns = limit_ns, .on_limit = [this](const WaitReason&, auto ns) {
                         waited_ns = ns;
                       }};
  StallWatch watch{os, options, {"lock"}};
};

TEST(StallWatch, ends_a_wait_at_its_limit) {
  Wait wait;
  wait.watch.set_slow(true);
  while (wait.look_after(second_ns / 100)) ASSERT_LT(wait.os.now, 12 * second_ns);
  EXPECT_EQ(wait.waited_ns, limit_ns);
}

TEST(StallWatch, does_not_count_the_time_in_which_the_process_was_stopped) {
  Wait wait;
  wait.watch.set_slow(true);
  for (int i = 0; i <= 100; ++i) ASSERT_TRUE(wait.look_after(second_ns / 100));
  ASSERT_TRUE(wait.look_after(60 * second_ns));
  ASSERT_TRUE(wait.look_after(60 * second_ns));
  while (wait.look_after(second_ns / 100)) ASSERT_LT(wait.os.now, 200 * second_ns);
  EXPECT_EQ(wait.waited_ns, 120 * second_ns + limit_ns);
}

// On a busy machine the clock is read after so many looks that a reading is as late as after a stop.
TEST(StallWatch, ends_a_wait_whose_looks_are_slow) {
  Wait wait;
  while (wait.look_after(second_ns / 10)) ASSERT_LT(wait.os.now, 30 * second_ns);
  EXPECT_GE(wait.waited_ns, limit_ns);
}

}  // namespace
}  // namespace comex::op
