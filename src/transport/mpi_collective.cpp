#include "transport/mpi_collective.h"

#include <algorithm>
#include <climits>

namespace comex::transport {

MpiCollective::MpiCollective(MPI_Comm wire, MpiFailureHandler on_failure)
    : wire_(wire), check_(std::move(on_failure)) {
  check_.let_errors_return(wire_);
  check_(PMPI_Comm_rank(wire_, &rank_), "MPI_Comm_rank");
  check_(PMPI_Comm_size(wire_, &size_), "MPI_Comm_size");
}

void MpiCollective::barrier() {
  check_(PMPI_Barrier(wire_), "MPI_Barrier");
}

void MpiCollective::broadcast(std::span<std::byte> bytes, TransportRank root) {
  COMEX_BUG_IF(root < 0 || root >= size_);
  constexpr std::size_t piece_bytes = std::size_t{1} << 30;  // MPI counts are int
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), piece_bytes));
    check_(PMPI_Bcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, root, wire_), "MPI_Bcast");
    bytes = bytes.subspan(piece.size());
  }
}

void MpiCollective::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  COMEX_BUG_IF(mine.size() > INT_MAX || all.size() != mine.size() * static_cast<std::size_t>(size_));
  const int bytes = static_cast<int>(mine.size());
  check_(PMPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, wire_), "MPI_Allgather");
}

bool MpiCollective::all_agree(bool mine) {
  const int yes = mine ? 1 : 0;
  int all = 0;
  check_(PMPI_Allreduce(&yes, &all, 1, MPI_INT, MPI_MIN, wire_), "MPI_Allreduce");
  return all == 1;
}

}  // namespace comex::transport
