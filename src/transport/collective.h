// Collectives over all ranks of a wire, used at set-up only, when no request is being served yet.
// Implementations: MpiCollective, and SoloCollective for one process. Both pass one conformance suite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
  // The same with blocks of these sizes, by rank; at most INT_MAX in all.
  virtual void all_gather_parts(std::span<const std::byte> mine, std::span<std::byte> all,
                                std::span<const std::size_t> sizes) = 0;
  virtual std::uint64_t all_min(std::uint64_t mine) = 0;            // the smallest that any rank says
  bool all_agree(bool mine) { return all_min(mine ? 1 : 0) == 1; }  // true when it is true everywhere
  // One of the ranks that say the same number, in the same order. Below zero: of none, and null.
  virtual std::unique_ptr<Collective> among(int number) = 0;
};

}  // namespace comex::transport
