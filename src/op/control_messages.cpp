#include "op/control_messages.h"

#include <algorithm>
#include <cstring>

#include "core/status.h"

namespace comex::op {

namespace {

constexpr std::uint64_t most_reserved = std::uint64_t{1} << 20;

}  // namespace

std::size_t ControlMessages::Hash::operator()(const Name& name) const {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = (std::uint64_t{static_cast<std::uint32_t>(name.from)} << 32) | name.phase;
  hash = (hash ^ name.context) * odd;
  hash = (hash ^ (hash >> 32) ^ name.sequence) * odd;
  return hash ^ (hash >> 29);
}

void ControlMessages::send(TransportRank to, std::uint64_t context, std::uint64_t sequence,
                           std::uint32_t phase, std::span<const std::byte> bytes) {
  if (is_lost_) return;
  protocol::ControlHeader header;
  header.phase = phase;
  header.context = context;
  header.sequence = sequence;
  header.bytes = bytes.size();
  do {
    const auto piece = bytes.first(std::min(bytes.size(), protocol::control_data_bytes));
    bytes = bytes.subspan(piece.size());
    std::byte* const message = transport_.stage();
    std::memcpy(message, &header, sizeof header);
    if (!piece.empty()) std::memcpy(message + sizeof header, piece.data(), piece.size());
    transport_.post(to, sizeof header + piece.size());
  } while (!bytes.empty());
}

void ControlMessages::on_message(const transport::Message& message) {
  protocol::ControlHeader header;
  COMEX_BUG_IF(message.data.size() < sizeof header);
  std::memcpy(&header, message.data.data(), sizeof header);
  const auto piece = message.data.subspan(sizeof header);
  ControlMessage& control = arrived_[Name{message.from, header.phase, header.context, header.sequence}];
  const bool is_mailbox = header.context == mailbox_context || header.context == watch_context;
  if (is_mailbox && is_whole(control)) control = {};
  if (control.bytes.empty()) {
    control.total = header.bytes;
    control.bytes.reserve(std::min(header.bytes, most_reserved));  // what is announced may be wrong
  }
  // More bytes than announced mean that two messages have one name.
  COMEX_BUG_IF(control.total != header.bytes || control.bytes.size() + piece.size() > control.total);
  control.bytes.insert(control.bytes.end(), piece.begin(), piece.end());
}

bool ControlMessages::take(TransportRank from, std::uint64_t context, std::uint64_t sequence,
                           std::uint32_t phase, std::span<std::byte> into) {
  const auto bytes = take(from, context, sequence, phase);
  if (!bytes) return false;
  COMEX_BUG_IF(bytes->size() != into.size());
  std::ranges::copy(*bytes, into.begin());
  return true;
}

std::optional<std::vector<std::byte>> ControlMessages::take(TransportRank from, std::uint64_t context,
                                                            std::uint64_t sequence, std::uint32_t phase) {
  const auto found = arrived_.find(Name{from, phase, context, sequence});
  if (found == arrived_.end() || !is_whole(found->second)) return std::nullopt;
  std::vector<std::byte> bytes = std::move(found->second.bytes);
  arrived_.erase(found);
  return bytes;
}

}  // namespace comex::op
