// Parses text into values. It is strict, and its error line says what is allowed.
#include <algorithm>
#include <array>
#include <limits>

#include "core/settings_values.h"

namespace comex {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::array<std::pair<char, std::int64_t>, 3> size_units = {
    {{'g', 1LL << 30}, {'m', 1LL << 20}, {'k', 1LL << 10}}};

Failure not_allowed(const SettingRow& row, std::string_view name, std::string_view value) {
  return caller_error(std::string(name) + "='" + std::string(value) + "' is not allowed: it takes " +
                      allowed_text(row));
}

struct Found {
  std::string value;
  Source source;
  std::string_view name;
};

// The setting's name takes precedence over its alias. An empty value counts as not set.
std::optional<Found> find(const Lookup& lookup, const SettingRow& row) {
  if (auto value = lookup(row.name); value && !value->empty())
    return Found{std::move(*value), Source::environment, row.name};
  if (row.alias.empty()) return std::nullopt;
  if (auto value = lookup(row.alias); value && !value->empty())
    return Found{std::move(*value), Source::alias, row.alias};
  return std::nullopt;
}

}  // namespace

namespace settings_values {

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::optional<bool> read_yes_no(std::string_view text) {
  for (const std::string_view word : {"1", "y", "yes", "true", "on"})
    if (equal_ignoring_case(text, word)) return true;
  for (const std::string_view word : {"0", "n", "no", "false", "off"})
    if (equal_ignoring_case(text, word)) return false;
  return std::nullopt;
}

std::optional<std::int64_t> read_number(std::string_view text, const SettingRow& row) {
  std::int64_t unit = 1;
  if (row.kind == SettingKind::bytes && !text.empty()) {
    for (const auto& [letter, factor] : size_units)
      if (lower(text.back()) == letter) unit = factor;
    if (unit != 1) text.remove_suffix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  if (value > largest / unit || value < -(largest / unit)) return std::nullopt;
  value *= unit;
  if (value < row.least || value > row.most) return std::nullopt;
  return value;
}

std::string_view word_at(std::string_view words, std::size_t index) {
  for (; index > 0; --index) {
    const auto bar = words.find('|');
    if (bar == std::string_view::npos) return {};
    words.remove_prefix(bar + 1);
  }
  return words.substr(0, words.find('|'));
}

std::optional<std::size_t> read_word(std::string_view text, std::string_view words) {
  for (std::size_t index = 0;; ++index) {
    const std::string_view word = word_at(words, index);
    if (word.empty()) return std::nullopt;
    if (equal_ignoring_case(text, word)) return index;
  }
}

// Words for yes and no are no names of files.
std::string read_file(std::string_view text, const SettingRow& row) {
  const std::optional<bool> is_on = read_yes_no(text);
  return std::string(!is_on ? text : *is_on ? row.words : "0");
}

std::string write_number(std::int64_t value, SettingKind kind) {
  if (kind == SettingKind::bytes && value > 0) {
    for (const auto& [letter, factor] : size_units)
      if (value % factor == 0) return std::to_string(value / factor) + letter;
  }
  return std::to_string(value);
}

}  // namespace settings_values

Result<Settings> parse_settings(const Lookup& lookup) {
  Settings settings;
  std::optional<Failure> first;
  settings_values::for_each(settings, [&](SettingId id, auto& member) {
    if (first) return;
    const SettingRow& row = settings_values::row_of(id);
    const auto found = find(lookup, row);
    if (!found) return;
    if (settings_values::read(found->value, row, member)) {
      settings.sources[static_cast<std::size_t>(id)] = found->source;
    } else {
      first = not_allowed(row, found->name, found->value);
    }
  });
  if (first) return std::move(*first);
  return settings;
}

}  // namespace comex
