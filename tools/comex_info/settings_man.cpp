// The manual page comex-settings(7), in troff with the macros of man(7).
#include <fmt/format.h>

#include "settings_view.h"

namespace comex::info {
namespace {

// Text as it stands: no hyphens from minus signs, no requests from what begins a line.
std::string literal(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  for (const char letter : text) {
    if (letter == '\\') {
      out += "\\e";
    } else if (letter == '-') {
      out += "\\-";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string entry(const SettingRow& row) {
  const std::string fallback = value_text(Settings{}, row.id);
  std::string out = fmt::format(".TP\n.B {}\n{}\n", literal(row.name), literal(row.doc));
  if (!row.alias.empty()) out += fmt::format("Or\n.BR {} .\n", literal(row.alias));
  out += fmt::format(".br\nAllowed: {}.", literal(allowed_text(row)));
  if (!fallback.empty()) out += fmt::format(" Default: {}.", literal(fallback));
  return out + fmt::format(" Scope: {}.\n", scope_text(row.scope));
}

}  // namespace

std::string settings_as_man() {
  std::string out = fmt::format(
      ".\\\" Made by comex_info \\-\\-settings\\-man from the table of settings.\n"
      ".TH COMEX-SETTINGS 7 \"\" \"comex {}\" \"ComEx\\-PR\"\n"
      ".SH NAME\n"
      "comex\\-settings \\- environment variables of the ComEx\\-PR runtime\n"
      ".SH DESCRIPTION\n"
      "Settings are environment variables, read at each init. A value out of range or an unknown word\n"
      "ends the job with one line that says what is allowed; an empty value counts as unset. Sizes take\n"
      "k, m and g (powers of 1024), words are of any case. An unknown name that begins with COMEX_,\n"
      "or with GA_ and is almost a setting, gives a warning with the nearest name.\n"
      ".PP\n"
      "Scope job: the value of MPI rank 0 holds for all ranks; a different value set on another rank is an\n"
      "error. Scope rank: the value of MPI rank 0 where a rank has none of its own. Scope host: never sent\n"
      "to other ranks.\n"
      ".SH SETTINGS\n",
      COMEX_VERSION);
  for (const SettingRow& row : setting_rows())
    if (row.effect == Effect::here) out += entry(row);
  out += ".SH ACCEPTED WITHOUT EFFECT\nProgram scripts set these for other runtimes.\n";
  for (const SettingRow& row : setting_rows())
    if (row.effect == Effect::none) out += entry(row);
  return out + ".SH SEE ALSO\n.BR comex_info (1)\nshows every value and where it came from.\n";
}

}  // namespace comex::info
