#include "matrix_market.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>

namespace spgemm {
namespace {

enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew };

struct Banner {
  Field field;
  Symmetry symmetry;
};

// Hands out the lines of a file and knows where it is, for the error texts.
class LineReader {
 public:
  LineReader(std::istream& in, const std::string& name) : in_(in), name_(name) {}

  bool next() {
    if (!std::getline(in_, line_)) return false;
    ++number_;
    return true;
  }

  // Moves to the next line that says something: not blank and not a comment.
  bool next_with_content() {
    while (next()) {
      const auto first = line_.find_first_not_of(" \t\r\f\v");
      if (first != std::string::npos && line_[first] != '%') return true;
    }
    return false;
  }

  std::vector<std::string_view> words() const {
    std::vector<std::string_view> found;
    for (auto rest = std::string_view(line_);;) {
      const auto word = take_word(rest);
      if (word.empty()) return found;
      found.push_back(word);
    }
  }

  // The next word of `rest`, which is shortened by it; empty at the end.
  static std::string_view take_word(std::string_view& rest) {
    constexpr std::string_view blanks = " \t\r\f\v";
    const auto first = rest.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    rest.remove_prefix(first);
    const auto word = rest.substr(0, rest.find_first_of(blanks));
    rest.remove_prefix(word.size());
    return word;
  }

  std::string_view text() const { return line_; }
  bool broken() const { return in_.bad(); }

  [[noreturn]] void fail(const std::string& reason) const {
    throw InputError(name_ + ":" + std::to_string(std::max<std::size_t>(number_, 1)) + ": " + reason);
  }

 private:
  std::istream& in_;
  const std::string& name_;
  std::string line_;
  std::size_t number_ = 0;
};

std::string quoted(std::string_view word) {
  std::string text(1, '\'');
  return text.append(word).append(1, '\'');
}

std::string lower(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

Field field_named(const LineReader& lines, std::string_view word) {
  const std::string name = lower(word);
  if (name == "real" || name == "double") return Field::real;
  if (name == "integer") return Field::integer;
  if (name == "pattern") return Field::pattern;
  lines.fail("field " + quoted(word) + " is not supported: real, integer and pattern are");
}

Symmetry symmetry_named(const LineReader& lines, std::string_view word) {
  const std::string name = lower(word);
  if (name == "general") return Symmetry::general;
  if (name == "symmetric") return Symmetry::symmetric;
  if (name == "skew-symmetric") return Symmetry::skew;
  lines.fail("symmetry " + quoted(word) + " is not supported: general, symmetric and skew-symmetric are");
}

Banner read_banner(LineReader& lines) {
  if (!lines.next()) lines.fail("the file is empty");
  const auto words = lines.words();
  if (words.empty() || lower(words[0]) != "%%matrixmarket")
    lines.fail("a Matrix Market file begins with '%%MatrixMarket', this one does not");
  if (words.size() != 5)
    lines.fail("the first line needs 5 words, '%%MatrixMarket matrix coordinate FIELD SYMMETRY', not " +
               std::to_string(words.size()));
  if (lower(words[1]) != "matrix") lines.fail("object " + quoted(words[1]) + " is not supported: matrix is");
  if (lower(words[2]) != "coordinate")
    lines.fail("format " + quoted(words[2]) + " is not supported: coordinate is");
  const Banner banner{field_named(lines, words[3]), symmetry_named(lines, words[4])};
  if (banner.field == Field::pattern && banner.symmetry == Symmetry::skew)
    lines.fail("a pattern matrix cannot be skew-symmetric");
  return banner;
}

std::size_t whole_number(const LineReader& lines, std::string_view word, const char* what) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    lines.fail(std::string(what) + " must be a whole number, not " + quoted(word));
  return value;
}

std::size_t index_within(const LineReader& lines, std::string_view word, std::size_t limit,
                         const char* what) {
  const std::size_t value = whole_number(lines, word, what);
  if (value < 1 || value > limit)
    lines.fail(std::string(what) + " " + std::to_string(value) + " is outside 1.." + std::to_string(limit));
  return value - 1;
}

double number(const LineReader& lines, std::string_view word, Field field) {
  std::string text(word);
  // Fortran writes 1.0D+00; from_chars knows neither that nor a leading plus sign.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == 'D' || c == 'd'; }, 'e');
  const char* first = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  const char* const last = text.data() + text.size();
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range) lines.fail("value " + quoted(word) + " does not fit a double");
  if (error != std::errc() || end != last) lines.fail("value " + quoted(word) + " is not a number");
  if (!std::isfinite(value)) lines.fail("value " + quoted(word) + " is not finite");
  if (field == Field::integer && value != std::floor(value))
    lines.fail("value " + quoted(word) + " in an integer file is not a whole number");
  return value;
}

