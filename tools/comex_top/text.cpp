#include "text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace comex::top {
namespace {

std::string scaled(double value, double step, const char* units) {
  std::size_t unit = 0;
  while (value >= 0.9995 * step && units[unit + 1] != '\0') {
    value /= step;
    ++unit;
  }
  const int digits = unit == 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0;
  return units[unit] == ' ' ? fmt::format("{:.{}f}", value, digits)
                            : fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

std::string rank_line(const RankView& view) {
  std::string line = fmt::format("{:>6} {:>7} {:>4} {:>8} ", view.last.rank,
                                 view.last.worker < 0 ? "serves" : std::to_string(view.last.worker),
                                 view.last.host, view.last.pid);
  for (const Rate& rate : view.by_kind)
    line += fmt::format("{:>7}{:>8}", amount_text(rate.operations), bytes_text(rate.bytes));
  for (const Rate* route : {&view.self, &view.same_host, &view.other_hosts})
    line += fmt::format("{:>9}", bytes_text(route->bytes));
  if (view.last.worker >= 0) {
    line += fmt::format(" {:>5.0f}% {:>6}", 100 * view.waiting, view.last.outstanding);
  } else {
    line += fmt::format(" {:>6} {:>6}", "", "");
  }
  return line + "  " + watch::doing(view.last);
}

std::string server_line(const RankView& view) {
  return fmt::format("{:>6} {:>4} {:>10} {:>8} {:>8} {:>7.0f}% {:>12.2f}", view.last.rank, view.last.host,
                     amount_text(view.requests), view.last.queued, view.last.queued_peak, 100 * view.busy,
                     view.service_us);
}

std::string host_line(const Host& host) {
  constexpr std::size_t most_owners = 4;
  std::string line = fmt::format("host {}: arena uses {} of {}", host.number,
                                 bytes_text(static_cast<double>(host.used_bytes)),
                                 bytes_text(static_cast<double>(host.reserved_bytes)));
  for (std::size_t i = 0; i < std::min(most_owners, host.owners.size()); ++i) {
    line += fmt::format("{}worker {} {} in {}", i == 0 ? "; " : ", ", host.owners[i].worker,
                        bytes_text(static_cast<double>(host.owners[i].bytes)), host.owners[i].blocks);
  }
  return line;
}

void add_matrix(std::vector<std::string>& lines, const Matrix& matrix, std::size_t width) {
  const std::size_t columns = std::min(matrix.to.size(), width < 18 ? 0 : (width - 10) / 9);
  std::string head = fmt::format("{:>8}  ", "from \\ to");
  for (std::size_t to = 0; to < columns; ++to) head += fmt::format("{:>9}", matrix.to[to]);
  lines.push_back(head + (columns < matrix.to.size() ? " ..." : ""));
  for (std::size_t from = 0; from < matrix.from.size(); ++from) {
    std::string line = fmt::format("{:>8}  ", matrix.from[from]);
    for (std::size_t to = 0; to < columns; ++to) {
      const double bytes = matrix.bytes[from][to];
      line += fmt::format("{:>9}", std::isnan(bytes) ? "-" : bytes > 0 ? bytes_text(bytes) : ".");
    }
    lines.push_back(line);
  }
}

}  // namespace

std::string amount_text(double value) {
  return scaled(value, 1000, " kMGT");
}
std::string bytes_text(double bytes) {
  return scaled(bytes, 1024, " KMGT");
}

std::vector<std::string> lines_of(const JobView& view, const Matrix& matrix, std::size_t width) {
  const Job& job = view.last;
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "job {}, world {}: {} ranks on {} host{} of this machine; {}", name_of(job), job.world,
      view.ranks.size(), job.hosts.size(), job.hosts.size() == 1 ? "" : "s",
      view.seconds > 0 ? fmt::format("rates of the last {:.1f} s", view.seconds) : "means since the start"));
  lines.emplace_back();
  lines.push_back(
      "  rank  worker host      pid   put/s   bytes  get/s   bytes  acc/s   bytes  rmw/s   bytes   self/s   "
      "host/s  other/s  waits  under  is");
  for (const RankView& rank : view.ranks) lines.push_back(rank_line(rank));
  if (std::ranges::any_of(view.ranks, [](const RankView& each) { return each.last.worker < 0; })) {
    lines.emplace_back();
    lines.push_back(" serves host requests/s   queued     peak    busy  us a request");
    for (const RankView& rank : view.ranks)
      if (rank.last.worker < 0) lines.push_back(server_line(rank));
  }
  lines.emplace_back();
  for (const Host& host : job.hosts) lines.push_back(host_line(host));
  lines.emplace_back();
  lines.push_back("bytes from worker to worker, and to all of a host");
  add_matrix(lines, matrix, width);
  for (std::string& line : lines)
    if (line.size() > width) line.resize(width);
  return lines;
}

}  // namespace comex::top
