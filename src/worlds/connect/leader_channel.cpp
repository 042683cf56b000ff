#include "worlds/connect/leader_channel.h"

#include <algorithm>

namespace comex::worlds {

Result<Bytes> LeaderChannelOverWire::receive() {
  return with_->receive(runtime_, operation_, Deadline(limit_s_), [this] { return members_.has_lost(); });
}

Result<Bytes> LeaderChannelOverWire::exchange(const Bytes& mine) {
  with_->say(mine);
  return receive();
}

Result<Bytes> LeaderChannelOverWire::broadcast(const Bytes& leaders) {
  std::uint64_t size = leaders.size();
  members_.broadcast(std::as_writable_bytes(std::span(&size, 1)), root_);
  Bytes bytes = is_leader() ? leaders : Bytes(size);
  if (size != 0) members_.broadcast(bytes, root_);
  if (!members_.is_whole()) return lost();
  return bytes;
}

std::string LeaderChannelOverWire::spread(const std::string& leaders) {
  const auto bytes = std::as_bytes(std::span(leaders.data(), leaders.size()));
  const Result<Bytes> told = broadcast(Bytes(bytes.begin(), bytes.end()));
  if (!told) return told.failure().text;
  return {reinterpret_cast<const char*>(told->data()), told->size()};
}

Failure LeaderChannelOverWire::lost() {
  return environment_error("members of the group are lost");
}

// Gathers blocks of the longest one's length. The data is short, and only one rank needs it.
Result<std::vector<Bytes>> LeaderChannelOverWire::gather(const Bytes& mine) {
  const std::uint64_t longest = members_.all_max(mine.size());
  if (!members_.is_whole()) return lost();
  Bytes block(sizeof(std::uint64_t) + longest);
  const std::uint64_t size = mine.size();
  std::memcpy(block.data(), &size, sizeof size);
  std::ranges::copy(mine, block.begin() + sizeof size);
  Bytes all(block.size() * members_.size());
  members_.all_gather(block, all);
  if (!members_.is_whole()) return lost();
  std::vector<Bytes> parts;
  if (!is_leader()) return parts;
  for (std::uint32_t rank = 0; rank < members_.size(); ++rank) {
    const std::byte* const from = all.data() + rank * block.size();
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof bytes);
    COMEX_BUG_IF(bytes > longest);
    parts.emplace_back(from + sizeof bytes, from + sizeof bytes + bytes);
  }
  return parts;
}

}  // namespace comex::worlds
