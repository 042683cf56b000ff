// The table of all settings, and the conversion of values to text.
#include "core/settings.h"

#include <algorithm>

#include "core/settings_values.h"

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

}  // namespace

const std::array<SettingRow, setting_count>& setting_rows() {
  return rows;
}

Distribution Settings::distribution() const {
  return cyclic && !packed ? Distribution::cyclic : Distribution::packed;
}

std::size_t Settings::effective_chunk_bytes() const {
  // The result holds whole elements of the largest scalar and is not below the smallest chunk allowed.
  const auto lowered = std::max<std::int64_t>(std::min(chunk_bytes, max_message_size), 4096);
  return static_cast<std::size_t>(lowered) / 16 * 16;
}

std::string value_text(const Settings& settings, SettingId id) {
  std::string out;
  settings_values::for_each(settings, [&](SettingId each, const auto& value) {
    if (each == id) out = settings_values::write(value, settings_values::row_of(id));
  });
  return out;
}

std::string allowed_text(const SettingRow& row) {
  switch (row.kind) {
    case SettingKind::yes_no:
      return "1 or 0, yes or no, true or false, on or off";
    case SettingKind::whole:
    case SettingKind::bytes: {
      const std::string range = settings_values::write_number(row.least, row.kind) + " to " +
                                settings_values::write_number(row.most, row.kind);
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

}  // namespace comex
