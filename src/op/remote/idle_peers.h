// Keeps 32 bytes for each idle server: credits and sequence numbers.
//
// The peers are sorted by rank and need no index, since many are added at once, and rarely. Owned by
// Channels, under the engine lock.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.h"

namespace comex::op::remote {

struct IdlePeer {
  TransportRank rank = no_rank;
  WorldId world = 0;
  std::uint64_t sent = 0;
  std::uint64_t issued = 0;   // of writes, all of them applied
  std::uint32_t credits = 0;  // unused ones
  std::uint16_t sequence = 0;
  std::uint16_t credit_returns = 0;
};

class IdlePeers {
 public:
  // Returns the peer as it was kept last, or null. The result is valid until the next keep().
  const IdlePeer* find(TransportRank rank) const;
  void keep(std::vector<IdlePeer> idle);
  std::size_t size() const { return idle_peers_.size(); }

 private:
  std::vector<IdlePeer> idle_peers_;
};

}  // namespace comex::op::remote
