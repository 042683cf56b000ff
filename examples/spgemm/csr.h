// A sparse matrix by compressed rows, and the serial product (Gustavson's algorithm) one row at a time.
//
// This is the reference that the distributed product is compared with: plain, entry by entry, and
// with nothing in common with the blocked code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matrix_market.h"

namespace spgemm {

struct Csr {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::size_t> start;  // rows + 1 positions
  std::vector<std::uint32_t> column;
  std::vector<double> value;
};

Csr compress(const Triplets& triplets);

// One row of a * b at a time; the matrices must outlive it.
class SerialProduct {
 public:
  SerialProduct(const Csr& a, const Csr& b);

  void compute_row(std::size_t row);

  // About the row computed last. Columns that are not in columns() are zero.
  double value(std::size_t column) const { return value_[column]; }
  // The sum of |a_ik| |b_kj|: what rounding errors are measured against.
  double magnitude(std::size_t column) const { return magnitude_[column]; }
  const std::vector<std::uint32_t>& columns() const { return columns_; }

  // Useful multiplications so far; each comes with an addition.
  std::size_t multiplications() const { return multiplications_; }

 private:
  const Csr& a_;
  const Csr& b_;
  std::vector<double> value_;
  std::vector<double> magnitude_;
  std::vector<char> present_;
  std::vector<std::uint32_t> columns_;
  std::size_t multiplications_ = 0;
};

}  // namespace spgemm
