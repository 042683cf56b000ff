// Owns the table of channels. Idle channels are removed when the table has doubled; of their servers
// IdlePeers keeps a few numbers.
//
// A channel stays in place until then. A server with unapplied writes always has one, so a fence of all
// servers makes none. Owned by op::Remote; every part of it looks channels up here.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "nb/cleanup_threshold.h"
#include "op/remote/channel.h"
#include "op/remote/idle_peers.h"
#include "op/remote/writes.h"

namespace comex::op::remote {

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
