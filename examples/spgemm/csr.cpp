#include "csr.h"

#include <cmath>

namespace spgemm {

Csr compress(const Triplets& triplets) {
  Csr csr;
  csr.rows = triplets.rows;
  csr.columns = triplets.columns;
  csr.start.assign(triplets.rows + 1, 0);
  for (const Entry& entry : triplets.entries) ++csr.start[entry.row + std::size_t{1}];
  for (std::size_t row = 0; row < csr.rows; ++row) csr.start[row + 1] += csr.start[row];
  csr.column.resize(triplets.entries.size());
  csr.value.resize(triplets.entries.size());
  auto next = csr.start;
  for (const Entry& entry : triplets.entries) {
    const std::size_t place = next[entry.row]++;
    csr.column[place] = entry.column;
    csr.value[place] = entry.value;
  }
  return csr;
}

SerialProduct::SerialProduct(const Csr& a, const Csr& b)
    : a_(a), b_(b), value_(b.columns, 0.0), magnitude_(b.columns, 0.0), present_(b.columns, 0) {}

void SerialProduct::compute_row(std::size_t row) {
  for (const std::uint32_t column : columns_) {
    value_[column] = 0.0;
    magnitude_[column] = 0.0;
    present_[column] = 0;
  }
  columns_.clear();
  for (std::size_t i = a_.start[row]; i < a_.start[row + 1]; ++i) {
    const double factor = a_.value[i];
    const std::size_t k = a_.column[i];
    for (std::size_t j = b_.start[k]; j < b_.start[k + 1]; ++j) {
      const std::uint32_t column = b_.column[j];
      if (!present_[column]) {
        present_[column] = 1;
        columns_.push_back(column);
      }
      const double term = factor * b_.value[j];
      value_[column] += term;
      magnitude_[column] += std::abs(term);
      ++multiplications_;
    }
  }
}

}  // namespace spgemm
