#include "interpose/mode.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace comex::interpose {
namespace {

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char left, char right) { return (left | ' ') == right; });
}

}  // namespace

Mode mode_of_this_process() {
  const char* text = std::getenv("COMEX_WORLD");
  if (text == nullptr) return Mode::on;
  if (is_word(text, "warn")) return Mode::warn;
  return is_word(text, "off") ? Mode::off : Mode::on;
}

}  // namespace comex::interpose
