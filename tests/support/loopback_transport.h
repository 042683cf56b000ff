// Many ranks in one process: the Transport by which unit tests run whole operations.
//
// It imitates the awkward parts of MPI. A body above the eager limit is sent only once its receive is posted.
// Data moves only inside calls of the receiving endpoint. A body longer than its receive is a bug. Each
// endpoint may have a thread of its own, but only one thread at a time may use it (checked). From any thread,
// hooks hold back the traffic of a pair and count it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/transport.h"

namespace comex::transport {

class LoopbackEndpoint;

class LoopbackFabric {
 public:
  explicit LoopbackFabric(TransportRank size, std::size_t eager_limit_bytes = 4096);
  ~LoopbackFabric();
  LoopbackFabric(const LoopbackFabric&) = delete;
  LoopbackFabric& operator=(const LoopbackFabric&) = delete;

  TransportRank size() const { return static_cast<TransportRank>(endpoints_.size()); }
  Transport& endpoint(TransportRank rank);

  // While a pair is held, messages of `from` to `to` do not arrive and count as unsent.
  void hold_messages(TransportRank from, TransportRank to);
  void release_messages(TransportRank from, TransportRank to);
  void hold_bodies(TransportRank from, TransportRank to);
  void release_bodies(TransportRank from, TransportRank to);

  // Since the start, including messages that have not arrived.
  std::uint64_t messages(TransportRank from, TransportRank to) const;
  std::uint64_t bodies(TransportRank from, TransportRank to) const;
  std::uint64_t body_bytes(TransportRank from, TransportRank to) const;
  // Counts the arrived ones that the kernel would copy slowly.

  // True if nothing is under way, no send lacks a receive and no receive lacks a send.
  bool drained() const;

 private:
  friend class LoopbackEndpoint;
  LoopbackEndpoint& at(TransportRank rank) const;

  const std::size_t eager_limit_bytes_;
  std::vector<std::unique_ptr<LoopbackEndpoint>> endpoints_;
};

}  // namespace comex::transport
