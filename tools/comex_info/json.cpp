#include "json.h"

#include <fmt/format.h>

#include <algorithm>

namespace comex::info {
namespace {

// The bytes of the UTF-8 character in front; 0: there is none. Overlong forms, surrogates and numbers above
// U+10FFFF are none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const unsigned first = byte(0), second = byte(1);
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t at = 1; at < bytes; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
  }
  const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90) || first > 0xf4;
  return is_wrong ? 0 : bytes;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (; !text.empty();) {
    const std::size_t bytes = character_bytes(text);
    const char c = text.front();
    if (bytes == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out + "\"";
}

}  // namespace comex::info
