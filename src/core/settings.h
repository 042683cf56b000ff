// All settings of a job: each value, its source, and the row that describes it.
//
// settings.def has one row per setting, from which everything else is generated. Parsing is strict: a value
// that cannot be read is a Failure that names the setting, the value and what is allowed. An empty value
// counts as not set. Nothing here reads the environment: callers pass a look-up. Used at init and by
// comex_info.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace comex {

enum class RankPosition : unsigned char { largest, smallest };
enum class LpidOrder : unsigned char { spawner, parent };
enum class ArenaBacking : unsigned char { automatic, memfd, posix };
enum class ArenaCommit : unsigned char { touch, now };
enum class CoreDump : unsigned char { lean, full };
enum class ForkMode : unsigned char { none, share };
enum class WaitMode : unsigned char { automatic, spin, yield, sleep };
enum class BindMode : unsigned char { progress, none, all };
enum class WorldMode : unsigned char { on, warn, off };
enum class CheckMode : unsigned char { off, on, fail };
enum class OnFailure : unsigned char { abort, go_on };
enum class MpiKnowledge : unsigned char { automatic, none };
enum class Distribution : unsigned char { packed, cyclic };

enum class SettingId : unsigned char {
#define COMEX_SETTING(type, member, name, fallback, range, scope, effect, alias, doc) member,
#include "core/settings.def"
#undef COMEX_SETTING
};

inline constexpr std::size_t setting_count = 0
#define COMEX_SETTING(type, member, name, fallback, range, scope, effect, alias, doc) +1
#include "core/settings.def"
#undef COMEX_SETTING
    ;

enum class Source : unsigned char { fallback, environment, alias, rank0 };
enum class Scope : unsigned char { job, rank, host };
enum class Effect : unsigned char { here, none };
enum class SettingKind : unsigned char { yes_no, whole, bytes, words, text, file };

struct Settings {
#define COMEX_SETTING(type, member, name, fallback, range, scope, effect, alias, doc) type member = fallback;
#include "core/settings.def"
#undef COMEX_SETTING

  std::array<Source, setting_count> sources{};

  Source source(SettingId id) const {
    return sources[static_cast<std::size_t>(id)];
  }
  bool is_explicit(SettingId id) const {
    return source(id) != Source::fallback;
  }

  // Values that follow from several rows.
  Distribution distribution() const;
  std::uint32_t effective_chunk_bytes() const;
};

// The description of one setting.
struct SettingRow {
  SettingId id;
  std::string_view name;
  std::string_view alias;  // empty: none
  SettingKind kind;
  std::int64_t least;
  std::int64_t most;
  std::string_view words;  // "first|second"; of a file what 1 stands for
  Scope scope;
  Effect effect;
  std::string_view doc;
};

const std::array<SettingRow, setting_count>& setting_rows();
inline const SettingRow& setting_row(SettingId id) {
  return setting_rows()[static_cast<std::size_t>(id)];
}

// The value as a user would write it, and the allowed values in words.
std::string value_text(const Settings& settings, SettingId id);
std::string allowed_text(const SettingRow& row);
std::string_view source_text(Source source);

using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

Result<Settings> parse_settings(const Lookup& lookup);

// Returns one warning for each name that begins with COMEX_ but is no setting, with the nearest name. It
// ignores COMEX_TEST_*, which belong to test programs.
std::vector<std::string> unknown_name_warnings(std::span<const std::string> environment_names);

// Encode the explicit values that MPI rank 0 sends to all ranks, and decode them there into settings.
std::string encode_settings(const Settings& settings);
Result<Settings> decode_settings(std::string_view bytes);

// An explicit job value that differs from rank 0's is a Failure that names both ranks. `root` is the rank
// that spoke for rank 0, if rank 0 is a progress rank.
Status agree(const Settings& mine, const Settings& rank0, int my_rank, int root = 0);

// Returns what this rank runs with: rank 0's values, except in rows where ranks may differ and it has its
// own.
Settings adopt(const Settings& mine, const Settings& rank0);

// The look-up for a later init. It hides the job values of progress ranks, because no program can change
// their environment after the start.
Lookup but_for_job_values(Lookup lookup);
// The split into workers and progress ranks does not change: settings that decide it keep the values of the
// first init.
Settings keep_roles(const Settings& asked, const Settings& first);
std::vector<std::string> notices_of_kept_roles(const Settings& asked, const Settings& first);

}  // namespace comex
