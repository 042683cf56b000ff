#include "plan.h"

#include <algorithm>
#include <utility>

namespace spgemm {

Plan Plan::make(BlockPattern a, BlockPattern b, std::size_t steps_per_task, std::size_t blocks_per_step) {
  Plan plan;
  plan.c = product_pattern(a, b);
  for (std::size_t row = 0; row < a.rows; ++row) {
    const std::size_t first = plan.steps.size();
    for (std::size_t ik = a.start[row]; ik < a.start[row + 1]; ++ik) {
      const std::size_t k = a.column[ik];
      for (std::size_t kj = b.start[k]; kj < b.start[k + 1]; kj += blocks_per_step) {
        const std::size_t end = std::min(kj + blocks_per_step, b.start[k + 1]);
        plan.steps.push_back({ik, kj, end});
        plan.products += end - kj;
        plan.most_b_blocks = std::max(plan.most_b_blocks, end - kj);
      }
    }
    for (std::size_t at = first; at < plan.steps.size(); at += steps_per_task)
      plan.tasks.push_back({row, at, std::min(at + steps_per_task, plan.steps.size())});
  }
  plan.a = std::move(a);
  plan.b = std::move(b);
  return plan;
}

}  // namespace spgemm
