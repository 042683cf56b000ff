#include "shm/geometry.h"

#include <algorithm>
#include <string>

#include "shm/arena_layout.h"

namespace comex::shm {

namespace {

constexpr std::uint64_t mebibyte = 1ULL << 20;
constexpr std::uint64_t largest_reservation = 1ULL << 44;  // the page table counts pages in 32 bits
constexpr std::uint64_t slot_unit = 1ULL << 30;
constexpr std::uint64_t stride = 0x9e3779b97f4a7c15;  // spreads the attempts over all places

}  // namespace

std::uint64_t default_reservation(const MemoryLimits& limits) {
  const std::uint64_t ram = limits.ram_bytes == 0 ? limits.bytes / 2 : limits.ram_bytes;
  const std::uint64_t bytes = std::min({2 * ram, limits.address_space_bytes / 4 * 3, largest_reservation});
  return bytes / mebibyte * mebibyte;
}

Result<Geometry> decide_geometry(const GeometryOptions& options, const MemoryLimits& limits) {
  if (options.slots == 0 || options.slots > most_slots) {
    return environment_error("an arena serves 1 to " + std::to_string(most_slots) + " ranks of a host, not " +
                             std::to_string(options.slots));
  }
  Geometry geometry;
  geometry.slots = options.slots;
  geometry.servers = options.servers;
  geometry.activity_offset = options.activity_offset;
  geometry.board_bytes = round_up(options.board_bytes, 64);
  geometry.reservation_bytes = options.reservation_bytes == 0 ? default_reservation(limits)
                                                              : round_up(options.reservation_bytes, mebibyte);
  if (geometry.reservation_bytes > std::min(largest_reservation, limits.address_space_bytes)) {
    return environment_error("an arena of " + std::to_string(geometry.reservation_bytes) +
                             " bytes is more than the " +
                             std::to_string(std::min(largest_reservation, limits.address_space_bytes)) +
                             " that can be reserved (COMEX_ARENA_RESERVE, ulimit -v)");
  }
  const std::uint64_t pages = geometry.reservation_bytes / page_bytes;
  geometry.max_records = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(pages, 64, most_records));
  geometry.slots_offset = page_bytes;
  geometry.boards_offset = geometry.slots_offset + options.slots * slot_block_bytes;
  geometry.stripes_offset =
      round_up(geometry.boards_offset + options.slots * geometry.board_bytes, page_bytes);
  geometry.directory_offset =
      round_up(geometry.stripes_offset + stripe_count * sizeof(StripeWord), page_bytes);
  geometry.spans_offset = round_up(geometry.directory_offset + options.directory_bytes, page_bytes);
  const std::uint64_t spans = geometry.reservation_bytes / span_bytes + 1;
  geometry.fixed_bytes = round_up(geometry.spans_offset + spans * sizeof(SpanEntry), page_bytes);
  geometry.records_offset = geometry.fixed_bytes;
  geometry.table_offset =
      round_up(geometry.records_offset + geometry.max_records * sizeof(ExtentRecord), page_bytes);
  // The table is committed in chunks, so its last chunk must be whole.
  geometry.data_offset = geometry.table_offset + round_up(pages * sizeof(std::uint32_t), commit_chunk_bytes);
  if (geometry.data_offset + mebibyte > geometry.reservation_bytes) {
    return environment_error("an arena of " + std::to_string(geometry.reservation_bytes) +
                             " bytes is too small: it needs at least " +
                             std::to_string(geometry.data_offset + mebibyte) +
                             " (COMEX_ARENA_RESERVE, ulimit -v)");
  }
  return geometry;
}

std::uint64_t address_candidate(std::uint64_t seed, std::uint32_t attempt, std::uint64_t reservation_bytes,
                                const std::vector<AddressRange>& ranges) {
  std::uint64_t fitting = 0;
  for (const AddressRange& range : ranges) fitting += range.high - range.low >= reservation_bytes ? 1 : 0;
  if (fitting == 0) return 0;
  std::uint64_t skip = attempt % fitting;
  for (const AddressRange& range : ranges) {
    if (range.high - range.low < reservation_bytes || skip-- != 0) continue;
    const std::uint64_t places = (range.high - range.low - reservation_bytes) / slot_unit + 1;
    return range.low + (seed + attempt * stride) % places * slot_unit;
  }
  return 0;
}

}  // namespace comex::shm
