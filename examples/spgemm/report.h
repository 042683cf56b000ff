// Everything that is printed when the work is done, and the layout that is printed before.
#pragma once

#include <cstddef>
#include <vector>

#include "compare.h"
#include "task_loop.h"
#include "workers.h"

namespace spgemm {

// What one worker has to tell; sent to the leader as it is.
struct WorkerReport {
  LoopStats loop;
  Traffic traffic;
};

struct Work {
  std::size_t block = 0;
  std::size_t useful_multiplications = 0;  // of the serial product, repeats included
};

// `mpi_ranks`: of the whole job, progress ranks included.
void print_layout(const Workers& workers, int mpi_ranks);

// Collective; of those who live, in their order. The result is empty except at the leader.
std::vector<WorkerReport> gather_reports(const Workers& workers, const WorkerReport& mine);

void print_reports(const Workers& workers, const std::vector<WorkerReport>& reports, const Work& work);
void print_verdict(const Verdict& verdict, double limit);

}  // namespace spgemm
