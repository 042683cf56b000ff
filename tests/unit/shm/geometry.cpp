#include "shm/geometry.h"

#include "support.h"

namespace comex::shm {
namespace {

constexpr std::uint64_t gib = 1ULL << 30;

MemoryLimits plenty() {
  MemoryLimits limits;
  limits.bytes = 8 * gib;
  limits.ram_bytes = 16 * gib;
  return limits;
}

TEST(Geometry, reserves_twice_the_memory) {
  EXPECT_EQ(default_reservation(plenty()), 32 * gib);
}

TEST(Geometry, leaves_the_program_a_quarter_of_a_limited_address_space) {
  MemoryLimits limits = plenty();
  limits.address_space_bytes = 4 * gib;
  EXPECT_EQ(default_reservation(limits), 3 * gib);
}

TEST(Geometry, lays_its_areas_side_by_side) {
  for (const std::uint32_t slots : {1u, 2u, 3u, 128u, 1024u}) {
    const Geometry g = decide_geometry({slots, 1, 100, 0, 5000}, plenty()).value();
    EXPECT_EQ(g.board_bytes, 128u);
    EXPECT_GE(g.boards_offset, g.slots_offset + slots * slot_block_bytes);
    EXPECT_GE(g.stripes_offset, g.boards_offset + slots * g.board_bytes);
    EXPECT_GE(g.directory_offset, g.stripes_offset + stripe_count * 64ULL);
    EXPECT_EQ(g.directory_offset % page_bytes, 0u);
    EXPECT_GE(g.fixed_bytes, g.directory_offset + 5000);
    EXPECT_GE(g.table_offset, g.records_offset + g.max_records * 64ULL);
    EXPECT_GE(g.data_offset, g.table_offset + (g.reservation_bytes - g.data_offset) / page_bytes * 4);
    EXPECT_EQ(g.data_offset % page_bytes, 0u);
    EXPECT_LT(g.data_offset, g.reservation_bytes);
  }
}

TEST(Geometry, refuses_a_reservation_that_cannot_be) {
  MemoryLimits limits = plenty();
  limits.address_space_bytes = gib;
  EXPECT_FALSE(decide_geometry({1, 0, 0, 2 * gib}, limits));
  const Result<Geometry> tiny = decide_geometry({1, 0, 0, 1 << 20}, limits);
  ASSERT_FALSE(tiny);
  const std::string& text = tiny.failure().text;
  const std::string needs = "needs at least ";
  ASSERT_NE(text.find(needs), std::string::npos) << text;
  const std::uint64_t least = std::stoull(text.substr(text.find(needs) + needs.size()));
  EXPECT_GT(least, 1u << 20);
  EXPECT_FALSE(decide_geometry({0, 0, 0, gib}, limits));
  EXPECT_FALSE(decide_geometry({70000, 0, 0, gib}, limits));
}

TEST(Geometry, proposes_addresses_inside_the_ranges) {
  const std::vector<AddressRange> ranges = {{16 * gib, 20 * gib}, {64 * gib, 128 * gib}};
  for (std::uint32_t attempt = 0; attempt < 100; ++attempt) {
    const std::uint64_t small = address_candidate(42, attempt, 2 * gib, ranges);
    const bool is_inside = (small >= 16 * gib && small + 2 * gib <= 20 * gib) ||
                           (small >= 64 * gib && small + 2 * gib <= 128 * gib);
    EXPECT_TRUE(is_inside) << small;
    EXPECT_GE(address_candidate(42, attempt, 32 * gib, ranges), 64 * gib);
  }
  EXPECT_NE(address_candidate(1, 0, gib, ranges), address_candidate(2, 0, gib, ranges));
  EXPECT_EQ(address_candidate(1, 0, 128 * gib, ranges), 0u);
}

TEST(SpanEntry, keeps_its_two_halves_apart) {
  constexpr std::uint64_t last_record = most_records - 1;
  const SpanEntry none;
  EXPECT_EQ(none.pages_at_begin() + none.pages_at_end(), 0u);
  const SpanEntry both = none.with_begin(last_record, span_pages - 1).with_end(7, 1);
  EXPECT_EQ(both.at_begin(), last_record);
  EXPECT_EQ(both.pages_at_begin(), span_pages - 1);
  EXPECT_EQ(both.at_end(), 7u);
  EXPECT_EQ(both.pages_at_end(), 1u);
  const SpanEntry other = both.with_end(last_record, span_pages).with_begin(0, 0);
  EXPECT_EQ(other.at_begin() + other.pages_at_begin(), 0u);
  EXPECT_EQ(other.at_end(), last_record);
  EXPECT_EQ(other.pages_at_end(), span_pages);
}

}  // namespace
}  // namespace comex::shm
