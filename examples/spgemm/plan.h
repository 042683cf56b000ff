// The whole product as a list of tasks, and each task as a list of steps. Every worker makes the same plan.
//
//   task: one block row i of C and a few steps            (a worker claims it from the shared counter)
//   step: one block A(i,k) and some blocks B(k,j), j..    (fetched together, then multiplied into C(i,j))
//
// Two tasks may belong to the same row of C; their results meet in the accumulate.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "blocks.h"

namespace spgemm {

struct Step {
  std::size_t a_block;  // numbers of blocks, as in BlockPattern
  std::size_t first_b;
  std::size_t last_b;  // one past
};

struct Task {
  std::size_t row;  // block row of C
  std::size_t first_step;
  std::size_t last_step;  // one past
};

struct Plan {
  BlockPattern a, b, c;
  std::vector<Step> steps;
  std::vector<Task> tasks;
  std::size_t most_b_blocks = 0;  // of any step
  std::size_t products = 0;       // block multiplications in all

  // At most `steps_per_task` steps in a task, at most `blocks_per_step` blocks of B in a step.
  static Plan make(BlockPattern a, BlockPattern b, std::size_t steps_per_task, std::size_t blocks_per_step);
};

// Hands out the steps of all tasks that `claim` returns, one after the other.
class StepStream {
 public:
  struct Item {
    std::size_t task;
    std::size_t row;
    Step step;
    bool last_of_task;
  };

  explicit StepStream(const Plan& plan) : plan_(plan) {}
  void restart() { done_ = false; }  // when there is nothing left

  // `claim` returns the number of the next task, or nothing when all are taken.
  template <class Claim>
  std::optional<Item> next(Claim&& claim) {
    if (step_ == last_) {
      const std::optional<std::size_t> task = done_ ? std::nullopt : claim();
      done_ = !task;
      if (done_) return std::nullopt;
      task_ = *task;
      step_ = plan_.tasks[task_].first_step;
      last_ = plan_.tasks[task_].last_step;
    }
    const std::size_t now = step_++;
    return Item{task_, plan_.tasks[task_].row, plan_.steps[now], step_ == last_};
  }

 private:
  const Plan& plan_;
  std::size_t task_ = 0;
  std::size_t step_ = 0;
  std::size_t last_ = 0;
  bool done_ = false;
};

}  // namespace spgemm
