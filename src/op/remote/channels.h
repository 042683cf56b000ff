// Owns the table of channels. Idle channels are removed when the table has doubled; of their servers
// IdlePeers keeps a few numbers.
//
// A channel stays in place until then. A server with unapplied writes always has one, so a fence of all
// servers makes none. Owned by op::Remote; every part of it looks channels up here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "nb/cleanup_threshold.h"
#include "op/remote/channel.h"
#include "op/remote/writes.h"

namespace comex::op::remote {

// 32 bytes for each idle server: credits and sequence numbers.
struct IdlePeer {
  TransportRank rank = no_rank;
  WorldId world = 0;
  std::uint64_t sent = 0;
  std::uint64_t issued = 0;   // of writes, all of them applied
  std::uint32_t credits = 0;  // unused ones
  std::uint16_t sequence = 0;
  std::uint16_t credit_returns = 0;
};

// They are sorted by rank and need no index, since many are added at once, and rarely.
class IdlePeers {
 public:
  // Returns the peer as it was kept last, or null. The result is valid until the next keep().
  const IdlePeer* find(TransportRank rank) const;
  void keep(std::vector<IdlePeer> idle);
  std::size_t size() const { return idle_peers_.size(); }

 private:
  std::vector<IdlePeer> idle_peers_;
};

class Channels {
 public:
  explicit Channels(Writes& writes) : writes_(writes) {}

  Channel& at(TransportRank server) {
    return last_ != nullptr && last_->rank == server ? *last_ : look_up(server);
  }
  // Null if there is none.
  const Channel* find(TransportRank server) const {
    const auto found = channels_.find(server);
    return found == channels_.end() ? nullptr : &found->second;
  }
  auto begin() { return channels_.begin(); }
  auto end() { return channels_.end(); }
  auto begin() const { return channels_.begin(); }
  auto end() const { return channels_.end(); }
  std::size_t size() const { return channels_.size(); }

  void clear();
  void tidy();  // after a fence of all

  static constexpr std::size_t kept = 128;  // with no more channels, none is given back

 private:
  Channel& look_up(TransportRank server);
  void retire_idle();

  Writes& writes_;
  std::unordered_map<TransportRank, Channel> channels_;
  IdlePeers idle_peers_;
  nb::CleanupThreshold sweep_{kept};
  Channel* last_ = nullptr;
};

}  // namespace comex::op::remote
