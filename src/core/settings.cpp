// The table of all settings, and the conversion of values from and to text.
//
// Parsing is strict, and its error line says what is allowed.
#include "core/settings.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>

namespace comex {
namespace {

struct Range {
  SettingKind kind;
  std::int64_t least;
  std::int64_t most;
  std::string_view words;
};

constexpr Range yes_no() {
  return {SettingKind::yes_no, 0, 1, {}};
}
constexpr Range whole(std::int64_t least, std::int64_t most) {
  return {SettingKind::whole, least, most, {}};
}
constexpr Range bytes(std::int64_t least, std::int64_t most) {
  return {SettingKind::bytes, least, most, {}};
}
constexpr Range words(std::string_view list) {
  return {SettingKind::words, 0, 0, list};
}
constexpr Range text() {
  return {SettingKind::text, 0, 0, {}};
}

constexpr Range file(std::string_view yes) {
  return {SettingKind::file, 0, 0, yes};
}

constexpr SettingRow make_row(SettingId id, std::string_view name, Range range, Scope scope, Effect effect,
                              std::string_view alias, std::string_view doc) {
  return {id, name, alias, range.kind, range.least, range.most, range.words, scope, effect, doc};
}

constexpr std::array<SettingRow, setting_count> rows = {
#define COMEX_SETTING(type, member, name, fallback, range, scope, effect, alias, doc) \
  make_row(SettingId::member, name, range, Scope::scope, Effect::effect, alias, doc),
#include "core/settings.def"
#undef COMEX_SETTING
};

constexpr bool names_are_unique() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      if (rows[i].name == rows[j].name || rows[i].name == rows[j].alias) return false;
    }
  }
  return true;
}
static_assert(names_are_unique());

// Calls visit(id, member) for every row, in the order of settings.def.
template <class SomeSettings, class Visit>
void for_each(SomeSettings& settings, Visit visit) {
#define COMEX_SETTING(type, member, name, fallback, range, scope, effect, alias, doc) \
  visit(SettingId::member, settings.member);
#include "core/settings.def"
#undef COMEX_SETTING
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::array<std::pair<char, std::int64_t>, 3> size_units = {
    {{'g', 1LL << 30}, {'m', 1LL << 20}, {'k', 1LL << 10}}};

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
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (value > most / unit || value < -(most / unit)) return std::nullopt;
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

const std::array<SettingRow, setting_count>& setting_rows() {
  return rows;
}

Distribution Settings::distribution() const {
  return cyclic && !packed ? Distribution::cyclic : Distribution::packed;
}

std::uint32_t Settings::effective_chunk_bytes() const {
  // The result holds whole elements of the largest scalar and is not below the smallest chunk allowed.
  const auto lowered = std::max<std::int64_t>(std::min(chunk_bytes, max_message_size), 4096);
  return static_cast<std::uint32_t>(lowered) / 16 * 16;
}

std::string value_text(const Settings& settings, SettingId id) {
  std::string out;
  for_each(settings, [&](SettingId each, const auto& value) {
    if (each == id) out = write(value, setting_row(id));
  });
  return out;
}

std::string allowed_text(const SettingRow& row) {
  switch (row.kind) {
    case SettingKind::yes_no:
      return "1 or 0, yes or no, true or false, on or off";
    case SettingKind::whole:
    case SettingKind::bytes: {
      const std::string range = write_number(row.least, row.kind) + " to " + write_number(row.most, row.kind);
      return row.kind == SettingKind::whole ? range : range + " (bytes, or with k, m, g)";
    }
    case SettingKind::words: {
      std::string list(row.words);
      std::size_t bar = list.rfind('|');
      if (bar == std::string::npos) return list;
      list.replace(bar, 1, " or ");
      while ((bar = list.find('|')) != std::string::npos) list.replace(bar, 1, ", ");
      return list;
    }
    case SettingKind::text:
      return "text";
    case SettingKind::file:
      return "1 or 0, or a file name";
  }
  return {};
}

std::string_view source_text(Source source) {
  switch (source) {
    case Source::fallback:
      return "default";
    case Source::environment:
      return "environment";
    case Source::alias:
      return "alias";
    case Source::rank0:
      return "MPI rank 0";
  }
  return {};
}

Result<Settings> parse_settings(const Lookup& lookup) {
  Settings settings;
  std::optional<Failure> first;
  for_each(settings, [&](SettingId id, auto& member) {
    if (first) return;
    const SettingRow& row = setting_row(id);
    const auto found = find(lookup, row);
    if (!found) return;
    if (read(found->value, row, member)) {
      settings.sources[static_cast<std::size_t>(id)] = found->source;
    } else {
      first = not_allowed(row, found->name, found->value);
    }
  });
  if (first) return std::move(*first);
  return settings;
}

}  // namespace comex
