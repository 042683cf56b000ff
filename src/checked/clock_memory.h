// Memory of the checker's own, through which workers tell each other their clocks, one-sided like the
// operations that they follow.
//
// Each worker's part has rows of clocks: an inbox, joined by signals, rmw and atomics to that worker, and
// another one, joined by flags, which are puts, accumulates and swaps of one word; one that the owner sets
// when it begins to receive a message, and one for each worker, set when it sends that worker one; and rows
// for the words and mutexes of the owner. Several words share a row by chance. That hides conflicts and never
// invents one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/access.h"

namespace comex::checker {

class ClockMemory {
 public:
  // Collective, like free(); both end the job on failure. `origins`: the sum over all workers, each of which
  // has the same number.
  ClockMemory(int workers, int me, int origins);
  void free();

  ClockRow inbox(int owner) const { return {owner, 0}; }
  ClockRow flags(int owner) const { return {owner, 1}; }
  ClockRow receives(int owner) const { return {owner, 2}; }
  ClockRow sent(int from, int to) const { return {from, first_row_of_sent + static_cast<std::size_t>(to)}; }
  // What an endpoint of a worker leaves in a collective call.
  ClockRow met(int worker, int endpoint) const;
  ClockRow word(int owner, std::uint64_t address) const;
  ClockRow mutex(int owner, int number) const;

  // Which collective call an endpoint is in, as a number: of the first ones that a worker makes.
  static constexpr int calls_each = 64;
  void note_call(int endpoint, Time number) const;
  Time call_of(int worker, int endpoint) const;

  // What the owner has freed and not allocated since; it tells of the latest of them.
  void note_freed(std::uint64_t begin, std::uint64_t end);
  void note_allocated(std::uint64_t begin, std::uint64_t end);
  bool is_freed(int owner, std::uint64_t begin, std::uint64_t end) const;

  // Raises the row to `clocks`. It has happened before any later operation of the caller on that owner.
  void raise(const ClockRow& row, std::span<const Time> clocks) const;
  std::vector<Time> read(const ClockRow& row) const;

 private:
  static constexpr std::size_t freed_ranges = 64;
  using Ranges = std::array<Range, freed_ranges>;

  static constexpr std::size_t first_row_of_sent = 3;
  std::size_t first_row_of_words() const;
  std::size_t bytes_of_rows() const;
  Time* address(const ClockRow& row) const;
  Time* call(int worker, int endpoint) const;
  Range* freed(int owner) const;  // behind the rows; then come the calls
  static void forget(Range& range);
  Ranges read_freed(int owner) const;

  std::size_t origins_;
  std::size_t endpoints_;  // of a worker, itself included
  int me_;
  std::vector<void*> parts_;
  std::size_t next_freed_ = 0;
};

}  // namespace comex::checker
