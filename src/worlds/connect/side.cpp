#include "worlds/connect/side.h"

namespace comex::worlds {

Result<SideFacts> unpack_side(std::span<const std::byte> bytes) {
  if (Unpacker(bytes).value<std::uint64_t>() != SideFacts().layout) {
    return environment_error("the other side speaks another version of this library");
  }
  std::optional<SideFacts> facts = unpack_fields<SideFacts>(bytes);
  if (!facts) return environment_error("what the other side tells of itself is not whole");
  return std::move(*facts);
}

Status check_sides(const SideFacts& accepting, const SideFacts& connecting, std::string_view sharing) {
  if (accepting.launch == connecting.launch) return {};
  if (accepting.mpi != connecting.mpi) {
    return environment_error("the two launches run on different MPI libraries: " + accepting.mpi + " and " +
                             connecting.mpi);
  }
  if (sharing.empty() || (accepting.has_name_server && connecting.has_name_server)) return {};
  const std::string who = accepting.has_name_server ? "connecting" : "accepting";
  return environment_error("two launches meet through a common name server, and the " + who +
                           " side has none; " + std::string(sharing));
}

std::map<ProgressRankId, bool> lock_turns(const SideFacts& accepting, const SideFacts& connecting) {
  std::map<ProgressRankId, bool> turns;
  for (const ProgressRankId& rank : connecting.progress_ranks) turns[rank] = false;
  for (const ProgressRankId& rank : accepting.progress_ranks) turns[rank] = true;
  return turns;
}

}  // namespace comex::worlds
