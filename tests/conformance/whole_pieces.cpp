// Bodies in pieces of every size, of every type and layout: what comes of them is the same.
#include <algorithm>
#include <array>
#include <string>

#include "conformance/whole_rig.h"

namespace comex::whole {
namespace {

constexpr RigOptions in_chunks{.chunk_bytes = 64 * 1024};
constexpr RigOptions in_pieces{.chunk_bytes = 64 * 1024, .staging_reserve = 3 * 8192};
constexpr RigOptions in_least_pieces{
    .chunk_bytes = 64 * 1024, .staging_reserve = 0, .eager_limit_bytes = 4096};
constexpr RigOptions in_eager_messages{
    .chunk_bytes = 64 * 1024, .eager_limit_bytes = 32 * 1024, .knows_eager_limit = true};

constexpr std::uint64_t run = 4112;  // of whole elements of every type, not of whole pieces
constexpr int rows = 23;

// What addresses an operation needs besides.
struct Places {
  std::vector<void*> near, far;
};

Operation operation_of(Action action, protocol::Layout layout, Scalar scalar, std::byte* near, std::byte* far,
                       std::uint64_t segment, Places& places) {
  Operation operation = contiguous(action, near, far, run * rows);
  operation.layout = layout;
  if (action == Action::acc) {
    operation.scalar = scalar;
    operation.scale = scale_of(std::array<double, 2>{1, 1});
    if (scalar == Scalar::int32 || scalar == Scalar::int64) operation.scale = scale_of(std::int64_t{3});
    if (scalar == Scalar::float32 || scalar == Scalar::complex_float) {
      operation.scale = scale_of(std::array<float, 2>{1.5F, 0.5F});
    }
  }
  if (layout == protocol::Layout::strided) {
    Patch& patch = operation.patch;
    patch.levels = 1;
    patch.counts[0] = run;
    patch.counts[1] = rows;
    patch.near_strides[0] = run + 16;
    patch.far_strides[0] = run + 48;
  }
  if (layout == protocol::Layout::vector) {
    // Each place once: 7 divides none of the counts.
    for (std::uint64_t i = 0; i < run * rows / segment; ++i) {
      places.near.push_back(near + i * segment);
      places.far.push_back(far + 7 * i % (run * rows / segment) * (segment + 16));
    }
    operation.scatter = {places.near.data(), places.far.data(), places.near.size(), segment};
  }
  return operation;
}

struct Outcome {
  std::vector<std::byte> region, got;
};

// Puts, accumulates twice and gets back, all at once.
Outcome outcome_of(const RigOptions& options, protocol::Layout layout, Scalar scalar, std::uint64_t segment) {
  Rig rig(options);
  std::vector<std::byte> source = pattern((run + 16) * rows, 5);
  // Numbers whose sums are exact or at least the same: bytes of a float may be anything.
  for (std::byte& byte : source) byte &= std::byte{0x3f};
  Outcome outcome;
  outcome.got.resize(source.size());
  nb::Completion done;
  Places places[4];
  const auto start = [&](Action action, std::byte* near, Places& own) {
    rig.origin().start(operation_of(action, layout, scalar, near, rig.region + 64, segment, own), rig.far,
                       done);
  };
  start(Action::put, source.data(), places[0]);
  start(Action::acc, source.data(), places[1]);
  start(Action::acc, source.data(), places[2]);
  start(Action::get, outcome.got.data(), places[3]);
  rig.finish(done);
  rig.fence();
  rig.expect_quiet();
  EXPECT_EQ(rig.refused, 0u);
  outcome.region.assign(rig.region, rig.region + region_bytes);
  return outcome;
}

class WholePieces : public ::testing::TestWithParam<Scalar> {};

TEST_P(WholePieces, of_any_size_leave_the_same_bytes) {
  using protocol::Layout;
  struct PieceShape {
    Layout layout;
    std::uint64_t segment;
  };
  for (const PieceShape& shape :
       {PieceShape{Layout::contiguous, 0}, PieceShape{Layout::strided, 0}, PieceShape{Layout::vector, 16},
        PieceShape{Layout::vector, 1424}, PieceShape{Layout::vector, run}}) {
    SCOPED_TRACE("layout " + std::to_string(static_cast<int>(shape.layout)) + ", segments of " +
                 std::to_string(shape.segment));
    const Outcome whole = outcome_of(in_chunks, shape.layout, GetParam(), shape.segment);
    for (const RigOptions& options : {in_pieces, in_least_pieces, in_eager_messages}) {
      const Outcome cut = outcome_of(options, shape.layout, GetParam(), shape.segment);
      EXPECT_TRUE(cut.region == whole.region);
      EXPECT_TRUE(cut.got == whole.got);
    }
    EXPECT_NE(std::count(whole.got.begin(), whole.got.end(), std::byte{}), std::ssize(whole.got));
  }
}
INSTANTIATE_TEST_SUITE_P(Types, WholePieces,
                         ::testing::Values(Scalar::int32, Scalar::int64, Scalar::float32, Scalar::float64,
                                           Scalar::complex_float, Scalar::complex_double));

// One of each kind, beyond everything, from three origins at once: what is dropped comes in chunks and
// pieces.
TEST(WholePieces, refused_ones_of_several_origins_are_dropped_side_by_side) {
  for (const RigOptions& pieces : {in_chunks, in_pieces, in_least_pieces, in_eager_messages}) {
    RigOptions options = pieces;
    options.origins = 3;
    Rig rig(options);
    std::vector<std::byte> source = pattern((run + 16) * rows, 5);
    std::vector<std::byte> got(source.size(), std::byte{9});
    nb::Completion done;
    for (std::size_t i = 0; i < 3; ++i) {
      rig.origin(i).set_errors_return(true);
      for (const protocol::Layout layout : {protocol::Layout::contiguous, protocol::Layout::strided}) {
        for (const Action action : {Action::put, Action::acc, Action::get}) {
          Places none;
          std::byte* const near = action == Action::get ? got.data() : source.data();
          rig.origin(i).start(
              operation_of(action, layout, Scalar::float64, near, rig.region + (1 << 24), 0, none), rig.far,
              done);
        }
      }
    }
    rig.finish(done);
    for (std::size_t i = 0; i < 3; ++i) rig.fence(i);
    EXPECT_EQ(rig.refused, 18u);
    EXPECT_EQ(got, std::vector<std::byte>(source.size(), std::byte{9}));
    rig.expect_quiet();
  }
}

}  // namespace
}  // namespace comex::whole
