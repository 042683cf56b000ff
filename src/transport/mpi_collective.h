// The Collective over an MPI communicator. The caller's communicator must be a duplicate and be freed after
// this object; the object made by among() owns its own. All calls are PMPI_*; waits yield, but for that of
// the split in among().
#pragma once

#include <mpi.h>

#include "transport/collective.h"
#include "transport/mpi_check.h"

namespace comex::transport {

class MpiCollective final : public Collective {
 public:
  MpiCollective(MPI_Comm wire, MpiFailureHandler on_failure);
  ~MpiCollective() override;
  MpiCollective(const MpiCollective&) = delete;
  MpiCollective& operator=(const MpiCollective&) = delete;

  TransportRank rank() const override { return rank_; }
  TransportRank size() const override { return size_; }
  void barrier() override;
  void broadcast(std::span<std::byte> bytes, TransportRank root) override;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void all_gather_parts(std::span<const std::byte> mine, std::span<std::byte> all,
                        std::span<const std::size_t> sizes) override;
  std::uint64_t all_min(std::uint64_t mine) override;
  std::unique_ptr<Collective> among(int number) override;

 private:
  MpiCollective(MPI_Comm wire, const MpiCheck& check, bool is_own);
  void finish(MPI_Request request);

  const MPI_Comm wire_;
  const MpiCheck check_;
  const bool is_own_;
  TransportRank rank_ = no_rank;
  TransportRank size_ = 0;
};

}  // namespace comex::transport
