// What conflicts, what orders, and which cycles of mutexes are told of.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "checker/access.h"
#include "checker/clocks.h"
#include "checker/lock_order.h"
#include "checker/shadow.h"

namespace comex::checker {
namespace {

Access access(Use use, std::uint16_t origin, std::uint64_t begin = 64, std::uint64_t bytes = 8) {
  Access made{
      .begin = begin, .bytes = bytes, .issued = 1, .done = 1, .origin = origin, .owner = 2, .use = use};
  return made;
}

Access worth(Access of, std::int64_t value) {
  of.value = value;
  return of;
}

Access of_type(Access of, std::uint8_t type) {
  of.type = type;
  return of;
}

Access polled(Access of) {
  of.is_polled = true;
  return of;
}

struct Row {
  Access a;
  Access b;
  bool is_conflict;
};

TEST(ConflictTest, IsTheTableOfTheMemoryModel) {
  const std::vector<Row> table = {
      {access(Use::read, 0), access(Use::read, 1), false},
      {access(Use::read, 0), access(Use::word_read, 1), false},
      {access(Use::read, 0), access(Use::write, 1), true},
      {access(Use::read, 0), access(Use::word_write, 1), true},
      {access(Use::read, 0), access(Use::accumulate, 1), true},
      {access(Use::read, 0), access(Use::atomic, 1), true},
      {access(Use::read, 0), access(Use::signal, 1), true},
      {access(Use::write, 0), access(Use::write, 1), true},
      {access(Use::write, 0), access(Use::word_read, 1), true},
      {access(Use::write, 0), access(Use::accumulate, 1), true},
      {access(Use::write, 0), access(Use::atomic, 1), true},
      {access(Use::word_write, 0), access(Use::atomic, 1), true},
      {worth(access(Use::word_write, 0), 5), worth(access(Use::word_read, 1), 5),
       false},  // a flag that was seen
      {worth(access(Use::word_write, 0), 5), worth(access(Use::word_read, 1), 4), true},
      {worth(access(Use::word_write, 0), 5), polled(worth(access(Use::word_read, 1), 4)), false},
      {worth(access(Use::word_write, 0, 64), 5), worth(access(Use::word_read, 1, 68, 4), 5), true},
      {worth(access(Use::word_write, 0), 5), worth(access(Use::word_write, 1), 6), true},
      {worth(access(Use::word_write, 0), 5), worth(access(Use::word_write, 1), 5), false},
      {worth(access(Use::signal, 0), 5), worth(access(Use::signal, 1), 6), true},
      {worth(access(Use::signal, 0), 5), worth(access(Use::signal, 1), 5), false},
      {access(Use::signal, 0), access(Use::atomic, 1), true},
      {access(Use::signal, 0), access(Use::word_read, 1), false},
      {of_type(access(Use::accumulate, 0), 2), of_type(access(Use::accumulate, 1), 2), false},
      {of_type(access(Use::accumulate, 0), 2), of_type(access(Use::accumulate, 1), 3), true},
      {access(Use::accumulate, 0), access(Use::atomic, 1), true},
      {access(Use::accumulate, 0), access(Use::word_read, 1), true},
      {access(Use::atomic, 0), access(Use::atomic, 1), false},
      {access(Use::atomic, 0), access(Use::atomic, 1, 68, 4), true},
      {access(Use::atomic, 0), access(Use::word_read, 1), false},
      {access(Use::freed, 0), access(Use::read, 1), true},
  };
  for (const Row& row : table) {
    const std::string both = std::string(verb_of(row.a.use)) + ", " + verb_of(row.b.use);
    EXPECT_EQ(conflict(row.a, row.b), row.is_conflict) << both;
    EXPECT_EQ(conflict(row.b, row.a), row.is_conflict) << both << ", the other way";
  }
}

TEST(ClocksTest, ReleaseCoversWhatWasBeforeIt) {
  Clocks mine(3, 1);
  Clocks other(3, 2);
  const Time before = mine.now();
  const std::vector<Time> released(mine.row().begin(), mine.row().end());
  mine.tick();
  EXPECT_LT(other.known()[1], before);
  EXPECT_TRUE(other.join(released));
  EXPECT_FALSE(other.join(released)) << "it was known";
  EXPECT_GE(other.known()[1], before);
  EXPECT_LT(other.known()[1], mine.now()) << "what follows is not covered";
}

TEST(ClocksTest, MutexesOrderOneHalfOnly) {
  Clocks mine(2, 0);
  Clocks other(2, 1);
  const std::vector<Time> released(other.row().begin(), other.row().end());
  EXPECT_TRUE(mine.join_from_mutex(released));
  EXPECT_EQ(mine.known()[1], 1);
  EXPECT_EQ(mine.known_without_mutexes()[1], 0);
  EXPECT_TRUE(mine.join(released));
  EXPECT_EQ(mine.known_without_mutexes()[1], 1);
}

// Accesses to one worker's memory, in an order that agrees with what the origins knew.
class Memory {
 public:
  // known: the time of the other origin that the origin of the access knew.
  void touch(const Access& of, Time known) {
    accesses_[count_] = of;
    known_[count_] = known;
    shadow_.touch(accesses_[count_], of.begin, of.bytes);
    ++count_;
  }
  const std::vector<Conflict>& found() const { return found_; }

