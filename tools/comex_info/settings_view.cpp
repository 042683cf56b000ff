#include "settings_view.h"

#include <fmt/format.h>

#include "json.h"

namespace comex::info {

std::string_view scope_text(Scope scope) {
  switch (scope) {
    case Scope::job:
      return "job";
    case Scope::rank:
      return "rank";
    case Scope::host:
      return "host";
  }
  return {};
}

namespace {

// Breaks at spaces, every line after the first indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + word.size() > width) {
      out.append(1, '\n').append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string markdown_row(const SettingRow& row) {
  std::string allowed = allowed_text(row);
  const std::string fallback = value_text(Settings{}, row.id);
  return fmt::format("| `{}`{} | {} | {} | {} | {} |\n", row.name,
                     row.alias.empty() ? "" : fmt::format(" (or `{}`)", row.alias),
                     fallback.empty() ? "" : fmt::format("`{}`", fallback), allowed, scope_text(row.scope),
                     row.doc);
}

}  // namespace

std::string settings_as_text(const Settings& settings) {
  std::string out;
  for (const SettingRow& row : setting_rows()) {
    const std::string value = value_text(settings, row.id);
    const std::string doc =
        (row.effect == Effect::none ? "Accepted, no effect here. " : "") + std::string(row.doc);
    out += fmt::format("{} = {}   [{}]\n    {}\n", row.name, value.empty() ? "(unset)" : value,
                       source_text(settings.source(row.id)), wrapped(doc, 4, 100));
  }
  return out;
}

std::string settings_as_json(const Settings& settings) {
  std::string out;
  for (const SettingRow& row : setting_rows()) {
    out += fmt::format(
        "{}    {{\"name\": {}, \"alias\": {}, \"value\": {}, \"default\": {}, \"source\": {}, \"allowed\": "
        "{}, "
        "\"scope\": {}, \"effect\": {}, \"description\": {}}}",
        out.empty() ? "" : ",\n", json_text(row.name), json_text(row.alias),
        json_text(value_text(settings, row.id)), json_text(value_text(Settings{}, row.id)),
        json_text(source_text(settings.source(row.id))), json_text(allowed_text(row)),
        json_text(scope_text(row.scope)), row.effect == Effect::here ? "true" : "false", json_text(row.doc));
  }
  return fmt::format("[\n{}\n  ]", out);
}

std::string settings_as_markdown() {
  std::string out =
      "<!-- Made by comex_info --settings-markdown from src/core/settings.def: change that file. -->\n"
      "# Settings\n\n"
      "Settings are environment variables, read at each init. A value out of range or an unknown word\n"
      "ends the job with one line that says what is allowed; an empty value counts as unset. Sizes take k, "
      "m\n"
      "and g (powers of 1024), words are of any case. An unknown name that begins with `COMEX_`,\n"
      "or with `GA_` and is almost a setting, gives a warning with the nearest name. `comex_info` shows "
      "every value "
      "and where it came from.\n\n"
      "Scope *job*: MPI rank 0's value holds for all ranks, wherever the launcher carries the environment;\n"
      "a different value set on another rank is an error. *rank*: MPI rank 0's value where a rank has none "
      "of\n"
      "its own. *host*: never sent to other ranks.\n\n";
  const std::string head = "| name | default | allowed | scope | what it does |\n|---|---|---|---|---|\n";
  out += head;
  for (const SettingRow& row : setting_rows())
    if (row.effect == Effect::here) out += markdown_row(row);
  out += "\n## Accepted, no effect here\n\nProgram scripts set these for other runtimes.\n\n" + head;
  for (const SettingRow& row : setting_rows())
    if (row.effect == Effect::none) out += markdown_row(row);
  return out;
}

}  // namespace comex::info
