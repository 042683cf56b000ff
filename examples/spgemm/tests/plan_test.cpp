#include "plan.h"

#include <map>
#include <optional>
#include <tuple>

#include <gtest/gtest.h>

#include "helpers.h"

namespace spgemm {
namespace {

Plan random_plan(std::size_t steps_per_task, std::size_t blocks_per_step) {
  auto a = random_matrix(60, 45, 3, 7);
  auto b = random_matrix(45, 70, 3, 8);
  return Plan::make(sort_into_blocks(a, 5), sort_into_blocks(b, 5), steps_per_task, blocks_per_step);
}

TEST(Plan, names_every_pair_of_blocks_that_meet_exactly_once) {
  for (const auto& [batch, width] : {std::pair(1U, 1U), std::pair(3U, 2U), std::pair(1000U, 1000U)}) {
    const auto plan = random_plan(batch, width);
    std::map<std::tuple<std::size_t, std::size_t, std::size_t>, int>
        seen;  // row of C, block of A, block of B
    StepStream stream(plan);
    std::size_t next = 0;
    const auto claim = [&]() -> std::optional<std::size_t> {
      return next < plan.tasks.size() ? std::optional(next++) : std::nullopt;
    };
    while (const auto item = stream.next(claim))
      for (std::size_t kj = item->step.first_b; kj < item->step.last_b; ++kj)
        ++seen[{item->row, item->step.a_block, kj}];
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < plan.a.rows; ++i)
      for (std::size_t ik = plan.a.start[i]; ik < plan.a.start[i + 1]; ++ik) {
        const std::size_t k = plan.a.column[ik];
        for (std::size_t kj = plan.b.start[k]; kj < plan.b.start[k + 1]; ++kj, ++pairs)
          EXPECT_EQ((seen[{i, ik, kj}]), 1);
      }
    EXPECT_EQ(seen.size(), pairs);
    EXPECT_EQ(plan.products, pairs);
  }
}

TEST(Plan, keeps_tasks_and_steps_within_their_limits) {
  const auto plan = random_plan(3, 2);
  for (const Task& task : plan.tasks) {
    EXPECT_LE(task.last_step - task.first_step, 3U);
    EXPECT_LT(task.first_step, task.last_step);
  }
  for (const Step& step : plan.steps) {
    EXPECT_LE(step.last_b - step.first_b, 2U);
    EXPECT_LT(step.first_b, step.last_b);
  }
  EXPECT_EQ(plan.most_b_blocks, 2U);
}

TEST(Plan, marks_the_last_step_of_each_task_and_stops_asking_when_all_are_taken) {
  const auto plan = random_plan(2, 4);
  StepStream stream(plan);
  std::size_t next = 0, asked = 0, ends = 0;
  const auto claim = [&]() -> std::optional<std::size_t> {
    ++asked;
    return next < plan.tasks.size() ? std::optional(next++) : std::nullopt;
  };
  while (const auto item = stream.next(claim)) ends += item->last_of_task ? 1U : 0U;
  EXPECT_EQ(ends, plan.tasks.size());
  EXPECT_FALSE(stream.next(claim).has_value());
  EXPECT_EQ(asked, plan.tasks.size() + 1);
}

TEST(Plan, of_an_empty_matrix_has_no_tasks) {
  Triplets none{10, 10, {}};
  const auto pattern = sort_into_blocks(none, 4);
  const auto plan = Plan::make(pattern, pattern, 4, 4);
  EXPECT_TRUE(plan.tasks.empty());
  EXPECT_EQ(plan.c.count(), 0U);
}

}  // namespace
}  // namespace spgemm
