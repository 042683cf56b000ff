#include "core/scatter.h"

#include <algorithm>
#include <string>

namespace comex {
namespace {

Failure null_segment(const char* side, std::uint64_t index) {
  return caller_error("vector operation: " + std::string(side) + " segment " + std::to_string(index) +
                      " is a null pointer");
}

}  // namespace

Result<Scatter> make_scatter(void* const* near, void* const* far, std::int64_t count, std::int64_t bytes,
                             unsigned element_bytes) {
  if (count < 0)
    return caller_error("vector operation: segment count " + std::to_string(count) + " is negative");
  if (bytes < 0)
    return caller_error("vector operation: segment size " + std::to_string(bytes) + " is negative");
  Scatter scatter{near, far, static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(bytes)};
  std::int64_t total = 0;
  if (count == INT64_MAX || bytes == INT64_MAX || __builtin_mul_overflow(count, bytes, &total))
    return caller_error("vector operation: its size does not fit into 63 bits");
  scatter.bytes -= scatter.bytes % element_bytes;
  if (scatter.empty()) return Scatter{};
  if (near == nullptr || far == nullptr)
    return caller_error("vector operation: an address array is a null pointer");
  void* const* const null_near = std::find(near, near + count, nullptr);
  if (null_near != near + count)
    return null_segment("origin-side", static_cast<std::uint64_t>(null_near - near));
  void* const* const null_far = std::find(far, far + count, nullptr);
  if (null_far != far + count) return null_segment("target-side", static_cast<std::uint64_t>(null_far - far));
  return scatter;
}

}  // namespace comex
