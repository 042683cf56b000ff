// comex_bench_small: what small operations cost beside the least they could cost.
//
//   mpirun -np 3 comex_bench_small                           rows of one host
//   COMEX_VIRTUAL_HOSTS=2 mpirun -np 4 comex_bench_small     remote rows too
//
// Ends with status 1 if any row left a wrong result. `--sleep` only sleeps, for the idle measurement.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "measure.h"
#include "rows.h"
#include "table.h"

namespace comex::bench {
namespace {

bool run(const Options& options, const std::string& filter) {
  const Rig rig(options);
  std::vector<Row> rows = near_rows(rig);
  for (auto more : {meeting_rows, far_rows}) {
    for (Row& row : more(rig)) rows.push_back(std::move(row));
  }
  std::erase_if(rows, [&](const Row& row) { return row.name.find(filter) == std::string::npos; });
  measure(rows, rig, options.rounds);
  bool is_right = !rows.empty();
  for (const Row& row : rows) is_right = is_right && row.is_verified;
  if (rig.is_first()) {
    fmt::print("{} workers, {} allocations, {} random words, {} rounds\n", rig.size(), options.allocations,
               rig.near().size(), options.rounds);
    print_table(rows);
  }
  return is_right;
}

}  // namespace
}  // namespace comex::bench

int main(int argc, char** argv) {
  comex::bench::Options options;
  bool is_quick = false;
  unsigned sleep_seconds = 0;
  std::string filter;
  CLI::App app("What small operations cost beside the least they could cost");
  app.add_option("--allocations", options.allocations, "Live allocations")->check(CLI::Range(1, 100000));
  app.add_option("--words", options.spots, "Random words in them")->check(CLI::Range(1, 1 << 20));
  app.add_option("--rounds", options.rounds, "Rounds of which the median is told")
      ->check(CLI::Range(1, 1000));
  app.add_option("--seed", options.seed, "Seed of the random words");
  app.add_option("--only", filter, "Only rows with this in their name");
  app.add_flag("--quick", is_quick, "A few operations of each row: are the results right?");
  app.add_option("--sleep", sleep_seconds, "Measure nothing: all workers sleep that many seconds");
  CLI11_PARSE(app, argc, argv);
  if (is_quick) {
    options.rounds = 2;
    options.scale = 5;
    options.allocations = std::min(options.allocations, 200);
  }
  if (comex_init() != COMEX_SUCCESS) return 1;
  bool is_right = true;
  if (sleep_seconds != 0) {
    int me = 0;
    comex_group_rank(COMEX_GROUP_WORLD, &me);
    comex_barrier(COMEX_GROUP_WORLD);
    if (me == 0) fmt::print("asleep\n");
    std::fflush(stdout);
    sleep(sleep_seconds);
  } else {
    is_right = comex::bench::run(options, filter);
  }
  comex_finalize();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
