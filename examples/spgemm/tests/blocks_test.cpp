#include "blocks.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "helpers.h"

namespace spgemm {
namespace {

TEST(Blocks, cover_a_length_that_is_not_a_multiple) {
  EXPECT_EQ(blocks_for(1, 32), 1U);
  EXPECT_EQ(blocks_for(32, 32), 1U);
  EXPECT_EQ(blocks_for(33, 32), 2U);
}

TEST(Blocks, pattern_holds_exactly_the_blocks_with_entries) {
  Triplets m{5, 7, {{4, 6, 1.0}, {0, 0, 2.0}, {1, 2, 3.0}, {0, 1, 4.0}, {0, 6, 5.0}}};
  const auto pattern = sort_into_blocks(m, 2);
  EXPECT_EQ(pattern.rows, 3U);
  EXPECT_EQ(pattern.columns, 4U);
  EXPECT_EQ(pattern.start, (std::vector<std::size_t>{0, 3, 3, 4}));
  EXPECT_EQ(pattern.column, (std::vector<std::uint32_t>{0, 1, 3, 3}));
  EXPECT_EQ(pattern.longest_row(), 3U);
  EXPECT_EQ(pattern.find(0, 3), 2U);
  EXPECT_EQ(pattern.find(2, 3), 3U);
  EXPECT_EQ(pattern.find(0, 2), std::nullopt);
  EXPECT_EQ(pattern.find(1, 0), std::nullopt);
}

TEST(Blocks, put_together_give_the_matrix_with_repeated_entries_added_and_zeros_at_the_edges) {
  for (const std::size_t block : {1U, 3U, 4U, 50U}) {
    auto m = random_matrix(17, 23, 4, 11);
    const auto wanted = dense(m);
    const auto pattern = sort_into_blocks(m, block);
    const std::size_t height = pattern.rows * block, width = pattern.columns * block;
    std::vector<double> got(height * width, 0.0);
    BlockFiller filler(m, block);
    std::vector<double> one;
    std::size_t number = 0;
    for (std::size_t row = 0; row < pattern.rows; ++row)
      for (; number < pattern.start[row + 1]; ++number) {
        ASSERT_TRUE(filler.next(one));
        for (std::size_t i = 0; i < block; ++i)
          for (std::size_t j = 0; j < block; ++j)
            got[(row * block + i) * width + pattern.column[number] * block + j] = one[i * block + j];
      }
    EXPECT_FALSE(filler.next(one));
    EXPECT_EQ(number, pattern.count());
    for (std::size_t i = 0; i < height; ++i)
      for (std::size_t j = 0; j < width; ++j)
        ASSERT_EQ(got[i * width + j], i < 17 && j < 23 ? wanted[i * 23 + j] : 0.0)
            << block << ' ' << i << ' ' << j;
  }
}

TEST(Blocks, product_pattern_is_where_rows_meet_columns) {
  auto a = random_matrix(40, 30, 2, 1);
  auto b = random_matrix(30, 50, 2, 2);
  const auto pa = sort_into_blocks(a, 4);
  const auto pb = sort_into_blocks(b, 4);
  const auto pc = product_pattern(pa, pb);
  EXPECT_EQ(pc.rows, 10U);
  EXPECT_EQ(pc.columns, 13U);
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < pc.rows; ++i)
    for (std::size_t j = 0; j < pc.columns; ++j) {
      bool met = false;
      for (std::size_t k = 0; k < pa.columns; ++k) met = met || (pa.find(i, k) && pb.find(k, j));
      EXPECT_EQ(pc.find(i, j).has_value(), met) << i << ' ' << j;
      blocks += met ? 1U : 0U;
    }
  EXPECT_EQ(pc.count(), blocks);
}

TEST(Blocks, multiply_add_adds_the_product_for_every_size) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 7U, 16U, 32U, 33U}) {
    const auto a = dense(random_matrix(n, n, n, 3));
    const auto b = dense(random_matrix(n, n, n, 4));
    auto c = dense(random_matrix(n, n, n, 5));
    auto wanted = c;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) wanted[i * n + j] += a[i * n + k] * b[k * n + j];
    multiply_add(n, a.data(), b.data(), c.data());
    EXPECT_EQ(c, wanted) << n;
  }
}

}  // namespace
}  // namespace spgemm
