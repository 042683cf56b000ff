// comex_info: version, build, every setting with its source, this machine, and the dry run of a split.
#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>

#include "arguments.h"
#include "dry_run.h"
#include "json.h"
#include "mpi/library.h"
#include "pr/setup/placement.h"
#include "settings_view.h"

namespace comex::info {
namespace {

using Environment = std::map<std::string, std::string, std::less<>>;

Environment read_environment(char** entries) {
  Environment environment;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    const std::string_view entry = *entries;
    const auto sign = entry.find('=');
    if (sign != std::string_view::npos)
      environment.emplace(std::string(entry.substr(0, sign)), std::string(entry.substr(sign + 1)));
  }
  return environment;
}

Lookup lookup_in(const Environment& environment) {
  return [&environment](std::string_view name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
}

// The MPI library that this program was built with, which it does not load.
const mpi::Library& library_of_build(const Settings& settings) {
  return mpi::library_of(COMEX_MPI_LIBRARY, settings.mpi_knowledge);
}

struct KnownOfMpi {
  std::string_view what;
  std::string_view from;
};
std::array<KnownOfMpi, 6> known_of_mpi(const Settings& settings) {
  const mpi::Knowledge known = library_of_build(settings).knowledge();
  return {{{"longest messages sent at once", known.eager_messages},
           {"switch for yields", known.yields},
           {"ranks before MPI starts", known.ranks},
           {"names of launches and jobs", known.launches},
           {"threads in MPI_Init", known.threads},
           {"name server of launches", known.name_server}}};
}

std::string mpi_as_text(const Settings& settings) {
  std::string text = fmt::format("MPI library, taken as {}\n", library_of_build(settings).name());
  for (const KnownOfMpi& each : known_of_mpi(settings))
    text += fmt::format("  {:<30} {}\n", each.what, each.from.empty() ? "not known" : each.from);
  return text;
}

std::string mpi_as_json(const Settings& settings) {
  std::string text = fmt::format("{{\n    \"library\": {},\n    \"taken_as\": {}",
                                 json_text(COMEX_MPI_LIBRARY), json_text(library_of_build(settings).name()));
  for (const KnownOfMpi& each : known_of_mpi(settings)) {
    text +=
        fmt::format(",\n    {}: {}", json_text(each.what), each.from.empty() ? "null" : json_text(each.from));
  }
  return text + "\n  }";
}

Result<Settings> settings_of(const Environment& environment, const Arguments& arguments) {
  return parse_settings([&](std::string_view name) -> std::optional<std::string> {
    if (const auto found = arguments.overrides.find(name); found != arguments.overrides.end())
      return found->second;
    return lookup_in(environment)(name);
  });
}

void warn_of_unknown_names(const Environment& environment) {
  std::vector<std::string> names;
  for (const auto& [name, value] : environment) names.push_back(name);
  for (const std::string& warning : unknown_name_warnings(names))
    fmt::print(stderr, "comex_info: warning: {}\n", warning);
}

Result<std::string> dry_run(const Arguments& arguments, const Settings& settings) {
  const std::vector<int> hosts = place_ranks(arguments.ranks_on_host, arguments.round_robin);
  const auto split = pr::split_world(hosts, settings);
  if (!split) return split.failure();
  return arguments.json ? split_as_json(split.value()) : draw(split.value(), settings);
}

std::string everything(const Settings& settings) {
  return fmt::format(
      "comex {}\nbuild: {}\nbuilt with: {}; hwloc {}\n\n{}\nThis machine\n{}\nSettings (value, "
      "[source])\n{}",
      COMEX_VERSION, COMEX_BUILD, COMEX_MPI_LIBRARY, COMEX_BUILD_HWLOC, mpi_as_text(settings),
      pr::Topology::load().summary(), settings_as_text(settings));
}

std::string everything_as_json(const Settings& settings) {
  return fmt::format(
      "{{\n  \"version\": {},\n  \"build\": {},\n  \"mpi\": {},\n  \"hwloc\": {},\n  \"topology\": {},\n"
      "  \"settings\": {}\n}}\n",
      json_text(COMEX_VERSION), json_text(COMEX_BUILD), mpi_as_json(settings), json_text(COMEX_BUILD_HWLOC),
      json_text(pr::Topology::load().summary()), settings_as_json(settings));
}

std::string topology(bool json) {
  const std::string text = pr::Topology::load().summary();
  return json ? fmt::format("{{\n  \"topology\": {}\n}}\n", json_text(text)) : text;
}

// Replaces this process by comex_worlds beside it; returns only if that fails.
Failure show_worlds() {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::string program = (self.parent_path() / "comex_worlds").string();
  ::setenv("COMEX_VERBOSE", "1", 0);
  ::execl(program.c_str(), program.c_str(), nullptr);
  return environment_error("--worlds: " + program +
                           " cannot be started: " + std::generic_category().message(errno));
}

Result<std::string> answer(int argc, char** argv, char** entries) {
  const auto arguments = read_arguments(argc, argv);
  if (!arguments) return arguments.failure();
  if (arguments->answer) return *arguments->answer;
  if (arguments->settings_markdown) return settings_as_markdown();
  if (arguments->settings_man) return settings_as_man();
  if (arguments->topology) return topology(arguments->json);
  const Environment environment = read_environment(entries);
  const auto settings = settings_of(environment, arguments.value());
  if (!settings) return settings.failure();
  if (arguments->worlds) {
    if (library_of_build(settings.value()).launched(lookup_in(environment)).is_launched) return show_worlds();
    return caller_error("--worlds shows worlds that meet: mpirun -n 3 comex_info --worlds");
  }
  warn_of_unknown_names(environment);
  if (!arguments->ranks_on_host.empty()) return dry_run(arguments.value(), settings.value());
  return arguments->json ? everything_as_json(settings.value()) : everything(settings.value());
}

}  // namespace
}  // namespace comex::info

int main(int argc, char** argv, char** environment) {
  constexpr int bad_argument = 2;
  try {
    const auto text = comex::info::answer(argc, argv, environment);
    if (text) {
      const std::string& out = text.value();
      const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size();
      if (written && std::fflush(stdout) == 0) return 0;
      std::perror("comex_info: cannot be printed");
      return 1;
    }
    fmt::print(stderr, "comex_info: {}\n", text.failure().text);
    return bad_argument;
  } catch (const std::exception& error) {
    fmt::print(stderr, "comex_info: {}\n", error.what());
    return 1;
  }
}
