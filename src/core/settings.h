// Every setting of a job: its value, where the value came from, and the row that describes it.
//
// settings.def holds one row per setting; all else is made from it. Parsing is strict: a value that is
// not understood is a Failure naming the setting, the value and what is allowed. An empty value is no
// value. Nothing here reads the environment: the API passes a lookup. Called at init and by comex_info.
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
enum class BindMode : unsigned char { progress, none };
enum class WorldMode : unsigned char { on, warn, off };
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
enum class SettingKind : unsigned char { yes_no, whole, bytes, words, text };

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

  // What several rows say together.
  Distribution distribution() const;
  std::size_t effective_chunk_bytes() const;
};

// What a row says about its setting.
struct SettingRow {
  SettingId id;
  std::string_view name;
  std::string_view alias;  // empty: none
  SettingKind kind;
  std::int64_t least;
  std::int64_t most;
  std::string_view words;  // "first|second"
  Scope scope;
  Effect effect;
  std::string_view doc;
};

const std::array<SettingRow, setting_count>& setting_rows();

// The value as a user would write it, and what is allowed in words.
std::string value_text(const Settings& settings, SettingId id);
std::string allowed_text(const SettingRow& row);
std::string_view source_text(Source source);

using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

Result<Settings> parse_settings(const Lookup& lookup);

// One warning for each name that begins with COMEX_ and is no setting, with the nearest name.
// COMEX_TEST_* is left to test programs.
std::vector<std::string> unknown_name_warnings(std::span<const std::string> environment_names);
// Environments differ between hosts. Given a digest of each rank's warnings, 0 for none: who prints, for all
// that have the same. The lowest of them, in order, and not more than a few.
std::vector<int> ranks_that_warn(std::span<const std::uint64_t> digests);

// The explicit values that MPI rank 0 sends to all ranks, and the settings they make there.
std::string encode_settings(const Settings& settings);
Result<Settings> decode_settings(std::string_view bytes);

// An explicit job value that differs from rank 0's is a Failure naming both ranks. root: who spoke for rank
// 0, where that one serves.
Status agree(const Settings& mine, const Settings& rank0, int my_rank, int root = 0);

// What this rank runs with: rank 0's values, but for its own in rows that may differ.
Settings adopt(const Settings& mine, const Settings& rank0);

// A later init. Progress ranks have no say: no program can change what their environments had at the start.
Lookup but_for_job_values(Lookup lookup);
// Roles stay: whatever decides them is as it was at the first init.
Settings keep_roles(const Settings& asked, const Settings& first);
std::vector<std::string> notices_of_kept_roles(const Settings& asked, const Settings& first);

}  // namespace comex
