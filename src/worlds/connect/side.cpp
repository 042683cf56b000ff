#include "worlds/connect/side.h"

#include <fstream>
#include <map>

namespace comex::worlds {
namespace {

std::string who_has_none(const SideFacts& accepting, const SideFacts& connecting) {
  if (!accepting.name_server.empty()) return "the connecting side has none";
  return connecting.name_server.empty() ? "neither side has one" : "the accepting side has none";
}

}  // namespace

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
  if (sharing.empty() || (accepting.name_server == connecting.name_server && !accepting.name_server.empty()))
    return {};
  const std::string how = "; " + std::string(sharing);
  if (accepting.name_server.empty() || connecting.name_server.empty()) {
    return environment_error("two launches meet through a common name server, and " +
                             who_has_none(accepting, connecting) + how);
  }
  return environment_error("the two launches have different name servers: " + accepting.name_server +
                           " and " + connecting.name_server + how);
}

std::vector<LockTurn> lock_turns(const SideFacts& accepting, const SideFacts& connecting) {
  std::map<ProgressRankId, bool> is_of_accepting;
  for (const ProgressRankId& rank : connecting.progress_ranks) is_of_accepting[rank] = false;
  for (const ProgressRankId& rank : accepting.progress_ranks) is_of_accepting[rank] = true;
  std::vector<LockTurn> turns;
  for (const auto& [rank, accepts] : is_of_accepting) {
    if (turns.empty() || turns.back().is_of_accepting != accepts) turns.push_back({accepts, {}});
    turns.back().progress_ranks.push_back(rank);
  }
  return turns;
}

std::string name_server_of(const std::string& argument) {
  constexpr std::size_t prefix_size = 5;
  if (!argument.starts_with("file:") && !argument.starts_with("FILE:")) return argument;
  std::ifstream file(argument.substr(prefix_size));
  std::string address;
  std::getline(file, address);
  while (!address.empty() && (address.back() == ' ' || address.back() == '\r')) address.pop_back();
  return address.empty() ? argument : address;
}

bool share_a_world(const SideFacts& a, const SideFacts& b) {
  return a.nonce == b.nonce && a.is_within_its_world && b.is_within_its_world;
}

}  // namespace comex::worlds
