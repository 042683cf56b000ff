#include "compare.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "csr.h"
#include "helpers.h"

namespace spgemm {
namespace {

// The whole product in blocks, computed from dense matrices.
struct Product {
  static constexpr std::size_t rows = 11, inner = 9, columns = 13, block = 4;
  Triplets a = random_matrix(rows, inner, 2, 21);
  Triplets b = random_matrix(inner, columns, 2, 22);
  Csr csr_a = compress(a);
  Csr csr_b = compress(b);
  BlockPattern pattern;
  std::vector<double> data;

  Product() {
    const auto da = dense(a), db = dense(b);
    pattern = product_pattern(sort_into_blocks(a, block), sort_into_blocks(b, block));
    data.assign(pattern.count() * block * block, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t k = 0; k < inner; ++k)
          if (const auto number = pattern.find(i / block, j / block))
            data[(*number * block + i % block) * block + j % block] +=
                da[i * inner + k] * db[k * columns + j];
  }

  Verdict compare(double scale = 1.0) {
    SerialProduct serial(csr_a, csr_b);
    Verdict verdict;
    for (std::size_t row = 0; row < pattern.rows; ++row)
      compare_block_row(serial, rows, columns, pattern, block, row,
                        data.data() + pattern.start[row] * block * block, scale, 1e-12, verdict);
    return verdict;
  }
};

TEST(Compare, finds_the_right_product_right) {
  Product product;
  const auto verdict = product.compare();
  EXPECT_TRUE(verdict.right());
  EXPECT_EQ(verdict.worst_error, 0.0);  // quarters are exact
  EXPECT_GT(verdict.compared, 50U);
}

TEST(Compare, names_the_place_of_a_single_wrong_entry) {
  Product product;
  const std::size_t column = product.pattern.column[product.pattern.start[1]] * Product::block;
  double& entry =
      product.data[product.pattern.start[1] * 16 + 2 * 4 + 0];  // block row 1, third row, first column
  const double right = entry;
  entry += 0.25;
  const auto verdict = product.compare();
  EXPECT_EQ(verdict.wrong, 1U);
  EXPECT_EQ(verdict.row, 6U);
  EXPECT_EQ(verdict.column, column);
  EXPECT_EQ(verdict.got, right + 0.25);
  EXPECT_EQ(verdict.wanted, right);
}

TEST(Compare, takes_a_nan_for_wrong) {
  Product product;
  product.data[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(product.compare().wrong, 1U);
}

TEST(Compare, wants_entries_that_no_product_reaches_to_be_exactly_zero) {
  // One entry in each matrix: all but one entry of the single block of C must stay zero.
  Triplets one{4, 4, {{0, 0, 1.0}}};
  const Csr csr = compress(one);
  SerialProduct serial(csr, csr);
  const auto pattern = sort_into_blocks(one, 4);
  std::vector<double> data(16, 0.0);
  data[0] = 1.0;
  Verdict verdict;
  compare_block_row(serial, 4, 4, pattern, 4, 0, data.data(), 1.0, 1e-12, verdict);
  EXPECT_TRUE(verdict.right());
  data[7] = 1e-300;
  compare_block_row(serial, 4, 4, pattern, 4, 0, data.data(), 1.0, 1e-12, verdict);
  EXPECT_EQ(verdict.wrong, 1U);
}

TEST(Compare, misses_a_block_that_is_not_there) {
  Triplets one{4, 4, {{0, 0, 1.0}}};
  const Csr csr = compress(one);
  SerialProduct serial(csr, csr);
  BlockPattern nothing;
  nothing.rows = nothing.columns = 1;
  nothing.start = {0, 0};
  Verdict verdict;
  compare_block_row(serial, 4, 4, nothing, 4, 0, nullptr, 1.0, 1e-12, verdict);
  EXPECT_FALSE(verdict.right());
}

TEST(Compare, expects_the_product_as_often_as_it_was_added) {
  Product product;
  for (double& value : product.data) value *= 3.0;
  EXPECT_TRUE(product.compare(3.0).right());
  EXPECT_FALSE(product.compare(2.0).right());
}

TEST(SerialProduct, counts_its_multiplications) {
  const Csr ones = compress(Triplets{2, 2, {{0, 0, 1.0}, {0, 1, 1.0}, {1, 0, 1.0}}});
  SerialProduct serial(ones, ones);
  serial.compute_row(0);
  EXPECT_EQ(serial.value(0), 2.0);
  EXPECT_EQ(serial.value(1), 1.0);
  serial.compute_row(1);
  EXPECT_EQ(serial.value(0), 1.0);
  EXPECT_EQ(serial.multiplications(), 5U);
}

}  // namespace
}  // namespace spgemm
