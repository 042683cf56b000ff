// One figure measured over and over: its median and its spread (the quartiles).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace comex::bench {

class Samples {
 public:
  void add(double value) { values_.insert(std::ranges::upper_bound(values_, value), value); }
  bool empty() const { return values_.empty(); }
  double median() const { return at(2); }
  double low() const { return at(1); }
  double high() const { return at(3); }

 private:
  double at(std::size_t quarter) const {
    return values_.empty() ? 0.0 : values_[(values_.size() - 1) * quarter / 4];
  }
  std::vector<double> values_;  // sorted
};

}  // namespace comex::bench
