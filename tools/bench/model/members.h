// What classes and source files of the runtime keep to themselves, a second time: structs of the same
// members.
//
// Only their sizes count. They are copies because the originals are private, or stand among what needs MPI.
// Used by comex_bench_model; same_sizes.cpp holds those that a header shows against the originals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace comex::model {

using AllocationKey = std::pair<std::uint64_t, std::uint32_t>;  // of runtime::Allocations
using RankNumber = int;                                         // of runtime::find_host: the lowest of a host
using Maximum = std::uint64_t;                                  // of runtime::Runtime::all_max

struct HostRow {  // of runtime::open_directory
  char name[64];
  std::uint64_t base;
};
using NodeRank = std::int32_t;  // of groups::Directory

constexpr double board_bytes = 4096;  // runtime::board_layout_bytes: what a board holds besides its outbox

struct GroupExtras {  // of runtime::Runtime
  void *comm, *failures, *collective;
  std::uint64_t next_allocation;
};
constexpr double answers = 256;       // of a batch, when it is full of gets
constexpr double few_entries = 512;   // that vectors and nb::SlotTable keep room for
constexpr double few_buckets = 2048;  // that hash tables keep
template <std::size_t bytes>
struct alignas(void*) EntryBytes {  // of what only tells its size
  std::byte entry[bytes];
};

}  // namespace comex::model
