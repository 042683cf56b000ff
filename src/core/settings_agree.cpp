// One job, one set of values: what rank 0 sends, what the others make of it.
//
//   rank 0: encode_settings --(broadcast)--> every rank: decode_settings, agree, adopt
//
// The bytes are NAME=value pairs, each ended by a zero byte (which no environment value can hold),
// so that they read the same whatever rows were added between builds.
#include "core/settings_values.h"

namespace comex {
namespace {

using settings_values::row_of;

std::string said(const Settings& settings, SettingId id) {
  return (settings.is_explicit(id) ? "'" : "the default '") + value_text(settings, id) + "'";
}

}  // namespace

std::string encode_settings(const Settings& settings) {
  std::string bytes;
  for (const SettingRow& row : setting_rows()) {
    if (row.scope == Scope::host || !settings.is_explicit(row.id)) continue;
    bytes.append(row.name).append("=").append(value_text(settings, row.id)).push_back('\0');
  }
  return bytes;
}

Result<Settings> decode_settings(std::string_view bytes) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  while (!bytes.empty()) {
    const auto end = bytes.find('\0');
    const auto sign = bytes.find('=');
    if (end == std::string_view::npos || sign == std::string_view::npos || sign > end)
      return environment_error("the settings sent by MPI rank 0 cannot be read");
    pairs.emplace_back(bytes.substr(0, sign), bytes.substr(sign + 1, end - sign - 1));
    bytes.remove_prefix(end + 1);
  }
  std::size_t known = 0;
  auto settings = parse_settings([&](std::string_view name) -> std::optional<std::string> {
    for (const auto& [each, value] : pairs)
      if (each == name) return ++known, std::string(value);
    return std::nullopt;
  });
  if (!settings) return settings;
  if (known != pairs.size())
    return environment_error("MPI rank 0 sent a setting that this build does not know");
  for (Source& source : settings->sources)
    if (source != Source::fallback) source = Source::rank0;
  return settings;
}

Status agree(const Settings& mine, const Settings& rank0, int my_rank) {
  for (const SettingRow& row : setting_rows()) {
    if (row.scope != Scope::job || !mine.is_explicit(row.id)) continue;
    if (value_text(mine, row.id) == value_text(rank0, row.id)) continue;
    return caller_error(std::string(row.name) + " is " + said(mine, row.id) + " on MPI rank " +
                        std::to_string(my_rank) + " but " + said(rank0, row.id) +
                        " on MPI rank 0: it must be the same on all ranks, or unset on all but rank 0");
  }
  return {};
}

Settings adopt(const Settings& mine, const Settings& rank0) {
  Settings merged = mine;
  Settings sent = rank0;
  settings_values::for_each(merged, [&](SettingId id, auto& member) {
    if (mine.is_explicit(id) || row_of(id).scope == Scope::host || !rank0.is_explicit(id)) return;
    settings_values::for_each(sent, [&](SettingId other, auto& value) {
      if constexpr (std::is_same_v<decltype(member), decltype(value)>)
        if (other == id) member = value;
    });
    merged.sources[static_cast<std::size_t>(id)] = Source::rank0;
  });
  return merged;
}

}  // namespace comex
