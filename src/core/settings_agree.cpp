// Makes one set of values for the job: what rank 0 sends, and how the other ranks use it.
//
//   rank 0: encode_settings --(broadcast)--> every rank: decode_settings, agree, adopt
//
// The bytes are NAME=value pairs, each ended by a zero byte, which no environment value can hold. So they
// stay readable when two builds differ in their rows.
#include "core/settings.h"

namespace comex {
namespace {

std::string said(const Settings& settings, SettingId id) {
  return (settings.is_explicit(id) ? "'" : "the default '") + value_text(settings, id) + "'";
}

constexpr bool decides_roles(SettingId id) {
  return id == SettingId::progress_ranks || id == SettingId::packed || id == SettingId::cyclic ||
         id == SettingId::progress_rank_position || id == SettingId::virtual_hosts ||
         id == SettingId::host_key;
}

// Those members of `from` that `is_taken` says, with their sources, and the others of `to`.
template <class IsTaken>
Settings with_members_of(const Settings& from, Settings to, IsTaken is_taken) {
#define COMEX_SETTING(type, member, name, fallback, range, scope, effect, alias, doc)         \
  if (is_taken(SettingId::member)) {                                                          \
    to.member = from.member;                                                                  \
    to.sources[static_cast<std::size_t>(SettingId::member)] = from.source(SettingId::member); \
  }
#include "core/settings.def"
#undef COMEX_SETTING
  return to;
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

Status agree(const Settings& mine, const Settings& rank0, int my_rank, int root) {
  for (const SettingRow& row : setting_rows()) {
    if (row.scope != Scope::job || !mine.is_explicit(row.id)) continue;
    if (value_text(mine, row.id) == value_text(rank0, row.id)) continue;
    return caller_error(
        std::string(row.name) + " is " + said(mine, row.id) + " on MPI rank " + std::to_string(my_rank) +
        " but " + said(rank0, row.id) + " on MPI rank " + std::to_string(root) +
        ": it must be the same on all ranks, or unset on all but rank " + std::to_string(root));
  }
  return {};
}

Settings adopt(const Settings& mine, const Settings& rank0) {
  return with_members_of(rank0, mine, [&](SettingId id) {
    return !mine.is_explicit(id) && setting_row(id).scope != Scope::host && rank0.is_explicit(id);
  });
}

Lookup but_for_job_values(Lookup lookup) {
  return [lookup = std::move(lookup)](std::string_view name) -> std::optional<std::string> {
    for (const SettingRow& row : setting_rows()) {
      if (row.scope == Scope::job && (name == row.name || name == row.alias)) return std::nullopt;
    }
    return lookup(name);
  };
}

Settings keep_roles(const Settings& asked, const Settings& first) {
  return with_members_of(first, asked, decides_roles);
}

std::vector<std::string> notices_of_kept_roles(const Settings& asked, const Settings& first) {
  std::vector<std::string> notices;
  for (const SettingRow& row : setting_rows()) {
    if (!decides_roles(row.id) || value_text(asked, row.id) == value_text(first, row.id)) continue;
    notices.push_back(std::string(row.name) + " is " + said(asked, row.id) +
                      " now, but roles stay as the first init " + "decided them, with " +
                      said(first, row.id));
  }
  return notices;
}

}  // namespace comex
