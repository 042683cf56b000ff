// Collectives over all ranks of a wire, used at set-up only, when no request is being served yet.
// Implementations: MpiCollective, and SoloCollective for one process. Both pass one conformance suite.
#pragma once

#include <cstddef>
#include <span>

#include "core/ids.h"

namespace comex::transport {

class Collective {
 public:
  virtual ~Collective() = default;
  virtual TransportRank rank() const = 0;
  virtual TransportRank size() const = 0;
  virtual void barrier() = 0;
  virtual void broadcast(std::span<std::byte> bytes, TransportRank root) = 0;
  // `all` holds size() blocks of mine.size() bytes, in rank order.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  virtual bool all_agree(bool mine) = 0;  // true when it is true everywhere
};

}  // namespace comex::transport
