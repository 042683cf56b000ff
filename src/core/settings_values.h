// Reads and writes one value according to its type, and walks all members of Settings.
//
// Only settings.cpp, settings_parse.cpp and settings_agree.cpp use it.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/settings.h"

namespace comex::settings_values {

// Calls visit(id, member) for every row, in the order of settings.def.
template <class SomeSettings, class Visit>
void for_each(SomeSettings& settings, Visit visit) {
#define COMEX_SETTING(type, member, name, fallback, range, scope, effect, alias, doc) \
  visit(SettingId::member, settings.member);
#include "core/settings.def"
#undef COMEX_SETTING
}

inline const SettingRow& row_of(SettingId id) {
  return setting_rows()[static_cast<std::size_t>(id)];
}

bool equal_ignoring_case(std::string_view left, std::string_view right);
std::optional<bool> read_yes_no(std::string_view text);
std::optional<std::int64_t> read_number(std::string_view text, const SettingRow& row);
std::optional<std::size_t> read_word(std::string_view text, std::string_view words);
std::string_view word_at(std::string_view words, std::size_t index);
std::string read_file(std::string_view text, const SettingRow& row);
std::string write_number(std::int64_t value, SettingKind kind);

// Returns false when the text is not a value of the row, and leaves the target unchanged.
template <class T>
bool read(std::string_view text, const SettingRow& row, T& target) {
  std::optional<T> value;
  if constexpr (std::is_same_v<T, bool>) {
    value = read_yes_no(text);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    value = read_number(text, row);
  } else if constexpr (std::is_enum_v<T>) {
    const auto index = read_word(text, row.words);
    if (index) value = static_cast<T>(*index);
  } else {
    value = row.kind == SettingKind::file ? read_file(text, row) : std::string(text);
  }
  if (value) target = std::move(*value);
  return value.has_value();
}

template <class T>
std::string write(const T& value, const SettingRow& row) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "1" : "0";
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return write_number(value, row.kind);
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(word_at(row.words, static_cast<std::size_t>(value)));
  } else {
    return value;
  }
}

}  // namespace comex::settings_values
