#include "runtime/opening/steps.h"

#include <string>
#include <vector>

#include "runtime/environment.h"
#include "runtime/facade.h"

// Defined if the program is linked with one of the ARMCI libraries.
extern "C" __attribute__((weak)) comex::runtime::FlavourMark comex_armci_flavour;

namespace comex::runtime {
namespace {

std::string host_line(const World& world, std::span<const ShownRank> shown, std::span<const int> ranks,
                      std::size_t index) {
  std::string line = "host " + std::to_string(index) + " (";
  line.append(world.group->host_name(static_cast<std::uint32_t>(index))).append("):");
  for (const int rank : ranks) {
    const pr::RankPlace& place = shown[static_cast<std::size_t>(rank)].place;
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

// Neighbouring ranks that may run on the same processors share one line.
std::string binding_line(std::span<const ShownRank> shown, std::span<const int> ranks, std::size_t index) {
  std::string line = "host " + std::to_string(index) + " processors:";
  const auto mask = [&](std::size_t i) { return shown[static_cast<std::size_t>(ranks[i])].cpus; };
  for (std::size_t first = 0, last = 0; first < ranks.size(); first = last + 1) {
    last = first;
    while (last + 1 < ranks.size() && mask(last + 1) == mask(first)) ++last;
    line += " " + std::to_string(ranks[first]);
    if (last != first) line += (last == first + 1 ? "," : "..") + std::to_string(ranks[last]);
    line += "=" + pr::text_of(mask(first));
  }
  return line;
}

std::vector<std::vector<int>> ranks_by_host(std::span<const ShownRank> shown, std::size_t hosts) {
  std::vector<std::vector<int>> ranks(hosts);
  for (std::size_t rank = 0; rank < shown.size(); ++rank) {
    ranks[static_cast<std::size_t>(shown[rank].place.host)].push_back(static_cast<int>(rank));
  }
  return ranks;
}

// The thread level may differ between hosts, because a launcher over ssh does not carry the settings.
std::string how_served(bool some_lack_threads) {
  if (!some_lack_threads) return ", by a thread (MPI_THREAD_MULTIPLE)";
  return ", without MPI_THREAD_MULTIPLE only in calls of the runtime (MPI_Init starts with threads " +
         std::string(mpi_in_use().how_to_have_threads()) + ")";
}

}  // namespace

void print_notices(const pr::WorldSplit& split, bool some_lack_threads, bool verbose, const Reporter& out) {
  for (const pr::SplitNotice& notice : split.notices) {
    const bool is_detail = notice.kind == pr::NoticeKind::uneven || notice.kind == pr::NoticeKind::idle;
    const bool is_self_served = notice.kind == pr::NoticeKind::self_served;
    if (is_detail && !verbose) continue;
    out.notice(notice.text + (is_self_served ? how_served(some_lack_threads) : std::string()));
  }
}

void print_banner(const World& world, std::span<const ShownRank> shown, const Reporter& out) {
  // The launch's first world needs no number, because it is usually alone.
  const std::string of_world = world.id == 0 ? "" : "world " + std::to_string(world.id) + ": ";
  using pr::counted;
  const auto say = [&](const std::string& text) { out.notice(of_world + text); };
  say("MPI: " + mpi_version() + ", taken as " + std::string(mpi_in_use().name()));
  const std::size_t progress = world.share.progress;
  say(counted(world.share.ranks, "MPI rank") + " on " + counted(world.share.hosts, "host") + ": " +
      counted(world.share.workers, "worker") + ", " + counted(progress, "progress rank"));
  if (progress > 0) {
    say("MPI_COMM_WORLD holds " + counted(progress, "rank") +
        (progress == 1 ? " that never returns" : " that never return") +
        ": use the communicator of the group in MPI calls");
  }
  const std::vector<std::vector<int>> ranks = ranks_by_host(shown, world.share.hosts);
  for (std::size_t host = 0; host < ranks.size(); ++host) {
    say(host_line(world, shown, ranks[host], host));
    say(binding_line(shown, ranks[host], host));
  }
  if (&comex_armci_flavour != nullptr) {
    const std::string file = file_of(&comex_armci_flavour);
    say(std::string("ARMCI is this runtime's, ") + comex_armci_flavour.name + ", from " + file);
  }
  say("arena of host " + std::to_string(world.place.host) + " at one address on all its processes, " +
      std::to_string(world.arena->reservation_bytes() >> 20) + " MiB reserved");
  for (const SettingRow& row : setting_rows()) {
    if (!world.settings.is_explicit(row.id)) continue;
    say(std::string(row.name) + " = " + value_text(world.settings, row.id) + " (" +
        std::string(source_text(world.settings.source(row.id))) + ")");
  }
}

}  // namespace comex::runtime
