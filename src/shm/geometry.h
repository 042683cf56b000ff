// Computes where everything lies in an arena, from the number of ranks of the host and the reserved size.
//
//   0        header | slot blocks | boards | stripes | directory | spans (below)
//   records  one per extent, sparse, committed in steps before first touched
//   table    page -> record, sparse, committed in steps before first touched
//   data     extents, to the end of the reservation
//
// A span is 2 MiB of data. Its entry names the extents that reach into it from the span before, or to its
// end; their pages need no entries in the table.
#pragma once

#include <cstdint>
#include <vector>

#include "core/status.h"
#include "shm/os.h"

namespace comex::shm {

inline constexpr std::uint64_t page_bytes = 4096;
inline constexpr std::uint64_t span_bytes = 2ULL << 20;
inline constexpr std::uint64_t slot_block_bytes = 256;
inline constexpr std::uint32_t stripe_count = 4096;
inline constexpr std::uint64_t stripe_block_bytes = 16 * 1024;
// A lock word identifies its holder in 16 bits. Slots above those of the host's own ranks are for guests:
// processes of other worlds, which have locks and a life there, but no slot block and no board.
inline constexpr std::uint32_t most_slots = 0xfffe;

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

inline constexpr std::uint64_t span_pages = span_bytes / page_bytes;

// The entry of a span, as one word: the records of the two extents, and how many of its pages each has.
class SpanEntry {
 public:
  explicit constexpr SpanEntry(std::uint64_t word = 0) : word_(word) {}
  constexpr std::uint64_t word() const { return word_; }
  constexpr std::uint64_t at_begin() const { return word_ >> 12 & record_mask; }
  constexpr std::uint64_t at_end() const { return word_ >> 44; }
  constexpr std::uint64_t pages_at_begin() const { return word_ & pages_mask; }
  constexpr std::uint64_t pages_at_end() const { return word_ >> 32 & pages_mask; }
  constexpr SpanEntry with_begin(std::uint64_t record, std::uint64_t pages) const {
    return SpanEntry((word_ & ~half_mask) | record << 12 | pages);
  }
  constexpr SpanEntry with_end(std::uint64_t record, std::uint64_t pages) const {
    return SpanEntry((word_ & half_mask) | record << 44 | pages << 32);
  }

 private:
  static constexpr std::uint64_t pages_mask = 0xfff;
  static constexpr std::uint64_t record_mask = 0xfffff;
  static constexpr std::uint64_t half_mask = 0xffffffff;
  std::uint64_t word_;
};
inline constexpr std::uint32_t most_records = 1u << 20;  // a SpanEntry has 20 bits for one

struct GeometryOptions {
  std::uint32_t slots = 1;              // ranks on this host, workers and progress ranks
  std::uint32_t servers = 0;            // how many of these are progress ranks
  std::uint64_t board_bytes = 4096;     // zero-filled memory per slot for other folders, see Arena::board
  std::uint64_t reservation_bytes = 0;  // address space of the arena; 0 = default_reservation
  std::uint64_t directory_bytes = 0;    // zero-filled memory per host for the directory of the world
  std::uint32_t activity_offset = 0;    // where in each board its activity::Block lies; for those who watch
};

// A trivially copyable value that travels in the ticket.
struct Geometry {
  std::uint32_t slots = 0;
  std::uint32_t servers = 0;
  std::uint32_t max_records = 0;
  std::uint32_t activity_offset = 0;
  std::uint64_t reservation_bytes = 0;
  std::uint64_t slots_offset = 0;
  std::uint64_t boards_offset = 0;
  std::uint64_t board_bytes = 0;
  std::uint64_t stripes_offset = 0;
  std::uint64_t directory_offset = 0;
  std::uint64_t spans_offset = 0;
  std::uint64_t fixed_bytes = 0;  // what is committed at creation, from offset 0
  std::uint64_t records_offset = 0;
  std::uint64_t table_offset = 0;
  std::uint64_t data_offset = 0;
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

// Returns min(2 x RAM, three quarters of what RLIMIT_AS leaves), in whole MiB.
std::uint64_t default_reservation(const MemoryLimits& limits);

Result<Geometry> decide_geometry(const GeometryOptions& options, const MemoryLimits& limits);

// Returns the attempt-th address to try for a world whose random slot is `seed`; 0 when there is none.
std::uint64_t address_candidate(std::uint64_t seed, std::uint32_t attempt, std::uint64_t reservation_bytes,
                                const std::vector<AddressRange>& ranges);

}  // namespace comex::shm
