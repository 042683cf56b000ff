// Collectives over all ranks of a wire, for set-up only, before any request is served. MpiCollective
// implements them over MPI, SoloCollective for one process; both pass one conformance suite.
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
  // `all` receives size() blocks of mine.size() bytes, in rank order.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  // The same with blocks of the given sizes, by rank; at most INT_MAX bytes in all.
  virtual void all_gather_parts(std::span<const std::byte> mine, std::span<std::byte> all,
                                std::span<const std::size_t> sizes) = 0;
  virtual std::uint64_t all_min(std::uint64_t mine) = 0;            // the smallest value of all ranks
  bool all_agree(bool mine) { return all_min(mine ? 1 : 0) == 1; }  // true if true on all ranks
  // Returns the collective of the ranks that pass the same number, in the same order; null if it is negative.
  virtual std::unique_ptr<Collective> among(int number) = 0;
};

}  // namespace comex::transport
