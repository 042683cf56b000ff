#include "arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <string_view>

namespace comex::info {
namespace {

constexpr int most_ranks = 1000000;

// What CLI11 fills in before it is checked together.
struct Raw {
  std::optional<int> ranks;
  std::vector<int> hosts;
  bool cyclic = false;
  bool packed = false;
  std::optional<std::string> progress_ranks, position, virtual_hosts;

  bool any() const {
    return !hosts.empty() || cyclic || packed || progress_ranks || position || virtual_hosts;
  }
};

void declare(CLI::App& app, Arguments& arguments, Raw& raw) {
  const auto count = CLI::Range(1, most_ranks);
  // CLI11 takes 010 for octal.
  const CLI::Validator decimal(
      [](std::string& text) {
        if (text.find_first_not_of("0123456789") != text.npos) return text + " is no decimal number";
        text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
        return std::string();
      },
      "");
  app.set_version_flag("--version", "comex " COMEX_VERSION);
  app.add_flag("--json", arguments.json, "Answer in JSON");
  app.add_flag("--topology", arguments.topology, "Show cores and memory of this machine");
  app.add_flag("--worlds", arguments.worlds,
               "Under mpirun: let two worlds meet and show their hosts, roles, ids and connections");
  app.add_flag("--settings-markdown", arguments.settings_markdown, "Write the page docs/settings.md");
  app.add_flag("--settings-man", arguments.settings_man, "Write the manual page comex-settings(7)");
  auto* dry = app.add_option_group("Dry run", "How a job would be split");
  dry->add_option("--ranks", raw.ranks, "MPI ranks of the job")->check(count)->transform(decimal);
  dry->add_option("--hosts", raw.hosts, "Number of hosts, or the ranks on each: 4,4,2")
      ->check(count)
      ->transform(decimal)
      ->delimiter(',');
  dry->add_flag("--round-robin", arguments.round_robin, "Ranks are dealt round the hosts, not in blocks");
  dry->add_option("--progress-ranks", raw.progress_ranks, "As GA_NUM_PROGRESS_RANKS_PER_NODE");
  auto* packed = dry->add_flag("--packed", raw.packed, "As GA_PROGRESS_RANKS_DISTRIBUTION_PACKED=1");
  dry->add_flag("--cyclic", raw.cyclic, "As GA_PROGRESS_RANKS_DISTRIBUTION_CYCLIC=1")->excludes(packed);
  dry->add_option("--position", raw.position, "largest or smallest: as COMEX_PROGRESS_RANK_POSITION");
  dry->add_option("--virtual-hosts", raw.virtual_hosts, "As COMEX_VIRTUAL_HOSTS: 2, or 0,0,1,1");
}

void set(Arguments& arguments, const char* name, const std::optional<std::string>& value) {
  if (value) arguments.overrides[name] = *value;
}

// How many ranks each host gets: in equal parts, the first ones one more, or as listed.
Status spread(const Raw& raw, std::vector<int>& ranks_on_host) {
  if (raw.hosts.size() > 1) {
    const long long sum = std::accumulate(raw.hosts.begin(), raw.hosts.end(), 0LL);
    if (sum > most_ranks) return caller_error("--hosts: more than a million ranks");
    if (raw.ranks && *raw.ranks != sum) {
      return caller_error("--hosts lists " + std::to_string(sum) + " ranks but --ranks is " +
                          std::to_string(*raw.ranks));
    }
    ranks_on_host = raw.hosts;
    return {};
  }
  if (!raw.ranks) return caller_error("a dry run needs --ranks, or --hosts with the ranks on each host");
  const int hosts = raw.hosts.empty() ? 1 : raw.hosts[0];
  if (hosts > *raw.ranks) {
    return caller_error("--hosts is " + std::to_string(hosts) + " but there are only " +
                        std::to_string(*raw.ranks) + " ranks");
  }
  for (int host = 0; host < hosts; ++host)
    ranks_on_host.push_back(*raw.ranks / hosts + (host < *raw.ranks % hosts ? 1 : 0));
  return {};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<Arguments> read_arguments(int argc, char** argv) {
  Arguments arguments;
  Raw raw;
  CLI::App app("Shows version, settings and machine, and how a job would be split.", "comex_info");
  declare(app, arguments, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    arguments.answer = app.help();
    return arguments;
  } catch (const CLI::CallForVersion& version) {
    arguments.answer = std::string(version.what()) + "\n";
    return arguments;
  } catch (const CLI::ParseError& error) {
    return caller_error(first_line(error.what()));
  }
  if (raw.packed || raw.cyclic) {
    arguments.overrides["GA_PROGRESS_RANKS_DISTRIBUTION_PACKED"] = raw.packed ? "1" : "0";
    arguments.overrides["GA_PROGRESS_RANKS_DISTRIBUTION_CYCLIC"] = raw.cyclic ? "1" : "0";
  }
  set(arguments, "GA_NUM_PROGRESS_RANKS_PER_NODE", raw.progress_ranks);
  set(arguments, "COMEX_PROGRESS_RANK_POSITION", raw.position);
  set(arguments, "COMEX_VIRTUAL_HOSTS", raw.virtual_hosts);
  if (raw.ranks || raw.any() || arguments.round_robin) {
    const Status status = spread(raw, arguments.ranks_on_host);
    if (!status) return status.failure();
  }
  return arguments;
}

}  // namespace comex::info
