// The user's mutexes through origin and server: taken in turn, given back with and without an answer.
#include "conformance/whole_rig.h"

namespace comex::whole {
namespace {

TEST(WholeMutexes, a_mutex_passes_from_origin_to_origin_in_turn) {
  Rig rig({.origins = 3});
  nb::Completion first, second, third;
  rig.origin(0).start_lock(1, rig.far, first);
  rig.finish(first);
  rig.origin(1).start_lock(1, rig.far, second);
  EXPECT_FALSE(rig.until([&] { return second.done(); }, 200));
  std::uint64_t acquired = 5;
  nb::Completion tried;
  rig.origin(2).start_try_lock(1, rig.far, tried, &acquired);
  rig.finish(tried);
  EXPECT_EQ(acquired, 0u);
  rig.origin(2).start_lock(1, rig.far, third);
  EXPECT_FALSE(rig.until([&] { return third.done(); }, 200));

  nb::Completion unlocked;
  rig.origin(0).start_release(1, rig.far, unlocked);
  rig.finish(unlocked);
  rig.finish(second);
  EXPECT_FALSE(third.done());
  rig.origin(1).start_release(1, rig.far, unlocked);
  rig.finish(unlocked);
  rig.finish(third);
  rig.origin(2).start_release(1, rig.far, unlocked);
  rig.finish(unlocked);
  rig.origin(0).start_try_lock(1, rig.far, tried, &acquired);
  rig.finish(tried);
  EXPECT_EQ(acquired, 1u);
  EXPECT_EQ(rig.refused, 0u);
}

TEST(WholeMutexes, a_release_passes_a_mutex_on_without_an_answer) {
  Rig rig({.origins = 2});
  nb::Completion first, second, released, fenced;
  rig.origin(0).start_lock(1, rig.far, first);
  rig.finish(first);
  rig.origin(1).start_lock(1, rig.far, second);
  EXPECT_FALSE(rig.until([&] { return second.done(); }, 200));
  rig.origin(0).start_release(1, rig.far, released);
  EXPECT_TRUE(released.done()) << "there was a credit";
  rig.finish(second);
  rig.origin(0).start_fence(rig.far.server, fenced);
  rig.finish(fenced);
  EXPECT_FALSE(rig.origin(0).dirty(rig.far.server));
  EXPECT_EQ(rig.refused, 0u);
}

TEST(WholeMutexes, a_lock_that_lasts_is_told_once_with_the_holder) {
  Rig rig({.origins = 2, .stall_ns = 1'000'000});
  nb::Completion first, second, unlocked;
  rig.origin(0).start_lock(1, rig.far, first);
  rig.finish(first);
  rig.origin(1).start_lock(1, rig.far, second);
  EXPECT_FALSE(rig.until([&] { return second.done(); }, 3000));
  EXPECT_TRUE(rig.lasting.empty()) << "not long enough";
  rig.os.sleep_ns(1'000'000);
  EXPECT_FALSE(rig.until([&] { return second.done(); }, 3000));
  ASSERT_EQ(rig.lasting.size(), 1u);
  EXPECT_EQ(rig.lasting.front(), (std::pair<Worker, std::optional<Worker>>(102, 101)));
  rig.origin(0).start_release(1, rig.far, unlocked);
  rig.finish(unlocked);
  rig.finish(second);
}

// The first origin holds a mutex, and the second wants to give it back.
class NotTheHolder : public testing::Test {
 protected:
  NotTheHolder() {
    rig.origin(1).set_errors_return(true);
    nb::Completion held;
    rig.origin(0).start_lock(0, rig.far, held);
    rig.finish(held);
  }
  void expect_still_held() {
    std::uint64_t acquired = 5;
    nb::Completion tried;
    rig.origin(1).start_try_lock(0, rig.far, tried, &acquired);
    rig.finish(tried);
    EXPECT_EQ(acquired, 0u);
  }

  Rig rig{{.origins = 2}};
};

TEST_F(NotTheHolder, learns_of_a_refused_release_by_its_answer_and_no_fence_does) {
  std::uint64_t answer = 0;
  nb::Completion released, fenced, gone;
  rig.origin(1).start_release(0, rig.far, released, &answer);
  EXPECT_FALSE(released.done());
  rig.origin(1).start_fence(rig.far.server, fenced);
  rig.finish(fenced);
  rig.finish(released);
  EXPECT_EQ(released.take_failure(), nb::OperationError::reported);
  EXPECT_EQ(rig.origin(1).take_failures(rig.far), 0u);
  expect_still_held();
  rig.origin(0).start_release(0, rig.far, gone, &answer);
  rig.finish(gone);
  EXPECT_EQ(gone.take_failure(), nb::OperationError::none) << "its holder may ask for an answer, too";
  EXPECT_EQ(rig.refused, 1u);
}

TEST_F(NotTheHolder, learns_of_a_refused_release_by_a_fence) {
  nb::Completion released, fenced;
  rig.origin(1).start_release(0, rig.far, released);
  rig.finish(released);
  rig.origin(1).start_fence(rig.far.server, fenced);
  rig.finish(fenced);
  EXPECT_EQ(rig.refused, 1u);
  EXPECT_EQ(rig.origin(1).take_failures(rig.far), 1u);
  expect_still_held();
}

}  // namespace
}  // namespace comex::whole
