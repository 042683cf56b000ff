// Collective over an MPI communicator; the caller's, dup'ed, freed after it. All calls are PMPI_*.
#pragma once

#include <mpi.h>

#include "transport/collective.h"
#include "transport/mpi_check.h"

namespace comex::transport {

class MpiCollective final : public Collective {
 public:
  MpiCollective(MPI_Comm wire, MpiFailureHandler on_failure);

  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return size_; }
  void barrier() override;
  void broadcast(std::span<std::byte> bytes, TransportRank root) override;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  bool all_agree(bool mine) override;

 private:
  const MPI_Comm wire_;
  const MpiCheck check_;
  TransportRank rank_ = no_rank;
  TransportRank size_ = 0;
};

}  // namespace comex::transport
