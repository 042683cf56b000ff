#include "matrix_market.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace spgemm {
namespace {

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";
const std::string real_symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

Triplets parse(const std::string& text) {
  std::istringstream in(text);
  return parse_matrix_market(in, "m.mtx");
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string entries_of(const Triplets& matrix) {
  std::ostringstream out;
  for (const Entry& e : matrix.entries) out << e.row << ',' << e.column << '=' << e.value << ' ';
  return out.str();
}

TEST(MatrixMarket, reads_a_general_matrix_with_comments_blank_lines_and_odd_spacing) {
  const auto m = parse(
      "%%matrixmarket MATRIX Coordinate Real General\r\n% comment\n\n  % another\n2 3 2\n"
      "\n\t1  3\t-2.5e1 \r\n%c\n2 1 +4\n\n");
  EXPECT_EQ(m.rows, 2U);
  EXPECT_EQ(m.columns, 3U);
  EXPECT_EQ(entries_of(m), "0,2=-25 1,0=4 ");
}

TEST(MatrixMarket, mirrors_a_symmetric_matrix_but_not_its_diagonal) {
  EXPECT_EQ(entries_of(parse(real_symmetric + "3 3 2\n2 2 5\n3 1 7\n")), "1,1=5 2,0=7 0,2=7 ");
}

TEST(MatrixMarket, mirrors_a_skew_symmetric_matrix_with_the_sign_changed) {
  EXPECT_EQ(entries_of(parse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n")),
            "1,0=3 0,1=-3 ");
}

TEST(MatrixMarket, reads_integers_patterns_and_fortran_exponents) {
  EXPECT_EQ(entries_of(parse("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -3\n")),
            "0,0=-3 ");
  EXPECT_EQ(entries_of(parse("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n")), "1,0=1 ");
  EXPECT_EQ(entries_of(parse(real_general + "1 1 1\n1 1 2.5D+01\n")), "0,0=25 ");
}

TEST(MatrixMarket, keeps_entries_that_occur_twice) {
  EXPECT_EQ(entries_of(parse(real_general + "1 1 2\n1 1 1\n1 1 2\n")), "0,0=1 0,0=2 ");
}

TEST(MatrixMarket, reads_a_matrix_without_entries) {
  EXPECT_EQ(parse(real_general + "4 5 0\n").rows, 4U);
}

struct Case {
  const char* text;
  const char* error;
};

class WrongFile : public testing::TestWithParam<Case> {};

TEST_P(WrongFile, is_refused_with_file_line_and_reason) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().error);
}

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate real symmetric\n"

INSTANTIATE_TEST_SUITE_P(
    Banner, WrongFile,
    testing::Values(
        Case{"", "m.mtx:1: the file is empty"},
        Case{"1 1 1\n", "m.mtx:1: a Matrix Market file begins with '%%MatrixMarket', this one does not"},
        Case{"%%MatrixMarket matrix coordinate real\n",
             "m.mtx:1: the first line needs 5 words, '%%MatrixMarket matrix coordinate FIELD SYMMETRY', not "
             "4"},
        Case{"%%MatrixMarket vector coordinate real general\n",
             "m.mtx:1: object 'vector' is not supported: matrix is"},
        Case{"%%MatrixMarket matrix array real general\n",
             "m.mtx:1: format 'array' is not supported: coordinate is"},
        Case{"%%MatrixMarket matrix coordinate complex general\n",
             "m.mtx:1: field 'complex' is not supported: real, integer and pattern are"},
        Case{"%%MatrixMarket matrix coordinate real hermitian\n",
             "m.mtx:1: symmetry 'hermitian' is not supported: general, symmetric and skew-symmetric are"},
        Case{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
             "m.mtx:1: a pattern matrix cannot be skew-symmetric"}));

INSTANTIATE_TEST_SUITE_P(
    Size, WrongFile,
    testing::Values(
        Case{GENERAL "% only a comment\n", "m.mtx:2: the file ends before the line 'ROWS COLUMNS ENTRIES'"},
        Case{GENERAL "\n2 2\n", "m.mtx:3: the size line needs 3 numbers, 'ROWS COLUMNS ENTRIES', not 2"},
        Case{GENERAL "2 x 1\n", "m.mtx:2: the number of columns must be a whole number, not 'x'"},
        Case{GENERAL "-2 2 1\n", "m.mtx:2: the number of rows must be a whole number, not '-2'"},
        Case{GENERAL "0 2 0\n", "m.mtx:2: a matrix needs at least one row and one column"},
        Case{GENERAL "3000000000 2 1\n", "m.mtx:2: at most 2147483647 rows and columns are supported"},
        Case{GENERAL "2 2 99999999999999999999\n",
             "m.mtx:2: the number of entries must be a whole number, not '99999999999999999999'"},
        Case{SYMMETRIC "2 3 1\n",
             "m.mtx:2: a symmetric matrix must be square, this one has 2 rows and 3 columns"}));

INSTANTIATE_TEST_SUITE_P(
    Entries, WrongFile,
    testing::Values(
        Case{GENERAL "2 2 1\n%\n1 1\n", "m.mtx:4: an entry needs 3 numbers, 'ROW COLUMN VALUE', not 2"},
        Case{GENERAL "2 2 1\n1 1 1 1\n", "m.mtx:3: an entry needs 3 numbers, 'ROW COLUMN VALUE', not 4"},
        Case{"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n",
             "m.mtx:3: an entry needs 2 numbers, 'ROW COLUMN', not 3"},
        Case{GENERAL "2 2 1\n0 1 1\n", "m.mtx:3: row 0 is outside 1..2"},
        Case{GENERAL "2 2 1\n1 3 1\n", "m.mtx:3: column 3 is outside 1..2"},
        Case{GENERAL "2 2 1\n1.5 1 1\n", "m.mtx:3: row must be a whole number, not '1.5'"},
        Case{GENERAL "2 2 1\n1 1 abc\n", "m.mtx:3: value 'abc' is not a number"},
        Case{GENERAL "2 2 1\n1 1 1.0x\n", "m.mtx:3: value '1.0x' is not a number"},
        Case{GENERAL "2 2 1\n1 1 nan\n", "m.mtx:3: value 'nan' is not finite"},
        Case{GENERAL "2 2 1\n1 1 1e999\n", "m.mtx:3: value '1e999' does not fit a double"},
        Case{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 0.5\n",
             "m.mtx:3: value '0.5' in an integer file is not a whole number"},
        Case{SYMMETRIC "2 2 1\n1 2 1\n",
             "m.mtx:3: an entry above the diagonal: a symmetric file holds the lower triangle only"},
        Case{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
             "m.mtx:3: an entry on the diagonal of a skew-symmetric matrix"},
        Case{GENERAL "2 2 2\n1 1 1\n", "m.mtx:3: the file ends after 1 of 2 entries"},
        Case{GENERAL "2 2 1\n1 1 1\n2 2 1\n", "m.mtx:4: more entries than the 1 announced"}));

TEST(MatrixMarket, says_why_a_file_cannot_be_read) {
  const auto error = [](const std::string& path) -> std::string {
    try {
      read_matrix_market(path);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("/no/such/file"), "/no/such/file:1: cannot be opened: No such file or directory");
  EXPECT_EQ(error("/tmp"), "/tmp:1: cannot be read: Is a directory");
}

TEST(MatrixMarket, reads_the_shipped_operator) {
  const auto m = read_matrix_market(SPGEMM_DATA "/operator27.mtx");
  EXPECT_EQ(m.rows, 10648U);
  EXPECT_EQ(m.columns, 10648U);
  EXPECT_EQ(m.entries.size(), 262144U);  // (3 * 22 - 2) cubed
}

}  // namespace
}  // namespace spgemm
