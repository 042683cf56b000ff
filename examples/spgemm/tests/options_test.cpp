#include "options.h"

#include <array>

#include <gtest/gtest.h>

namespace spgemm {
namespace {

TEST(Options, are_decimal_numbers_also_with_leading_zeros) {
  std::array words = {"spgemm", "FILE", "--repeat", "08", "--block", "0010", "--copies", "00"};
  const ParsedOptions parsed =
      parse_options(static_cast<int>(words.size()), const_cast<char**>(words.data()), false);
  ASSERT_TRUE(parsed.run);
  EXPECT_EQ(parsed.options.repeat, 8U);
  EXPECT_EQ(parsed.options.block, 10U);
  EXPECT_EQ(parsed.options.copies, 0);
}

}  // namespace
}  // namespace spgemm
