#include "compare.h"

#include <algorithm>
#include <cmath>

namespace spgemm {
namespace {

void note_wrong(Verdict& verdict, std::size_t row, std::size_t column, double got, double wanted) {
  if (verdict.wrong++ != 0) return;
  verdict.row = row;
  verdict.column = column;
  verdict.got = got;
  verdict.wanted = wanted;
}

void compare_entry(double got, double wanted, double magnitude, double limit, std::size_t row,
                   std::size_t column, Verdict& verdict) {
  ++verdict.compared;
  if (magnitude == 0.0 && got == 0.0) return;
  const double error = std::abs(got - wanted) / magnitude;
  // Written so that a NaN is wrong.
  if (!(error <= limit)) note_wrong(verdict, row, column, got, wanted);
  if (error > verdict.worst_error || std::isnan(error)) verdict.worst_error = error;
}

}  // namespace

void compare_block_row(SerialProduct& serial, std::size_t matrix_rows, std::size_t matrix_columns,
                       const BlockPattern& pattern, std::size_t block, std::size_t block_row,
                       const double* dense, double scale, double limit, Verdict& verdict) {
  const std::size_t first_row = block_row * block;
  const std::size_t last_row = std::min(first_row + block, matrix_rows);
  for (std::size_t row = first_row; row < last_row; ++row) {
    serial.compute_row(row);
    for (std::size_t at = 0; at < pattern.row_count(block_row); ++at) {
      const std::size_t first = pattern.column[pattern.start[block_row] + at] * block;
      const std::size_t last = std::min(first + block, matrix_columns);
      const double* const got = dense + (at * block + row - first_row) * block;
      for (std::size_t column = first; column < last; ++column)
        compare_entry(got[column - first], scale * serial.value(column), scale * serial.magnitude(column),
                      limit, row, column, verdict);
    }
    for (const std::size_t column : serial.columns())
      if (serial.magnitude(column) != 0.0 && !pattern.find(block_row, column / block))
        note_wrong(verdict, row, column, 0.0, scale * serial.value(column));
  }
}

}  // namespace spgemm
