// Small matrices for the tests of spgemm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "matrix_market.h"

namespace spgemm {

// About `per_row` entries in each row, at random places, some of them twice. Values are quarters, so
// that sums and products are exact.
inline Triplets random_matrix(std::size_t rows, std::size_t columns, std::size_t per_row, unsigned seed) {
  std::mt19937 random(seed);
  Triplets matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t n = random() % (2 * per_row + 1); n > 0; --n)
      matrix.entries.push_back({static_cast<std::uint32_t>(row),
                                static_cast<std::uint32_t>(random() % columns),
                                static_cast<double>(random() % 33) * 0.25 - 4.0});
  return matrix;
}

inline std::vector<double> dense(const Triplets& matrix) {
  std::vector<double> values(matrix.rows * matrix.columns, 0.0);
  for (const Entry& entry : matrix.entries) values[entry.row * matrix.columns + entry.column] += entry.value;
  return values;
}

}  // namespace spgemm
