// What all fuzz targets share: the input as a sequence of values, and how a run may end.
//
// An input that is too short gives zeros, so that every mutation is some run. A target calls run() with what
// it does to one input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "core/status.h"

namespace comex::fuzz {

// Thrown in place of the end of the process by COMEX_BUG_IF.
struct OrderlyEnd {};

// With FUZZ_TELL in the environment: where runs have ended, which shows what keeps inputs from getting
// further.
inline void tell(const char* file, int line, const char* what) {
  static const bool is_asked = std::getenv("FUZZ_TELL") != nullptr;
  if (is_asked) std::fprintf(stderr, "ended at %s:%d: %s\n", file, line, what);
}

// A demand of the target itself: not met is a finding.
inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: not so: %s\n", what);
  std::abort();
}

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : rest_(std::as_bytes(bytes)) {}

  bool empty() const { return rest_.empty(); }
  std::span<const std::byte> take(std::size_t bytes) {
    const std::span<const std::byte> taken = rest_.first(std::min(bytes, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  template <class T>
  T value() {
    static_assert(std::is_trivially_copyable_v<T>);
    T found{};
    const std::span<const std::byte> taken = take(sizeof found);
    if (!taken.empty()) std::memcpy(static_cast<void*>(&found), taken.data(), taken.size());
    return found;
  }
  unsigned below(unsigned end) { return value<std::uint8_t>() % end; }
  // With a heap block of its own, so that sanitizers see what is read beyond it.
  std::vector<std::byte> block(std::size_t bytes) {
    const std::span<const std::byte> taken = take(bytes);
    return {taken.begin(), taken.end()};
  }
  std::vector<std::byte> rest() { return block(rest_.size()); }

 private:
  std::span<const std::byte> rest_;
};

// Returns false if the runtime has ended the job.
template <class Body>
bool run(Body&& body) {
  try {
    body();
    return true;
  } catch (const OrderlyEnd&) {
    return false;
  }
}

}  // namespace comex::fuzz

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
