// Which eager limit a wire goes by, and whether messages travel in bundles.
#include "runtime/opening/eager.h"

#include <gtest/gtest.h>

#include "core/pieces.h"

namespace comex::runtime {
namespace {

constexpr mpi::EagerBytes eager_sizes{4032, 65472};

TEST(Eager, is_what_mpi_tells_of_where_the_wire_reaches) {
  EXPECT_EQ(eager_bytes(-1, eager_sizes, false), 4032u);
  EXPECT_EQ(eager_bytes(-1, eager_sizes, true), 65472u);
  EXPECT_EQ(eager_bytes(-1, {}, true), 0u);
}

TEST(Eager, can_be_lowered_and_never_raised) {
  EXPECT_EQ(eager_bytes(2000, eager_sizes, false), 2000u);
  EXPECT_EQ(eager_bytes(2007, eager_sizes, true), 2000u) << "whole elements";
  EXPECT_EQ(eager_bytes(16384, eager_sizes, false), 4032u);
  EXPECT_EQ(eager_bytes(0, eager_sizes, true), 0u);
}

TEST(Eager, can_be_set_where_mpi_does_not_tell) {
  EXPECT_EQ(eager_bytes(16384, {}, true), 16384u);
  EXPECT_EQ(eager_bytes(std::int64_t{1} << 40, {}, true), 1u << 20);
}

op::Sizes sizes_of(TransportRank ranks, std::uint32_t eager) {
  op::Sizes sizes = op::sizes_on_wire(256 * 1024, ranks, default_staging_reserve);
  sizes.eager_bytes = eager;
  return sizes;
}

TEST(Bundles, are_taken_where_a_wire_spans_machines) {
  EXPECT_TRUE(bundles_on_wire(sizes_of(8, 65472), eager_sizes, true, true).are_taken);
  EXPECT_FALSE(bundles_on_wire(sizes_of(8, 65472), eager_sizes, false, true).are_taken);
  EXPECT_TRUE(bundles_on_wire(sizes_of(8, 0), eager_sizes, true, true).are_taken) << "others may send them";
}

TEST(Bundles, are_sent_where_mpi_sends_them_unasked) {
  EXPECT_TRUE(bundles_on_wire(sizes_of(8, 65472), eager_sizes, true, true).are_sent);
  EXPECT_TRUE(bundles_on_wire(sizes_of(8, protocol::bundle_bytes), eager_sizes, true, true).are_sent);
  EXPECT_FALSE(bundles_on_wire(sizes_of(8, protocol::bundle_bytes - 1), eager_sizes, true, true).are_sent);
  EXPECT_FALSE(bundles_on_wire(sizes_of(8, 0), eager_sizes, true, true).are_sent)
      << "COMEX_EAGER_THRESHOLD=0, or not known";
}

TEST(Bundles, are_not_sent_because_somebody_says_so) {
  EXPECT_FALSE(bundles_on_wire(sizes_of(8, 65472), {}, true, true).are_sent);
  EXPECT_FALSE(bundles_on_wire(sizes_of(8, 65472), {4032, 8192}, true, true).are_sent);
}

TEST(Bundles, are_answered_together_by_who_never_returns_to_a_program) {
  EXPECT_FALSE(bundles_on_wire(sizes_of(8, 65472), eager_sizes, true, true).are_answered);
  EXPECT_TRUE(bundles_on_wire(sizes_of(8, 65472), eager_sizes, true, false).are_answered);
}

TEST(Bundles, take_no_room_in_vast_jobs) {
  EXPECT_FALSE(bundles_on_wire(sizes_of(1 << 20, 65472), eager_sizes, true, true).are_taken);
}

}  // namespace
}  // namespace comex::runtime
