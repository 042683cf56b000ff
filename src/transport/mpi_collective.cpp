#include "transport/mpi_collective.h"

#include <algorithm>
#include <climits>
#include <thread>
#include <vector>

namespace comex::transport {

MpiCollective::MpiCollective(MPI_Comm wire, MpiFailureHandler on_failure)
    : MpiCollective(wire, MpiCheck(std::move(on_failure)), false) {}

MpiCollective::MpiCollective(MPI_Comm wire, const MpiCheck& check, bool is_own)
    : wire_(wire), check_(check), is_own_(is_own) {
  check_.let_errors_return(wire_);
  check_(PMPI_Comm_rank(wire_, &rank_), "MPI_Comm_rank");
  check_(PMPI_Comm_size(wire_, &size_), "MPI_Comm_size");
}

MpiCollective::~MpiCollective() {
  MPI_Comm own = is_own_ ? wire_ : MPI_COMM_NULL;
  if (own != MPI_COMM_NULL) PMPI_Comm_free(&own);
}

// Some MPI libraries never yield while they wait, which costs a time slice for each rank that has no core.
void MpiCollective::finish(MPI_Request request) {
  constexpr int polls_before_yields = 1000;
  int complete = 0;
  int polls = 0;
  for (;;) {
    check_(PMPI_Test(&request, &complete, MPI_STATUS_IGNORE), "MPI_Test");
    if (complete != 0) return;
    if (polls == polls_before_yields) {
      std::this_thread::yield();
    } else {
      ++polls;
    }
  }
}

void MpiCollective::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  check_(PMPI_Ibarrier(wire_, &request), "MPI_Ibarrier");
  finish(request);
}

void MpiCollective::broadcast(std::span<std::byte> bytes, TransportRank root) {
  COMEX_BUG_IF(root < 0 || root >= size_);
  constexpr std::size_t piece_bytes = std::size_t{1} << 30;  // MPI counts are int
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), piece_bytes));
    MPI_Request request = MPI_REQUEST_NULL;
    check_(PMPI_Ibcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, root, wire_, &request),
           "MPI_Ibcast");
    finish(request);
    bytes = bytes.subspan(piece.size());
  }
}

void MpiCollective::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  COMEX_BUG_IF(mine.size() > INT_MAX || all.size() != mine.size() * static_cast<std::size_t>(size_));
  const int bytes = static_cast<int>(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_(PMPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, wire_, &request),
         "MPI_Iallgather");
  finish(request);
}

void MpiCollective::all_gather_parts(std::span<const std::byte> mine, std::span<std::byte> all,
                                     std::span<const std::size_t> sizes) {
  COMEX_BUG_IF(sizes.size() != static_cast<std::size_t>(size_) || all.size() > INT_MAX);
  COMEX_BUG_IF(sizes[static_cast<std::size_t>(rank_)] != mine.size());
  std::vector<int> counts;
  std::vector<int> begins;
  std::size_t begin = 0;
  for (const std::size_t bytes : sizes) {
    counts.push_back(static_cast<int>(bytes));
    begins.push_back(static_cast<int>(begin));
    begin += bytes;
    COMEX_BUG_IF(begin > all.size());
  }
  COMEX_BUG_IF(begin != all.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_(PMPI_Iallgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(), counts.data(),
                          begins.data(), MPI_BYTE, wire_, &request),
         "MPI_Iallgatherv");
  finish(request);
}

// Some MPI libraries compare unsigned numbers as if they were signed. With the highest bit turned, the order
// of signed numbers is that of the unsigned ones.
std::uint64_t MpiCollective::all_min(std::uint64_t mine) {
  constexpr std::uint64_t highest_bit = std::uint64_t{1} << 63;
  const auto turned = static_cast<std::int64_t>(mine ^ highest_bit);
  std::int64_t least = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_(PMPI_Iallreduce(&turned, &least, 1, MPI_INT64_T, MPI_MIN, wire_, &request), "MPI_Iallreduce");
  finish(request);
  return static_cast<std::uint64_t>(least) ^ highest_bit;
}

std::unique_ptr<Collective> MpiCollective::among(int number) {
  MPI_Comm part = MPI_COMM_NULL;
  const int color = number < 0 ? MPI_UNDEFINED : number;
  check_(PMPI_Comm_split(wire_, color, rank_, &part), "MPI_Comm_split");
  if (part == MPI_COMM_NULL) return nullptr;
  return std::unique_ptr<Collective>(new MpiCollective(part, check_, true));
}

}  // namespace comex::transport
