// Frames of text, for tests of sockets.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace comex::testing {

inline std::vector<std::byte> frame_of(std::string_view text) {
  std::vector<std::byte> frame(text.size());
  if (!text.empty()) std::memcpy(frame.data(), text.data(), text.size());
  return frame;
}

}  // namespace comex::testing
