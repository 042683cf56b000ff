#include "runtime/opening/world.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "core/diagnose.h"
#include "transport/mpi_collective.h"
#include "watch/trace_text.h"

namespace comex::runtime {
namespace {

// What the system's clock is ahead of the one of the events.
std::int64_t clock_shift_ns() {
  const auto system = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  return static_cast<std::int64_t>(system) - static_cast<std::int64_t>(trace::Log::now_ns());
}

std::string part_of(const World& world, int rank) {
  return world.settings.trace + "." + std::to_string(world.id) + "-" + std::to_string(rank);
}

watch::TracedRank traced_rank(const World& world, TransportRank rank) {
  watch::TracedRank traced;
  traced.rank = rank;
  traced.worker = world.place.worker;
  traced.host = world.place.host;
  traced.host_name = world.group->host_name(static_cast<std::uint32_t>(world.place.host));
  for (const pr::RankPlace& place : world.share.places) traced.worker_of_slot.push_back(place.worker);
  traced.hosts = world.share.hosts;
  traced.lost = world.log->lost();
  return traced;
}

// A part that cannot be written whole is not there at all.
bool write_part(World& world, const watch::TracedRank& traced) {
  const std::string name = part_of(world, traced.rank);
  std::ofstream file(name);
  watch::write_events(file, world.log->events(), traced);
  if (file.flush()) return true;
  std::remove(name.c_str());
  return false;
}

void join_parts(const World& world, TransportRank ranks, const Reporter& reporter) {
  std::vector<int> elsewhere;
  const std::string whole = world.output_file(world.settings.trace);
  std::ofstream file(whole);
  if (!file) {
    reporter.warn({.operation = "finalize"}, "COMEX_TRACE=" + whole +
                                                 " cannot be written; its parts are in " +
                                                 world.settings.trace + ".WORLD-RANK");
    return;
  }
  file << watch::trace_head;
  for (TransportRank rank = 0; rank < ranks; ++rank) {
    const std::string name = part_of(world, rank);
    std::ifstream part(name);
    if (!part) {
      elsewhere.push_back(rank);
      continue;
    }
    if (part.peek() != std::ifstream::traits_type::eof()) file << part.rdbuf();
    if (file.flush()) std::remove(name.c_str());
  }
  file << watch::trace_end;
  if (!file.flush()) {
    reporter.warn({.operation = "finalize"}, "COMEX_TRACE=" + whole + " cannot be written");
  }
  if (elsewhere.empty()) return;
  reporter.notice("the trace lacks " + listed("MPI rank", elsewhere) + ", whose parts " +
                  world.settings.trace + ".WORLD-RANK are not on this machine's file system");
}

}  // namespace

void write_trace(World& world, const Reporter& reporter) {
  if (!world.log) return;
  transport::MpiCollective all(world.wire.get(), [&reporter](const Failure& failure) {
    reporter.fatal({.operation = "finalize"}, failure.text);
  });
  const std::span<const trace::Event> events = world.log->events();
  const std::int64_t shift_ns = clock_shift_ns();
  std::uint64_t began_ns = trace::Log::now_ns();
  for (const trace::Event& event : events) began_ns = std::min(began_ns, event.begin_ns);
  const std::uint64_t first_ns =
      all.all_min(static_cast<std::uint64_t>(static_cast<std::int64_t>(began_ns) + shift_ns));
  watch::TracedRank traced = traced_rank(world, all.rank());
  traced.shift_ns = shift_ns - static_cast<std::int64_t>(first_ns);
  const bool is_written = all.all_agree(write_part(world, traced));
  if (world.place.worker != 0) return;
  if (!is_written) {
    reporter.warn({.operation = "finalize"},
                  "not all parts of COMEX_TRACE=" + world.settings.trace + " can be written");
  }
  join_parts(world, all.size(), reporter);
}

}  // namespace comex::runtime
