// One worker's share of the product: claim a task, fetch its blocks ahead of the multiplication,
// multiply, accumulate the result.
//
//   slot 0   | get step 0 | wait | multiply | get step 2 | wait ...
//   slot 1   |     get step 1    ..........  wait | multiply | get step 3 ...
//
// With `depth` slots, the gets of depth - 1 steps are in flight while one step is multiplied. The row
// of C under work has two buffers: one is being accumulated while the other one fills.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "distributed.h"
#include "plan.h"
#include "progress.h"

namespace spgemm {

struct LoopStats {
  double total_seconds = 0.0;
  double compute_seconds = 0.0;
  double get_seconds = 0.0;      // waiting for blocks to arrive
  double acc_seconds = 0.0;      // waiting for a buffer that is still being accumulated
  double counter_seconds = 0.0;  // waiting for a task
  double end_seconds = 0.0;      // waiting for the last accumulates and for the others
  std::uint64_t tasks = 0;
  std::uint64_t products = 0;  // of blocks
};

struct LoopOptions {
  std::size_t depth = 2;
  // This worker kills itself when it draws such a task or a later one, or when none is left; 0: never.
  std::size_t dies_at = 0;
};

// Collects the blocks of one row of C, then accumulates them into the distributed matrix.
class RowBuffer {
 public:
  RowBuffer(const BlockPattern& pattern, DistributedMatrix& matrix);
  // The buffer must be idle. Blocks are zero when first asked for.
  void begin(std::size_t row);
  double* block(std::size_t column);
  void start_accumulate();
  void wait();

 private:
  const BlockPattern& pattern_;
  DistributedMatrix& matrix_;
  std::size_t row_ = 0;
  std::vector<double> data_;
  std::vector<char> touched_;
  std::vector<comex_request_t> requests_;
};

class TaskLoop {
 public:
  // The counter may hand out more numbers than there are tasks in the plan: it is gone through again.
  TaskLoop(const Plan& plan, DistributedMatrix& a, DistributedMatrix& b, DistributedMatrix& c,
           TaskCounter& counter, const Workers& workers, const LoopOptions& options, Progress& progress);
  // Works until no task is left. Returns true when the whole product is complete on all workers, false when
  // one has died: then its tasks are to be drawn again. Collective.
  bool run();
  const LoopStats& stats() const { return stats_; }

 private:
  struct Slot {
    std::optional<StepStream::Item> item;
    std::vector<double> data;           // room for the block of A, then for those of B
    std::vector<const double*> blocks;  // where they are
    std::vector<comex_request_t> requests;
  };

  std::optional<std::size_t> claim();
  void start_gets(Slot& slot);
  void work_on(Slot& slot);
  void begin_task(const StepStream::Item& item);
  void multiply(const Slot& slot);

  const Plan& plan_;
  DistributedMatrix& a_;
  DistributedMatrix& b_;
  TaskCounter& counter_;
  const Workers& workers_;
  const std::size_t dies_at_;
  Progress& progress_;
  StepStream stream_;
  std::vector<Slot> slots_;
  std::array<RowBuffer, 2> rows_;
  std::size_t active_ = 0;
  bool in_task_ = false;
  LoopStats stats_;
};

}  // namespace spgemm