 private:
  std::array<Access, 16> accesses_{};
  std::array<Time, 16> known_{};
  std::size_t count_ = 0;
  std::vector<Conflict> found_;
  Shadow shadow_{[this](const Access& of, std::uint16_t) {
                   return known_[static_cast<std::size_t>(&of - accesses_.data())];
                 },
                 [this](const Conflict& conflict) { found_.push_back(conflict); }};
};

TEST(ShadowTest, FindsTheBytesThatBothTouch) {
  Memory memory;
  memory.touch(access(Use::write, 0, 100, 100), 0);
  memory.touch(access(Use::read, 1, 150, 100), 0);
  ASSERT_EQ(memory.found().size(), 1U);
  EXPECT_EQ(memory.found()[0].begin, 150U);
  EXPECT_EQ(memory.found()[0].bytes, 50U);
}

TEST(ShadowTest, OrderAndOtherBytesAreNoConflict) {
  Memory memory;
  memory.touch(access(Use::write, 0, 100, 100), 0);
  memory.touch(access(Use::read, 1, 100, 100), 1);
  memory.touch(access(Use::write, 1, 200, 8), 0);
  memory.touch(access(Use::write, 1, 92, 8), 0);
  EXPECT_TRUE(memory.found().empty());
}

TEST(ShadowTest, OneThatIsNotDoneConflictsWithAllThatFollows) {
  Memory memory;
  Access unfenced = access(Use::write, 0);
  unfenced.done = never;
  memory.touch(unfenced, 0);
  memory.touch(access(Use::read, 1), 1'000);
  EXPECT_EQ(memory.found().size(), 1U);
}

TEST(ShadowTest, KeepsWhatWasDoneLast) {
  Memory memory;
  Access unfenced = access(Use::write, 0);
  unfenced.done = never;
  memory.touch(unfenced, 0);
  memory.touch(access(Use::write, 0), 0);  // a later one of the same origin, which is done
  memory.touch(access(Use::read, 1), 1);
  EXPECT_EQ(memory.found().size(), 1U) << "the first one is still under way";
}

TEST(ShadowTest, KeepsTheLastFewValuesOfAWord) {
  Memory memory;
  for (int value = 1; value <= 12; ++value) {
    Access put = access(Use::word_write, 0);
    put.value = value;
    memory.touch(put, 0);
  }
  memory.touch(access(Use::write, 1), 0);
  EXPECT_EQ(memory.found().size(), 8U);
  EXPECT_EQ(memory.found().back().earlier->value, 12);
}

TEST(ShadowTest, OriginDoesNotConflictWithItself) {
  Memory memory;
  memory.touch(access(Use::write, 0), 0);
  memory.touch(access(Use::accumulate, 0), 0);
  memory.touch(access(Use::read, 0), 0);
  EXPECT_TRUE(memory.found().empty());
}

TEST(ShadowTest, FreedMemoryIsNobodysUntilItIsAllocated) {
  Memory memory;
  Access freed = access(Use::freed, 2, 64, 64);
  memory.touch(freed, 0);
  memory.touch(access(Use::read, 1), 1);
  ASSERT_EQ(memory.found().size(), 1U);
  memory.touch(access(Use::allocated, 2, 64, 64), 1);
  memory.touch(access(Use::write, 1), 1);
  EXPECT_EQ(memory.found().size(), 1U);
}

// Steps of origins that knew nothing of each other, unless `knows` names one whose time 1 the step knew.
struct Step {
  std::uint32_t origin;
  int first;
  int second;
  std::vector<int> others = {};
  int knows = -1;
};

std::size_t cycles(const std::vector<Step>& steps) {
  LockSteps all{.origins = 3};
  for (const Step& step : steps) {
    LockStep one{.first = {step.first, 0}, .second = {step.second, 0}, .origin = step.origin, .time = 1};
    one.held[0] = one.first;
    for (std::size_t i = 0; i < step.others.size(); ++i) one.held[i + 1] = {step.others[i], 0};
    all.steps.push_back(one);
    for (int origin = 0; origin < 3; ++origin) all.rows.push_back(origin == step.knows ? 1 : 0);
  }
  return lock_cycles(all).size();
}

TEST(LockOrderTest, OppositeOrdersAreACycle) {
  EXPECT_EQ(cycles({{0, 1, 2}, {1, 2, 1}}), 1U);
  EXPECT_EQ(cycles({{0, 1, 2}, {1, 2, 3}, {2, 3, 1}}), 1U);
  EXPECT_EQ(cycles({{0, 1, 2}, {1, 1, 2}, {2, 2, 3}}), 0U);
}

TEST(LockOrderTest, OneWorkerDoesNotWaitForItself) {
  EXPECT_EQ(cycles({{0, 1, 2}, {0, 2, 1}}), 0U);
}

TEST(LockOrderTest, MutexAroundBothOrOrderBetweenThemMakesItHarmless) {
  EXPECT_EQ(cycles({{0, 1, 2, {9}}, {1, 2, 1, {9}}}), 0U);
  EXPECT_EQ(cycles({{0, 1, 2, {8}}, {1, 2, 1, {9}}}), 1U);
  EXPECT_EQ(cycles({{0, 1, 2}, {1, 2, 1, {}, 0}}), 0U);
}

}  // namespace
}  // namespace comex::checker
