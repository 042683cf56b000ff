// Many ranks in one process: the Transport that lets whole operations run in a unit test.
//
// It behaves like MPI where MPI is awkward: a body above the eager limit is sent only once its
// receive is there, data moves only inside calls of the receiving endpoint, a body longer than its
// receive is a bug. Endpoints may live on threads of their own, each used by one thread at a time
// (checked); hooks hold traffic of a pair back and count it, from any thread.
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

  // While held, what `from` sends to `to` does not arrive; held messages count as unsent.
  void hold_messages(TransportRank from, TransportRank to);
  void release_messages(TransportRank from, TransportRank to);
  void hold_bodies(TransportRank from, TransportRank to);
  void release_bodies(TransportRank from, TransportRank to);

  // Since the start, whether they have arrived or not.
  std::uint64_t messages(TransportRank from, TransportRank to) const;
  std::uint64_t bodies(TransportRank from, TransportRank to) const;
  std::uint64_t body_bytes(TransportRank from, TransportRank to) const;
  // Of those that have arrived, the ones that the kernel would copy slowly.

  // Nothing is on its way, nothing sent lacks a receive, nothing received lacks a send.
  bool drained() const;

 private:
  friend class LoopbackEndpoint;
  LoopbackEndpoint& at(TransportRank rank) const;

  const std::size_t eager_limit_bytes_;
  std::vector<std::unique_ptr<LoopbackEndpoint>> endpoints_;
};

}  // namespace comex::transport
