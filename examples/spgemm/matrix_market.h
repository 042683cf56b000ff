// Reads Matrix Market coordinate files: real, integer or pattern; general, symmetric or skew-symmetric.
//
// The result is 0-based, and both halves of a symmetric matrix are there. Entries that occur twice
// are both kept: whoever uses them adds them up. Anything wrong throws InputError whose text is
// "file:line: reason".
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace spgemm {

struct Entry {
  std::uint32_t row;
  std::uint32_t column;
  double value;
};

struct Triplets {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<Entry> entries;
};

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

Triplets read_matrix_market(const std::string& path);
Triplets parse_matrix_market(std::istream& in, const std::string& name);

}  // namespace spgemm
