#include "table.h"

#include <fmt/core.h>

namespace comex::bench {

void print_table(const std::vector<Row>& rows) {
  fmt::print("{:<26} {:<20} {:>11}   {:<23} {:>7}  {}\n", "", "ns for one", "median", "quartiles", "ratio",
             "result");
  for (const Row& row : rows) {
    const double ours = row.contenders.front().nanoseconds.median();
    bool is_first = true;
    for (const Contender& contender : row.contenders) {
      const Samples& taken = contender.nanoseconds;
      const std::string spread = fmt::format("{:.1f} .. {:.1f}", taken.low(), taken.high());
      const std::string ratio = is_first ? "" : fmt::format("{:.2f}", ours / taken.median());
      const std::string rate =
          row.bytes == 0 ? "" : fmt::format("  {:.2f} GB/s", static_cast<double>(row.bytes) / taken.median());
      fmt::print("{:<26} {:<20} {:>11.1f}   {:<23} {:>7}  {}{}\n", is_first ? row.name : "", contender.name,
                 taken.median(), spread, ratio, is_first ? (row.is_verified ? "right" : "WRONG") : "", rate);
      is_first = false;
    }
  }
}

}  // namespace comex::bench
