#include "report.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include <fmt/core.h>

namespace spgemm {
namespace {

double waiting(const LoopStats& stats) {
  return stats.get_seconds + stats.acc_seconds + stats.counter_seconds + stats.end_seconds;
}

double share(double part, double whole) {
  return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

double giga_per_second(double count, double seconds) {
  return seconds > 0.0 ? count / seconds * 1e-9 : 0.0;
}

double block_flops(const LoopStats& stats, std::size_t block) {
  const auto side = static_cast<double>(block);
  return 2.0 * side * side * side * static_cast<double>(stats.products);
}

// "0-3 6 8-9": ascending numbers, runs drawn together.
std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : " ", numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string amount(std::uint64_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) * 1e-6);
}

void print_row(const std::string& name, const std::string& host, const LoopStats& s, const Traffic& t,
               double gflops) {
  fmt::print("{:>6} {:>5} {:>7} {:>9.2f} {:>9.1f} {:>6.1f} {:>11} {:>13} {:>11}\n", name, host, s.tasks,
             gflops, share(s.compute_seconds, s.total_seconds), share(waiting(s), s.total_seconds),
             amount(t.bytes[0]), amount(t.bytes[1]), amount(t.bytes[2]));
}

void add(LoopStats& sum, const LoopStats& s) {
  sum.total_seconds += s.total_seconds;
  sum.compute_seconds += s.compute_seconds;
  sum.get_seconds += s.get_seconds;
  sum.acc_seconds += s.acc_seconds;
  sum.counter_seconds += s.counter_seconds;
  sum.end_seconds += s.end_seconds;
  sum.tasks += s.tasks;
  sum.products += s.products;
}

}  // namespace

void print_layout(const Workers& workers, int mpi_ranks) {
  const int hosts = 1 + *std::max_element(workers.hosts().begin(), workers.hosts().end());
  fmt::print("layout    {} workers and {} progress ranks on {} host{}\n", workers.count(),
             mpi_ranks - workers.count(), hosts, hosts == 1 ? "" : "s");
  for (int host = 0; host < hosts; ++host) {
    std::vector<int> here;
    for (int worker = 0; worker < workers.count(); ++worker)
      if (workers.hosts()[static_cast<std::size_t>(worker)] == host) here.push_back(worker);
    if (here.empty()) continue;
    fmt::print("          host {} ({}): worker{} {}\n", host,
               workers.machines()[static_cast<std::size_t>(here[0])], here.size() == 1 ? "" : "s",
               ranges(here));
  }
  std::fflush(stdout);
}

std::vector<WorkerReport> gather_reports(const Workers& workers, const WorkerReport& mine) {
  static_assert(std::is_trivially_copyable_v<WorkerReport>);
  std::vector<WorkerReport> all(workers.leader() ? workers.living().size() : 0);
  constexpr int bytes = sizeof(WorkerReport);
  MPI_Gather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, workers.comm());
  return all;
}

void print_reports(const Workers& workers, const std::vector<WorkerReport>& reports, const Work& work) {
  fmt::print("\n{:>6} {:>5} {:>7} {:>9} {:>9} {:>6} {:>11} {:>13} {:>11}\n", "worker", "host", "tasks",
             "GFLOP/s", "compute %", "wait %", "own MB", "same host MB", "remote MB");
  LoopStats sum;
  Traffic traffic;
  double seconds = 0.0;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const LoopStats& stats = reports[rank].loop;
    const int worker = workers.living()[rank];
    const int host = workers.hosts()[static_cast<std::size_t>(worker)];
    print_row(std::to_string(worker), std::to_string(host), stats, reports[rank].traffic,
              giga_per_second(block_flops(stats, work.block), stats.total_seconds));
    add(sum, stats);
    for (std::size_t route = 0; route < traffic.bytes.size(); ++route)
      traffic.bytes[route] += reports[rank].traffic.bytes[route];
    seconds = std::max(seconds, stats.total_seconds);
  }
  const double flops = block_flops(sum, work.block);
  print_row("all", "", sum, traffic, giga_per_second(flops, seconds));
  fmt::print("\nspeed     {:.2f} GFLOP/s in dense blocks, {:.2f} of them on nonzeros, {:.3f} s\n",
             giga_per_second(flops, seconds),
             giga_per_second(2.0 * static_cast<double>(work.useful_multiplications), seconds), seconds);
  fmt::print("waiting   {:.1f} % of the time: blocks {:.1f}, accumulates {:.1f}, tasks {:.1f}, end {:.1f}\n",
             share(waiting(sum), sum.total_seconds), share(sum.get_seconds, sum.total_seconds),
             share(sum.acc_seconds, sum.total_seconds), share(sum.counter_seconds, sum.total_seconds),
             share(sum.end_seconds, sum.total_seconds));
}

void print_verdict(const Verdict& verdict, double limit) {
  fmt::print("error     {:.2e} at most, relative, over {} entries (limit {:.0e})\n", verdict.worst_error,
             verdict.compared, limit);
  if (verdict.right())
    fmt::print("result    right: equal to the serial product\n");
  else
    fmt::print(
        "result    WRONG in {} entries; first: row {}, column {} is {:.17g}, serial product says {:.17g}\n",
        verdict.wrong, verdict.row + 1, verdict.column + 1, verdict.got, verdict.wanted);
  std::fflush(stdout);
}

}  // namespace spgemm
