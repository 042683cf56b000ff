#include "api/banner.h"

#include <string>

namespace comex::api {
namespace {

std::string host_line(const World& world, std::size_t index) {
  const pr::Host& host = world.split.hosts[index];
  std::string line = "host " + std::to_string(index) + " (" +
                     world.group->host_name(static_cast<std::uint32_t>(index)) + "):";
  for (const int rank : host.ranks) {
    const pr::RankPlace& place = world.split.ranks[static_cast<std::size_t>(rank)];
    line += " " + std::to_string(rank) + "=";
    if (place.role == pr::Role::progress) {
      line += "progress";
    } else {
      line += "worker " + std::to_string(place.worker);
      if (place.server >= 0) line += "<" + std::to_string(place.server);
    }
    line += place.group >= 0 ? " (group " + std::to_string(place.group) + ")" : "";
  }
  return line;
}

// Neighbours that may run on the same processors are named once.
std::string binding_line(const World& world, std::size_t index) {
  std::string line = "host " + std::to_string(index) + " processors:";
  const std::vector<int>& ranks = world.split.hosts[index].ranks;
  const auto mask = [&](std::size_t i) { return world.bindings[static_cast<std::size_t>(ranks[i])]; };
  for (std::size_t first = 0, last = 0; first < ranks.size(); first = last + 1) {
    last = first;
    while (last + 1 < ranks.size() && mask(last + 1) == mask(first)) ++last;
    line += " " + std::to_string(ranks[first]);
    if (last != first) line += (last == first + 1 ? "," : "..") + std::to_string(ranks[last]);
    line += "=" + mask(first).text();
  }
  return line;
}

}  // namespace

void print_banner(Runtime& runtime) {
  const World& world = *runtime.world;
  if (runtime.me() != 0 || !world.settings.verbose) return;
  // The launch's first world needs no number as long as it is alone.
  const std::string of_world = world.id == 0 ? "" : "world " + std::to_string(world.id) + ": ";
  const auto say = [&](const std::string& text) { runtime.reporter.notice(of_world + text); };
  const std::size_t progress = world.split.progress.size();
  say(std::to_string(world.split.ranks.size()) + " MPI ranks on " + std::to_string(world.split.hosts.size()) +
      " hosts: " + std::to_string(runtime.size()) + " workers, " + std::to_string(progress) +
      " progress ranks");
  if (progress > 0) {
    say("MPI_COMM_WORLD holds " + std::to_string(progress) +
        " ranks that never return: use the communicator of the group in MPI calls");
  }
  for (std::size_t host = 0; host < world.split.hosts.size(); ++host) {
    say(host_line(world, host));
    say(binding_line(world, host));
  }
  say(std::string("arena of host 0 at ") +
      (world.arena->same_address() ? "one address on all its processes" : "different addresses") + ", " +
      std::to_string(world.arena->reservation_bytes() >> 20) + " MiB reserved");
  for (const SettingRow& row : setting_rows()) {
    if (!world.settings.is_explicit(row.id)) continue;
    say(std::string(row.name) + " = " + value_text(world.settings, row.id) + " (" +
        std::string(source_text(world.settings.source(row.id))) + ")");
  }
}

}  // namespace comex::api
