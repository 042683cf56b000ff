// Warns of names that begin with COMEX_ but are no setting, and of those of Global Arrays that are almost
// one. Most are typing errors; it suggests the nearest setting.
#include <algorithm>
#include <numeric>

#include "core/settings.h"

namespace comex {
namespace {

// A hostile environment may hold names of megabytes, and the distance takes quadratic time.
constexpr std::size_t most_shown = 80;

// The edit distance (insert, remove, replace a letter) of two names. Keeps one row of the table at a time.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

bool is_known(std::string_view name) {
  return std::any_of(setting_rows().begin(), setting_rows().end(),
                     [&](const SettingRow& row) { return name == row.name || name == row.alias; });
}

std::string_view nearest_name(std::string_view name) {
  const auto row = std::min_element(setting_rows().begin(), setting_rows().end(),
                                    [&](const SettingRow& left, const SettingRow& right) {
                                      return edit_distance(name, left.name) < edit_distance(name, right.name);
                                    });
  return row->name;
}

bool looks_mistyped(std::string_view name) {
  constexpr std::size_t most_errors = 3;
  if (is_known(name) || name == "COMEX_SPAWNED") return false;  // the runtime sets that for spawned processes
  if (name.starts_with("GA_"))
    return name.size() <= most_shown && edit_distance(name, nearest_name(name)) <= most_errors;
  return name.starts_with("COMEX_") && !name.starts_with("COMEX_TEST_");
}

}  // namespace

std::vector<std::string> unknown_name_warnings(std::span<const std::string> environment_names) {
  std::vector<std::string> warnings;
  for (const std::string& name : environment_names) {
    if (!looks_mistyped(name)) continue;
    const std::string shown = name.size() <= most_shown ? name : name.substr(0, most_shown) + "...";
    warnings.push_back(shown + " is not a setting; the nearest is " +
                       std::string(nearest_name(std::string_view(name).substr(0, most_shown))));
  }
  return warnings;
}

}  // namespace comex
