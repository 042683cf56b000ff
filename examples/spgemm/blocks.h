// Cuts a sparse matrix into dense square blocks and says which blocks are there.
//
// A block is stored row by row; blocks at the right and lower edges are padded with zeros, so that all
// have the same size. Blocks are numbered row by row, and within a row by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "matrix_market.h"

namespace spgemm {

struct BlockPattern {
  std::size_t rows = 0;     // of blocks
  std::size_t columns = 0;  // of blocks
  std::vector<std::size_t> start{0};
  std::vector<std::uint32_t> column;  // ascending within a row

  std::size_t count() const { return column.size(); }
  std::size_t row_count(std::size_t row) const { return start[row + 1] - start[row]; }
  std::size_t longest_row() const;
  // The number of the block at (row, column), if there is one.
  std::optional<std::size_t> find(std::size_t row, std::size_t wanted) const;
};

// How many blocks of `block` cover `length` rows or columns.
constexpr std::size_t blocks_for(std::size_t length, std::size_t block) {
  return (length + block - 1) / block;
}

// Sorts the entries by block, in place, and returns the blocks that hold at least one.
BlockPattern sort_into_blocks(Triplets& matrix, std::size_t block);

// The blocks that a * b can fill.
BlockPattern product_pattern(const BlockPattern& a, const BlockPattern& b);

// Walks a matrix prepared by sort_into_blocks: each call of next fills one dense block, in order of number.
class BlockFiller {
 public:
  BlockFiller(const Triplets& matrix, std::size_t block) : matrix_(matrix), block_(block) {}
  // False when all blocks were handed out.
  bool next(std::vector<double>& dense);

 private:
  const Triplets& matrix_;
  std::size_t block_;
  std::size_t at_ = 0;
};

// c += a * b for dense blocks of block x block.
void multiply_add(std::size_t block, const double* a, const double* b, double* c);

}  // namespace spgemm
