#include "job.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "compare.h"
#include "csr.h"
#include "distributed.h"
#include "matrix_market.h"
#include "plan.h"
#include "progress.h"
#include "report.h"
#include "stopwatch.h"
#include "task_loop.h"
#include "workers.h"

namespace spgemm {
namespace {

constexpr double error_limit = 1e-12;
constexpr std::size_t blocks_per_step = 16;

// What only the leader knows: the files' contents.
struct Input {
  Triplets a, b;
  BlockPattern a_pattern, b_pattern;
  bool square = true;  // B is A; b and b_pattern are not used
};

Triplets read_and_tell(const char* name, const std::string& path) {
  double seconds = 0.0;
  Triplets matrix = timed(seconds, [&] { return read_matrix_market(path); });
  fmt::print("read      {} = {}: {} x {}, {} nonzeros, {:.1f} s\n", name, path, matrix.rows, matrix.columns,
             matrix.entries.size(), seconds);
  std::fflush(stdout);
  return matrix;
}

Input read_input(const Options& options) {
  Input input;
  input.square = options.b_file.empty() || options.b_file == options.a_file;
  input.a = read_and_tell("A", options.a_file);
  if (!input.square) input.b = read_and_tell("B", options.b_file);
  const std::size_t b_rows = input.square ? input.a.rows : input.b.rows;
  if (input.a.columns != b_rows)
    throw InputError(fmt::format("{}: A has {} columns, but B has {} rows: A*B does not exist",
                                 options.a_file, input.a.columns, b_rows));
  input.a_pattern = sort_into_blocks(input.a, options.block);
  if (!input.square) input.b_pattern = sort_into_blocks(input.b, options.block);
  return input;
}

// The leader reads; everybody learns whether that went well.
bool read_everywhere(const Workers& workers, const Options& options, Input& input) {
  int ok = 1;
  if (workers.leader()) {
    try {
      input = read_input(options);
    } catch (const std::exception& error) {
      fmt::print(stderr, "spgemm: {}\n", error.what());
      ok = 0;
    }
  }
  input.square = options.b_file.empty() || options.b_file == options.a_file;
  return workers.from_leader(ok) == 1;
}

void share_pattern(const Workers& workers, BlockPattern& pattern) {
  std::vector<std::size_t> shape{pattern.rows, pattern.columns};
  workers.share(shape);
  pattern.rows = shape[0];
  pattern.columns = shape[1];
  workers.share(pattern.start);
  workers.share(pattern.column);
}

// The leader puts every block into its owner's memory.
void place_blocks(const Workers& workers, const char* name, const Triplets& matrix, std::size_t blocks,
                  DistributedMatrix& to) {
  if (workers.leader()) {
    Progress progress(fmt::format("place {}", name), blocks, true);
    BlockFiller filler(matrix, to.block());
    std::vector<double> dense;
    for (std::size_t number = 0; filler.next(dense); ++number) {
      to.put(number, dense);
      progress.reached(number + 1);
    }
  }
  require(comex_barrier(COMEX_GROUP_WORLD), "comex_barrier");
}

// The leader reads C back row by row and compares it with the serial product.
Verdict check_product(const Input& input, const Plan& plan, DistributedMatrix& c, std::size_t repeat,
                      Work& work) {
  const Csr a = compress(input.a);
  const Csr other = input.square ? Csr() : compress(input.b);
  const Csr& b = input.square ? a : other;
  SerialProduct serial(a, b);
  Verdict verdict;
  Progress progress("check", plan.c.rows, true);
  std::vector<double> dense(plan.c.longest_row() * c.block_elements());
  std::vector<comex_request_t> requests;
  for (std::size_t row = 0; row < plan.c.rows; ++row) {
    for (std::size_t at = 0; at < plan.c.row_count(row); ++at)
      requests.push_back(c.start_get(plan.c.start[row] + at, dense.data() + at * c.block_elements()));
    for (comex_request_t& request : requests) require(comex_wait(&request), "comex_wait");
    requests.clear();
    compare_block_row(serial, a.rows, b.columns, plan.c, c.block(), row, dense.data(),
                      static_cast<double>(repeat), error_limit, verdict);
    progress.reached(row + 1);
  }
  work.useful_multiplications = serial.multiplications() * repeat;
  return verdict;
}

void print_plan(const Plan& plan, const Options& options) {
  fmt::print("blocks    of {0} x {0}: A {1}, B {2}, C {3}; {4} block products in {5} tasks\n", options.block,
             plan.a.count(), plan.b.count(), plan.c.count(), plan.products * options.repeat,
             plan.tasks.size() * options.repeat);
  std::fflush(stdout);
}

int conclude(const Workers& workers, const Input& input, const Plan& plan, DistributedMatrix& c,
             const std::vector<WorkerReport>& reports, const Options& options) {
  int status = 0;
  if (workers.leader()) {
    Work work{options.block, 0};
    const Verdict verdict = check_product(input, plan, c, options.repeat, work);
    print_reports(workers, reports, work);
    print_verdict(verdict, error_limit);
    status = verdict.right() ? 0 : 1;
  }
  // The others wait here in a way that serves their memory to the leader.
  if (!workers.meet()) comex_error("spgemm: a worker has died while the product was checked", 1);
  return workers.from_leader(status);
}

// Of what a dead worker should have added to C, some is there and some is not. So each row that it may have
// touched is begun anew: its blocks become zero, and all of its tasks are drawn again.
void draw_again(Workers& workers, const Plan& plan, DistributedMatrix& c, TaskCounter& counter) {
  do {
    workers.shrink();  // all who live are here, so nobody works on C
    const std::vector<bool> undone = counter.undone();
    std::vector<bool> is_begun_anew(plan.c.rows);
    for (std::size_t number = 0; number < undone.size(); ++number)
      if (undone[number]) is_begun_anew[plan.tasks[number % plan.tasks.size()].row] = true;
    std::vector<double> zeros(c.block_elements());
    const std::size_t living = workers.living().size();
    const auto me = std::find(workers.living().begin(), workers.living().end(), workers.me());
    auto row = static_cast<std::size_t>(me - workers.living().begin());
    for (; row < plan.c.rows; row += living)
      for (std::size_t at = 0; is_begun_anew[row] && at < plan.c.row_count(row); ++at)
        c.put(plan.c.start[row] + at, zeros);
    std::vector<std::size_t> again;
    for (std::size_t number = 0; number < undone.size(); ++number)
      if (is_begun_anew[plan.tasks[number % plan.tasks.size()].row]) again.push_back(number);
    if (workers.leader())
      fmt::print("again     {} of {} tasks, without {} workers\n", again.size(), undone.size(),
                 workers.count() - static_cast<int>(living));
    if (!workers.meet()) continue;  // all have read who has claimed what
    counter.draw_again(std::move(again));
  } while (!workers.meet());
}

}  // namespace

int run_job(const Options& options, int mpi_ranks) {
  Workers workers;
  if (workers.leader()) print_layout(workers, mpi_ranks);
  Input input;
  if (!read_everywhere(workers, options, input)) return 1;
  share_pattern(workers, input.a_pattern);
  if (!input.square) share_pattern(workers, input.b_pattern);
  const Plan plan = Plan::make(input.a_pattern, input.square ? input.a_pattern : input.b_pattern,
                               options.batch, blocks_per_step);
  if (workers.leader()) print_plan(plan, options);

  Traffic traffic;
  DistributedMatrix a(workers, traffic, {plan.a.count(), options.block, options.copies});
  std::optional<DistributedMatrix> other;
  const DistributedMatrix::Shape b_shape{plan.b.count(), options.block, options.copies};
  if (!input.square) other.emplace(workers, traffic, b_shape);
  DistributedMatrix& b = other ? *other : a;
  DistributedMatrix c(workers, traffic, {plan.c.count(), options.block, options.copies});
  place_blocks(workers, "A", input.a, plan.a.count(), a);
  if (other) place_blocks(workers, "B", input.b, plan.b.count(), b);

  const std::size_t tasks = plan.tasks.size() * options.repeat;
  TaskCounter counter(workers, traffic, tasks);
  Progress progress("multiply", tasks, workers.leader());
  traffic = Traffic{};  // placing and checking do not belong to what is measured
  const std::size_t dies_at = workers.me() == 1 ? tasks * options.die_at / 100 : 0;
  TaskLoop loop(plan, a, b, c, counter, workers, {options.depth, dies_at}, progress);
  while (!loop.run()) draw_again(workers, plan, c, counter);
  const auto reports = gather_reports(workers, {loop.stats(), traffic});
  return conclude(workers, input, plan, c, reports, options);
}

}  // namespace spgemm
