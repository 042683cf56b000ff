#include "op/plan.h"

#include <gtest/gtest.h>

#include <ostream>

#include "core/pieces.h"

namespace comex::op {
namespace {

using protocol::Layout;

struct Row {
  const char* name;
  Action action;
  Scalar scalar;
  std::uint64_t bytes;
  bool has_chunks;
};
std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

class PlanContiguous : public ::testing::TestWithParam<Row> {};

TEST_P(PlanContiguous, goes_inline_while_it_fits_a_message) {
  const Row& row = GetParam();
  const Sizes sizes;
  const Plan plan = plan_contiguous(row.action, row.scalar, row.bytes, sizes);
  EXPECT_EQ(plan.header.bytes, row.bytes);
  EXPECT_EQ(has_chunks(plan.header), row.has_chunks);
}
INSTANTIATE_TEST_SUITE_P(Sizes, PlanContiguous,
                         ::testing::Values(Row{"put 1", Action::put, Scalar::none, 1, false},
                                           Row{"put largest inline", Action::put, Scalar::none, 3920, false},
                                           Row{"put one more", Action::put, Scalar::none, 3921, true},
                                           Row{"acc largest inline", Action::acc, Scalar::float64, 3904,
                                               false},
                                           Row{"acc one more", Action::acc, Scalar::float64, 3912, true},
                                           Row{"get largest inline", Action::get, Scalar::none, 3944, false},
                                           Row{"get one more", Action::get, Scalar::none, 3945, true},
                                           Row{"put of 5 GiB", Action::put, Scalar::none, 5ULL << 30, true}));

TEST(Plan, nothing_to_do_sends_nothing) {
  EXPECT_EQ(plan_contiguous(Action::put, Scalar::none, 0, {}).header.bytes, 0u);
  Operation vector;
  vector.layout = Layout::vector;
  EXPECT_EQ(make_plan(vector, {}).header.bytes, 0u);
}

Operation strided(Action action, std::uint64_t run, std::uint64_t rows) {
  Operation operation;
  operation.action = action;
  operation.layout = Layout::strided;
  operation.patch.levels = 1;
  operation.patch.counts[0] = run;
  operation.patch.counts[1] = rows;
  operation.patch.near_strides[0] = operation.patch.far_strides[0] = static_cast<std::int64_t>(2 * run);
  return operation;
}

TEST(Plan, strided_carries_its_descriptor_and_its_data_while_they_fit) {
  constexpr std::uint64_t descriptor = 8 + 16 + 8;
  const Plan fits = make_plan(strided(Action::put, 16, (3920 - descriptor) / 16), {});
  EXPECT_FALSE(has_chunks(fits.header));
  EXPECT_EQ(fits.descriptor_bytes, descriptor);
  EXPECT_NE(fits.header.flags & protocol::body_inline, 0);
  const Plan large = make_plan(strided(Action::put, 16, (3920 - descriptor) / 16 + 1), {});
  EXPECT_TRUE(has_chunks(large.header));
  EXPECT_EQ(large.header.flags & protocol::body_inline, 0);
  EXPECT_FALSE(has_chunks(make_plan(strided(Action::get, 8, 493), {}).header));
  EXPECT_TRUE(has_chunks(make_plan(strided(Action::get, 8, 494), {}).header));
}

TEST(Plan, a_strided_operation_of_one_run_is_contiguous) {
  Operation operation = strided(Action::put, 100000, 1);
  operation.patch = contiguous_patch(100000);
  const Plan plan = make_plan(operation, {});
  EXPECT_TRUE(has_chunks(plan.header));
  EXPECT_EQ(plan.header.layout, Layout::contiguous);
}

Plan vector_plan(Action action, std::uint64_t bytes, std::uint64_t count, Scalar scalar = Scalar::none,
                 const Sizes& sizes = {}) {
  Operation operation;
  operation.action = action;
  operation.layout = Layout::vector;
  operation.scalar = scalar;
  operation.scatter.bytes = bytes;
  operation.scatter.count = count;
  return make_plan(operation, sizes);
}

TEST(Plan, vectors_are_split_by_the_size_of_their_segments) {
  const auto has_data_inside = [](std::uint64_t bytes, std::uint64_t count) {
    const Plan plan = vector_plan(Action::put, bytes, count);
    EXPECT_EQ(plan.header.layout, Layout::vector);
    return !has_chunks(plan.header);
  };
  EXPECT_TRUE(has_data_inside(1000, 3)) << "fits one message";
  EXPECT_TRUE(has_data_inside(8, 10000)) << "small segments";
  EXPECT_FALSE(has_data_inside(1000, 100));
  EXPECT_FALSE(has_data_inside(2048, 100));
  const Plan large = vector_plan(Action::get, 2049, 100);
  EXPECT_EQ(large.segments_per_message, 1u);
  EXPECT_EQ(large.header.layout, Layout::contiguous);
  EXPECT_EQ(large.header.bytes, 2049u);
}

TEST(Plan, no_message_of_a_vector_is_too_long) {
  const Sizes sizes;
  for (const Action action : {Action::put, Action::get, Action::acc}) {
    for (std::uint64_t bytes = 8; bytes <= 2048; bytes += 8) {
      const Plan plan = vector_plan(action, bytes, 5000, Scalar::float64);
      const std::uint64_t n = plan.segments_per_message;
      ASSERT_GE(n, 1u);
      const bool inside = (plan.header.flags & protocol::body_inline) != 0;
      ASSERT_LE(sizeof(protocol::RequestHeader) + plan.descriptor_bytes + 8 * n + (inside ? n * bytes : 0),
                sizes.message_bytes);
      const bool is_small = bytes <= 128;
      if (action == Action::get && is_small) {
        ASSERT_LE(n * bytes, protocol::reply_data_bytes);
      }
      ASSERT_EQ(inside, action != Action::get && is_small);
    }
  }
}

Sizes sizes_with_piece(std::uint32_t piece) {
  Sizes sizes;
  sizes.chunk_bytes = 64 * 1024;
  sizes.piece_bytes = piece;
  sizes.message_bytes = message_limit(piece);
  return sizes;
}

TEST(Plan, what_the_server_has_to_stage_travels_in_pieces_and_the_rest_in_chunks) {
  const Sizes sizes = sizes_with_piece(8192);
  const auto contiguous = [&](Action action) {
    return plan_contiguous(action, Scalar::float64, 1 << 20, sizes).header.chunk_bytes;
  };
  EXPECT_EQ(contiguous(Action::put), 64u * 1024);
  EXPECT_EQ(contiguous(Action::get), 64u * 1024);
  EXPECT_EQ(contiguous(Action::acc), 8192u);
  Operation column = strided(Action::put, 1024, 100);
  EXPECT_EQ(make_plan(column, sizes).header.chunk_bytes, 8192u);
  column.patch.far_strides[0] = 1024;
  EXPECT_EQ(make_plan(column, sizes).header.chunk_bytes, 64u * 1024) << "packed at the target";
  column.action = Action::get;
  EXPECT_EQ(make_plan(column, sizes).header.chunk_bytes, 64u * 1024);
  column.action = Action::acc;
  EXPECT_EQ(make_plan(column, sizes).header.chunk_bytes, 8192u);
  EXPECT_EQ(vector_plan(Action::put, 1000, 5000, Scalar::none, sizes).header.chunk_bytes, 8192u);
  EXPECT_EQ(vector_plan(Action::put, 3000, 5000, Scalar::none, sizes).header.chunk_bytes, 64u * 1024);
}

TEST(Plan, a_body_that_four_eager_messages_can_carry_is_cut_into_equal_ones) {
  Sizes sizes = sizes_with_piece(16 * 1024);
  sizes.eager_bytes = 4032;
  for (const Action action : {Action::put, Action::get, Action::acc}) {
    const std::uint32_t most = action == Action::acc ? 16 * 1024 : 64 * 1024;
    for (std::uint64_t bytes = 16; bytes <= 20000; bytes += 8) {
      const std::uint64_t chunk = plan_contiguous(action, Scalar::float64, bytes, sizes).header.chunk_bytes;
      if (bytes <= 4032 || bytes > 4 * 4032) {
        ASSERT_EQ(chunk, most) << bytes;
        continue;
      }
      const std::uint64_t messages = (bytes + 4031) / 4032;
      ASSERT_EQ((bytes + chunk - 1) / chunk, messages) << bytes;
      ASSERT_LE(chunk, 4032u) << bytes;
      ASSERT_EQ(chunk % 16, 0u) << bytes;
      ASSERT_LT(chunk * messages - bytes, 16 * messages) << bytes;
    }
  }
  Operation column = strided(Action::put, 80, 100);
  EXPECT_EQ(make_plan(column, sizes).header.chunk_bytes, 4000u);
  EXPECT_EQ(vector_plan(Action::put, 1000, 8, Scalar::none, sizes).header.chunk_bytes, 4000u);
}

TEST(Plan, pieces_that_miss_the_eager_limit_by_an_envelope_keep_it) {
  Sizes sizes;
  sizes.piece_bytes = 65536;  // in a job of some 4,000
  sizes.eager_bytes = 65472;  // TCP's, less the envelope
  const Plan acc = plan_contiguous(Action::acc, Scalar::float64, 1 << 20, sizes);
  EXPECT_EQ(acc.header.chunk_bytes, 65472u);
  EXPECT_EQ(plan_contiguous(Action::put, Scalar::none, 1 << 20, sizes).header.chunk_bytes, 256u * 1024);
}

TEST(Plan, pieces_shorter_than_an_eager_message_and_unknown_limits_cut_nothing) {
  for (const std::uint32_t eager : {0u, 8192u, 16384u}) {
    Sizes sizes = sizes_with_piece(8192);
    sizes.eager_bytes = eager;
    EXPECT_EQ(plan_contiguous(Action::acc, Scalar::float64, 30000, sizes).header.chunk_bytes, 8192u);
  }
  Sizes sizes = sizes_with_piece(smallest_piece);
  sizes.eager_bytes = 4032;
  EXPECT_EQ(plan_contiguous(Action::acc, Scalar::float64, 8000, sizes).header.chunk_bytes, smallest_piece);
}

TEST(Plan, offsets_leave_no_room_for_a_short_chunk_that_has_its_own) {
  Sizes sizes = sizes_with_piece(64 * 1024);
  const Plan whole = vector_plan(Action::put, 136, 30, Scalar::none, sizes);
  sizes.eager_bytes = 4032;
  const Plan cut = vector_plan(Action::put, 136, 30, Scalar::none, sizes);
  ASSERT_TRUE(has_chunks(cut.header));
  EXPECT_EQ(cut.header.chunk_bytes, 2048u);
  EXPECT_EQ(cut.segments_per_message, whole.segments_per_message);
}

TEST(Plan, the_least_piece_has_room_beside_its_message) {
  const Sizes sizes = sizes_with_piece(smallest_piece);
  for (const Action action : {Action::put, Action::get, Action::acc}) {
    for (std::uint64_t bytes = 136; bytes <= 2048; bytes += 8) {
      const Plan plan = vector_plan(action, bytes, 5000, Scalar::float64, sizes);
      const std::uint64_t n = plan.segments_per_message;
      ASSERT_GE(n, 30u);
      ASSERT_LE(sizeof(protocol::RequestHeader) + plan.descriptor_bytes + 8 * n + smallest_piece,
                sizes.message_bytes);
    }
  }
}

TEST(Plan, sizes_are_those_of_the_servers_of_a_wire) {
  const Sizes few = sizes_on_wire(100000, 10, 1 << 20);
  EXPECT_EQ(few.chunk_bytes, 100000u);
  EXPECT_EQ(few.piece_bytes, 100000u);
  EXPECT_EQ(few.message_bytes, protocol::message_bytes);
  EXPECT_EQ(sizes_on_wire(100000, 11, 1 << 20).piece_bytes, 65536u);
  EXPECT_EQ(sizes_on_wire(100000, 513, 1 << 20).message_bytes, short_message);
}

}  // namespace
}  // namespace comex::op
