#include "blocks.h"

#include <algorithm>
#include <tuple>

namespace spgemm {
namespace {

// Four rows of b per pass over a row of c: a quarter of the loads and stores of c.
// Always inlined, so that the calls with a constant size get loops of known length.
__attribute__((always_inline)) inline void multiply_add_loops(std::size_t block, const double* __restrict a,
                                                              const double* __restrict b,
                                                              double* __restrict c) {
  for (std::size_t i = 0; i < block; ++i) {
    double* const row = c + i * block;
    std::size_t k = 0;
    for (; k + 4 <= block; k += 4) {
      const double* const f = a + i * block + k;
      const double* const b0 = b + k * block;
      const double* const b1 = b0 + block;
      const double* const b2 = b1 + block;
      const double* const b3 = b2 + block;
      for (std::size_t j = 0; j < block; ++j)
        row[j] += f[0] * b0[j] + f[1] * b1[j] + f[2] * b2[j] + f[3] * b3[j];
    }
    for (; k < block; ++k) {
      const double factor = a[i * block + k];
      for (std::size_t j = 0; j < block; ++j) row[j] += factor * b[k * block + j];
    }
  }
}

}  // namespace

std::size_t BlockPattern::longest_row() const {
  std::size_t longest = 0;
  for (std::size_t row = 0; row < rows; ++row) longest = std::max(longest, row_count(row));
  return longest;
}

std::optional<std::size_t> BlockPattern::find(std::size_t row, std::size_t wanted) const {
  const auto first = column.begin() + static_cast<std::ptrdiff_t>(start[row]);
  const auto last = column.begin() + static_cast<std::ptrdiff_t>(start[row + 1]);
  const auto place = std::lower_bound(first, last, wanted);
  if (place == last || *place != wanted) return std::nullopt;
  return static_cast<std::size_t>(place - column.begin());
}

BlockPattern sort_into_blocks(Triplets& matrix, std::size_t block) {
  std::sort(matrix.entries.begin(), matrix.entries.end(), [block](const Entry& x, const Entry& y) {
    return std::tuple(x.row / block, x.column / block, x.row, x.column) <
           std::tuple(y.row / block, y.column / block, y.row, y.column);
  });
  BlockPattern pattern;
  pattern.rows = blocks_for(matrix.rows, block);
  pattern.columns = blocks_for(matrix.columns, block);
  pattern.start.assign(pattern.rows + 1, 0);
  const Entry* last = nullptr;
  for (const Entry& entry : matrix.entries) {
    const bool same =
        last && last->row / block == entry.row / block && last->column / block == entry.column / block;
    last = &entry;
    if (same) continue;
    pattern.column.push_back(static_cast<std::uint32_t>(entry.column / block));
    ++pattern.start[entry.row / block + 1];
  }
  for (std::size_t row = 0; row < pattern.rows; ++row) pattern.start[row + 1] += pattern.start[row];
  return pattern;
}

BlockPattern product_pattern(const BlockPattern& a, const BlockPattern& b) {
  BlockPattern c;
  c.rows = a.rows;
  c.columns = b.columns;
  c.start.reserve(a.rows + 1);
  std::vector<char> present(b.columns, 0);
  for (std::size_t i = 0; i < a.rows; ++i) {
    const std::size_t first = c.column.size();
    for (std::size_t ik = a.start[i]; ik < a.start[i + 1]; ++ik) {
      const std::size_t k = a.column[ik];
      for (std::size_t kj = b.start[k]; kj < b.start[k + 1]; ++kj) {
        const std::uint32_t j = b.column[kj];
        if (present[j]) continue;
        present[j] = 1;
        c.column.push_back(j);
      }
    }
    std::sort(c.column.begin() + static_cast<std::ptrdiff_t>(first), c.column.end());
    for (std::size_t ij = first; ij < c.column.size(); ++ij) present[c.column[ij]] = 0;
    c.start.push_back(c.column.size());
  }
  return c;
}

bool BlockFiller::next(std::vector<double>& dense) {
  if (at_ == matrix_.entries.size()) return false;
  dense.assign(block_ * block_, 0.0);
  const std::size_t row = matrix_.entries[at_].row / block_;
  const std::size_t column = matrix_.entries[at_].column / block_;
  for (; at_ < matrix_.entries.size(); ++at_) {
    const Entry& entry = matrix_.entries[at_];
    if (entry.row / block_ != row || entry.column / block_ != column) break;
    dense[(entry.row - row * block_) * block_ + entry.column - column * block_] += entry.value;
  }
  return true;
}

void multiply_add(std::size_t block, const double* a, const double* b, double* c) {
  if (block == 32) return multiply_add_loops(32, a, b, c);
  multiply_add_loops(block, a, b, c);
}

}  // namespace spgemm
