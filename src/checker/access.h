// One access to the memory of a worker, by an operation or by the worker itself, and when two of them
// conflict.
#pragma once

#include <cstdint>

#include "checker/clocks.h"

namespace comex::checker {

enum class Use : std::uint8_t {
  read,
  write,
  word_read,   // of one aligned word of 4 or 8 bytes; `value` is what it read
  word_write,  // and what it wrote
  accumulate,  // `type` is that of the elements
  atomic,      // rmw, atomic, and signals that add
  signal,      // the word of a put_signal; `value` is what it stores
  freed,       // by its owner
  allocated,   // by its owner; what was known of the bytes is forgotten
};

// Addresses in the memory of one worker.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool holds(std::uint64_t address) const { return address >= begin && address < end; }
  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
  friend bool operator==(const Range&, const Range&) = default;
};

// Plain data: workers send it to each other.
struct Access {
  std::uint64_t begin = 0;  // address in the owner's memory
  std::uint64_t bytes = 0;  // without a shape: all of them
  std::int64_t value = 0;
  Time issued = 0;           // the origin's own time
  Time done = never;         // the origin's own time when it had taken effect
  std::uint32_t clocks = 0;  // row of the origin's table: what it knew of the others
  std::uint32_t shape = 0;   // 0: contiguous; else the origin's table of shapes, from 1
  std::uint32_t site = 0;    // the origin's table of call sites
  std::uint16_t origin = 0;  // a worker, or one of its endpoints
  std::uint16_t owner = 0;
  Use use{};
  std::uint8_t type = 0;
  bool is_polled = false;  // the origin read the word again

  Range range() const { return {begin, begin + bytes}; }  // without a shape
};

// True if the result depends on which of them comes first, and nothing of the interface makes that harmless.
// One word that is put and polled by get is a flag, which is how programs publish data.
bool conflict(const Access& a, const Access& b);

const char* verb_of(Use use);

}  // namespace comex::checker