// Reads "rows columns entries" into `result` and returns the number of entries to expect.
std::size_t read_size(LineReader& lines, const Banner& banner, Triplets& result) {
  if (!lines.next_with_content()) lines.fail("the file ends before the line 'ROWS COLUMNS ENTRIES'");
  const auto words = lines.words();
  if (words.size() != 3)
    lines.fail("the size line needs 3 numbers, 'ROWS COLUMNS ENTRIES', not " + std::to_string(words.size()));
  result.rows = whole_number(lines, words[0], "the number of rows");
  result.columns = whole_number(lines, words[1], "the number of columns");
  const std::size_t expected = whole_number(lines, words[2], "the number of entries");
  if (result.rows == 0 || result.columns == 0) lines.fail("a matrix needs at least one row and one column");
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (result.rows > most || result.columns > most)
    lines.fail("at most " + std::to_string(most) + " rows and columns are supported");
  if (banner.symmetry != Symmetry::general && result.rows != result.columns)
    lines.fail("a symmetric matrix must be square, this one has " + std::to_string(result.rows) +
               " rows and " + std::to_string(result.columns) + " columns");
  return expected;
}

void add_entry(const LineReader& lines, const Banner& banner, Triplets& result) {
  auto rest = lines.text();
  const auto row_word = LineReader::take_word(rest);
  const auto column_word = LineReader::take_word(rest);
  const bool has_value = banner.field != Field::pattern;
  const auto value_word = has_value ? LineReader::take_word(rest) : std::string_view();
  if (column_word.empty() || (has_value && value_word.empty()) || !LineReader::take_word(rest).empty())
    lines.fail(std::string("an entry needs ") +
               (has_value ? "3 numbers, 'ROW COLUMN VALUE'" : "2 numbers, 'ROW COLUMN'") + ", not " +
               std::to_string(lines.words().size()));
  const std::size_t row = index_within(lines, row_word, result.rows, "row");
  const std::size_t column = index_within(lines, column_word, result.columns, "column");
  const double value = has_value ? number(lines, value_word, banner.field) : 1.0;
  if (banner.symmetry != Symmetry::general && column > row)
    lines.fail("an entry above the diagonal: a symmetric file holds the lower triangle only");
  if (banner.symmetry == Symmetry::skew && column == row)
    lines.fail("an entry on the diagonal of a skew-symmetric matrix");
  const auto row32 = static_cast<std::uint32_t>(row);
  const auto column32 = static_cast<std::uint32_t>(column);
  result.entries.push_back({row32, column32, value});
  if (banner.symmetry != Symmetry::general && row != column)
    result.entries.push_back({column32, row32, banner.symmetry == Symmetry::skew ? -value : value});
}

}  // namespace

Triplets parse_matrix_market(std::istream& in, const std::string& name) {
  LineReader lines(in, name);
  const Banner banner = read_banner(lines);
  Triplets result;
  const std::size_t expected = read_size(lines, banner, result);
  std::size_t seen = 0;
  while (lines.next_with_content()) {
    if (seen == expected) lines.fail("more entries than the " + std::to_string(expected) + " announced");
    add_entry(lines, banner, result);
    ++seen;
  }
  if (lines.broken()) lines.fail("reading failed after this line");
  if (seen < expected)
    lines.fail("the file ends after " + std::to_string(seen) + " of " + std::to_string(expected) +
               " entries");
  return result;
}

Triplets read_matrix_market(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputError(path + ":1: cannot be opened: " + std::strerror(errno));
  // A folder can be opened but not read.
  if (in.peek() == std::ifstream::traits_type::eof() && in.bad())
    throw InputError(path + ":1: cannot be read: " + std::strerror(errno));
  return parse_matrix_market(in, path);
}

}  // namespace spgemm
