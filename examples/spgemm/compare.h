// Compares the distributed product with the serial one, entry by entry.
//
// The error of an entry is |c - r| / sum of |a_ik b_kj|, which no cancellation can blow up; an entry
// that no product reaches must be exactly zero.
#pragma once

#include <cstddef>

#include "blocks.h"
#include "csr.h"

namespace spgemm {

struct Verdict {
  std::size_t compared = 0;
  std::size_t wrong = 0;
  double worst_error = 0.0;
  // The first wrong entry, 0-based.
  std::size_t row = 0;
  std::size_t column = 0;
  double got = 0.0;
  double wanted = 0.0;

  bool right() const { return wrong == 0; }
};

// Compares one block row of C, whose blocks stand in `dense` one after the other, with `scale` times
// the rows of `serial`. Entries with an error above `limit` are wrong.
void compare_block_row(SerialProduct& serial, std::size_t matrix_rows, std::size_t matrix_columns,
                       const BlockPattern& pattern, std::size_t block, std::size_t block_row,
                       const double* dense, double scale, double limit, Verdict& verdict);

}  // namespace spgemm
