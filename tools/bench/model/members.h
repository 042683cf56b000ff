// What classes and source files of the runtime keep to themselves, a second time: structs of the same
// members.
//
// Only their sizes count. They are copies because the originals are private, or stand among what needs MPI.
// Used by comex_bench_model.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/ids.h"
#include "nb/completion.h"

namespace comex::model {

using AllocationKey = std::pair<std::uint64_t, std::uint32_t>;  // of api::Allocations
using RankNumber = int;                                         // of api::find_host: the lowest of a host
using Maximum = std::uint64_t;                                  // of api::Runtime::all_max

struct RankSays {  // of api::open_directory
  std::uint64_t base;
  std::int32_t app, node_rank;
};
constexpr double said_at_once = 4 << 20;
struct GroupExtras {  // of api::Runtime
  void *comm, *collective;
  std::uint64_t next_allocation;
};
struct ListedMember {  // of groups::ConnectionTable: in both of its vectors
  Lpid by_rank;
  std::pair<Lpid, std::uint32_t> sorted;
};
struct HandleSlot {  // of nb::HandleTable
  std::atomic<std::uint32_t> generation;
  nb::Completion completion;
};
struct LedgerServer {  // of nb::FenceLedger
  TransportRank rank;
  bool listed;
  std::uint64_t unsent, issued, applied, blurred;
};
struct LedgerTarget {
  TransportRank server;
  std::uint32_t unsent;
  std::uint64_t last;
};
constexpr double staging_buffers = 128;  // of op::Remote
constexpr double kept_addresses = 128;   // of a vector operation, in each pooled request
constexpr double answers = 256;          // of a batch, when it is full of gets
constexpr double few_entries = 512;      // that vectors and nb::SlotTable keep room for
constexpr double few_buckets = 2048;     // that hash tables keep
template <std::size_t bytes>
struct alignas(void*) EntryBytes {  // of nb::ImplicitSet
  std::byte entry[bytes];
};

}  // namespace comex::model
