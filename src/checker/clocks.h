// Vector clocks: what an origin knows of the others. Time t of origin o covers all that o had completed when
// it released for the t-th time. Origins are the workers, and the endpoints of each.
//
// A row has two halves of one entry for each origin. The second half leaves out the order that mutexes make:
// by it the checker tells whether two workers could have taken their mutexes in the other order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace comex::checker {

using Time = std::int64_t;
inline constexpr Time never = INT64_MAX;  // not complete yet

// A row in memory that the checker shares between the workers.
struct ClockRow {
  int owner = 0;
  std::size_t index = 0;
};

class Clocks {
 public:
  Clocks(std::size_t origins, std::size_t me) : origins_(origins), me_(me), row_(2 * origins, 0) {
    row_[me] = row_[origins + me] = 1;
  }

  std::size_t me() const { return me_; }
  Time now() const { return row_[me_]; }
  std::span<const Time> row() const { return row_; }
  std::span<const Time> known() const { return std::span(row_).first(origins_); }
  std::span<const Time> known_without_mutexes() const { return std::span(row_).last(origins_); }

  // What follows is no part of what has been released.
  void tick() { row_[origins_ + me_] = ++row_[me_]; }

  // True if that told anything new.
  bool join(std::span<const Time> row) {
    bool is_new = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] <= row_[i]) continue;
      row_[i] = row[i];
      is_new = true;
    }
    return is_new;
  }
  bool join_from_mutex(std::span<const Time> row) { return join(row.first(origins_)); }

 private:
  std::size_t origins_;
  std::size_t me_;
  std::vector<Time> row_;
};

}  // namespace comex::checker
