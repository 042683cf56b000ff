// Random operations of every layout, many in flight at once and overlapping, against plain memory.
//
// Each batch is applied to the model in program order, which is what the order rules promise for
// one origin and one target. COMEX_TEST_SEED repeats a run.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>

#include "conformance/whole_rig.h"
#include "support/patch_runs.h"

namespace comex::whole {
namespace {

constexpr std::size_t window = 96 * 1024;  // far memory that operations fall into; small, so they overlap

struct Shape {  // runs in packed order, in bytes from the first byte of each side
  struct Run {
    std::uint64_t near;
    std::uint64_t far;
    std::uint64_t bytes;
  };
  std::vector<Run> runs;
  std::uint64_t near_bytes = 0;
  std::uint64_t far_bytes = 0;
  protocol::Layout layout = protocol::Layout::contiguous;
  Patch patch;
  std::uint64_t segment = 0;
};

struct Issued {  // owns what an operation needs until it is done
  Shape shape;
  std::vector<std::byte> near;
  std::vector<std::byte> expected;
  std::vector<void*> near_addresses;
  std::vector<void*> far_addresses;
  bool is_get = false;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random_);
  }

  Shape shape(unsigned unit) {
    switch (number(0, 3)) {
      case 0:
        return contiguous_shape(unit);
      case 1:
      case 2:
        return strided_shape(unit);
      default:
        return vector_shape(unit);
    }
  }

 private:
  std::uint64_t size(std::uint64_t most) {
    return number(1, number(0, 3) == 0 ? most : std::min<std::uint64_t>(most, 64));
  }

  Shape contiguous_shape(unsigned unit) {
    Shape made;
    const std::uint64_t bytes = unit * size(30000 / unit);
    made.runs.push_back({0, 0, bytes});
    made.near_bytes = made.far_bytes = bytes;
    made.patch = contiguous_patch(bytes);
    return made;
  }

  // Strides in a random order of the levels, so that they often do not nest.
  void draw_strides(int levels, const int* counts, int* strides) {
    int order[max_stride_levels];
    for (int i = 0; i < levels; ++i) order[i] = i;
    std::shuffle(order, order + levels, random_);
    std::uint64_t reach = static_cast<std::uint64_t>(counts[0]);
    for (int i = 0; i < levels; ++i) {
      const std::uint64_t stride = reach + number(0, 3) * 8;
      strides[order[i]] = static_cast<int>(stride);
      reach = stride * static_cast<std::uint64_t>(counts[order[i] + 1]);
    }
  }

  Shape strided_shape(unsigned unit) {
    for (;;) {
      Shape made;
      made.layout = protocol::Layout::strided;
      const int levels = static_cast<int>(number(1, 4));
      int counts[max_stride_levels + 1];
      int near_strides[max_stride_levels], far_strides[max_stride_levels];
      counts[0] = static_cast<int>(unit * size(3000 / unit));
      for (int i = 1; i <= levels; ++i) counts[i] = static_cast<int>(number(1, 9));
      draw_strides(levels, counts, near_strides);
      draw_strides(levels, counts, far_strides);
      const Result<Patch> patch = make_patch(levels, near_strides, far_strides, counts, unit);
      if (!patch || patch->far_extent_bytes() > window / 2 || patch->total_bytes() > 60000) continue;
      made.patch = patch.value();
      made.near_bytes = made.patch.extent_bytes(Side::near);
      made.far_bytes = made.patch.far_extent_bytes();
      for_each_run(made.patch, [&](std::uint64_t near, std::uint64_t far, std::uint64_t bytes) {
        made.runs.push_back({near, far, bytes});
      });
      return made;
    }
  }

  Shape vector_shape(unsigned unit) {
    Shape made;
    made.layout = protocol::Layout::vector;
    made.segment = unit * size(4200 / unit);
    const std::uint64_t count = number(1, std::min<std::uint64_t>(1500, 60000 / made.segment));
    const std::uint64_t gap = number(0, 2) * 8;
    std::vector<std::uint64_t> places(count);
    for (std::uint64_t i = 0; i < count; ++i) places[i] = i * (made.segment + gap);
    std::shuffle(places.begin(), places.end(), random_);
    for (std::uint64_t i = 0; i < count; ++i)
      made.runs.push_back({i * (made.segment + 8), places[i], made.segment});
    made.near_bytes = count * (made.segment + 8);
    made.far_bytes = count * (made.segment + gap);
    return made;
  }

  std::mt19937_64 random_;
};

void add_scaled(std::byte* far, const std::byte* near, std::uint64_t bytes, std::int64_t scale) {
  for (std::uint64_t at = 0; at < bytes; at += 8) {
    std::int64_t sum, term;
    std::memcpy(&sum, far + at, 8);
    std::memcpy(&term, near + at, 8);
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                    static_cast<std::uint64_t>(term) * static_cast<std::uint64_t>(scale));
    std::memcpy(far + at, &sum, 8);
  }
}

std::int64_t combined(Combine how, std::int64_t far, std::int64_t near) {
  const auto a = static_cast<std::uint64_t>(far);
  const auto b = static_cast<std::uint64_t>(near);
  switch (how) {
    case Combine::sum:
      return static_cast<std::int64_t>(a + b);
    case Combine::least:
      return std::min(far, near);
    case Combine::most:
      return std::max(far, near);
    case Combine::product:
      return static_cast<std::int64_t>(a * b);
    case Combine::replace:
      return near;
    case Combine::bit_and:
      return far & near;
    case Combine::bit_or:
      return far | near;
    case Combine::bit_xor:
      return far ^ near;
  }
  return 0;
}

void combine(Combine how, std::byte* far, const std::byte* near, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += 8) {
    std::int64_t before, term;
    std::memcpy(&before, far + at, 8);
    std::memcpy(&term, near + at, 8);
    const std::int64_t after = combined(how, before, term);
    std::memcpy(far + at, &after, 8);
  }
}

class Differential {
 public:
  Differential(const RigOptions& options, unsigned seed) : rig_(options), make_(seed), model_(region_bytes) {}

  void batch() {
    nb::Completion done;
    std::vector<std::unique_ptr<Issued>> issued;
    const std::uint64_t count = make_.number(1, 12);
    for (std::uint64_t i = 0; i < count; ++i) {
      issued.push_back(std::make_unique<Issued>());
      issue(*issued.back(), done);
      if (make_.number(0, 3) == 0) rig_.turn();
    }
    rig_.finish(done);
    for (const auto& one : issued) {
      if (!one->is_get) continue;
      ASSERT_EQ(one->near, one->expected) << "a get";
    }
    if (make_.number(0, 2) == 0) {
      rig_.fence();
      ASSERT_EQ(std::memcmp(rig_.region, model_.data(), model_.size()), 0) << "after a fence";
    }
  }
  void end() {
    rig_.fence();
    ASSERT_EQ(std::memcmp(rig_.region, model_.data(), model_.size()), 0);
    rig_.expect_quiet();
    EXPECT_EQ(rig_.refused, 0u);
  }

 private:
  void issue(Issued& one, nb::Completion& done) {
    const auto action = static_cast<Action>(make_.number(0, 2));
    one.shape = make_.shape(action == Action::acc ? 8 : 1);
    one.is_get = action == Action::get;
    one.near = pattern(one.shape.near_bytes, static_cast<unsigned>(make_.number(0, 1000)));
    const std::uint64_t room = window - std::min<std::uint64_t>(window, one.shape.far_bytes);
    const std::uint64_t at = 8 * make_.number(0, room / 8);
    const auto scale = static_cast<std::int64_t>(make_.number(1, 5));
    const auto how = static_cast<Combine>(make_.number(0, combine_kinds - 1));

    apply(one, action, at, scale, how);
    Operation operation;
    operation.action = action;
    operation.layout = one.shape.layout;
    operation.near = one.near.data();
    operation.far = rig_.region + at;
    operation.patch = one.shape.patch;
    if (action == Action::acc) {
      operation.scalar = Scalar::int64;
      operation.scale = scale_of(scale);
      operation.combine = how;
    }
    if (one.shape.layout == protocol::Layout::vector) {
      for (const Shape::Run& run : one.shape.runs) {
        one.near_addresses.push_back(one.near.data() + run.near);
        one.far_addresses.push_back(rig_.region + at + run.far);
      }
      operation.scatter = {one.near_addresses.data(), one.far_addresses.data(), one.shape.runs.size(),
                           one.shape.segment};
    }
    const bool is_appended = make_.number(0, 1) == 0 && append_write(rig_.origin(), operation, rig_.far);
    if (!is_appended) rig_.origin().start(operation, rig_.far, done);
    // The arrays are the caller's again.
    std::fill(one.near_addresses.begin(), one.near_addresses.end(), nullptr);
    std::fill(one.far_addresses.begin(), one.far_addresses.end(), nullptr);
  }

  void apply(Issued& one, Action action, std::uint64_t at, std::int64_t scale, Combine how) {
    one.expected = one.near;
    for (const Shape::Run& run : one.shape.runs) {
      std::byte* const far = model_.data() + at + run.far;
      if (action == Action::put) std::memcpy(far, one.near.data() + run.near, run.bytes);
      if (action == Action::get) std::memcpy(one.expected.data() + run.near, far, run.bytes);
      if (action != Action::acc) continue;
      if (how == Combine::sum) {
        add_scaled(far, one.near.data() + run.near, run.bytes, scale);
      } else {
        combine(how, far, one.near.data() + run.near, run.bytes);
      }
    }
  }

  Rig rig_;
  Maker make_;
  std::vector<std::byte> model_;
};

class WholeDifferential : public ::testing::TestWithParam<RigOptions> {};

TEST_P(WholeDifferential, agrees_with_plain_memory_over_thousands_of_operations) {
  const char* given = std::getenv("COMEX_TEST_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : std::random_device{}();
  SCOPED_TRACE("COMEX_TEST_SEED=" + std::to_string(seed));
  Differential run(GetParam(), seed);
  for (int i = 0; i < 300 && !HasFatalFailure(); ++i) run.batch();
  if (!HasFatalFailure()) run.end();
}
INSTANTIATE_TEST_SUITE_P(
    Rigs, WholeDifferential,
    ::testing::Values(RigOptions{}, RigOptions{.pool_bytes = 0}, RigOptions{.slots = 5},
                      // Pieces of 4,096 beside chunks of 16 KiB; the least ones, sent eagerly.
                      RigOptions{.chunk_bytes = 16384, .staging_reserve = 3 * 4096},
                      RigOptions{.chunk_bytes = 16384, .staging_reserve = 0},
                      RigOptions{.staging_reserve = 0, .eager_limit_bytes = 4096},
                      // Bodies of up to 8 KiB in eager messages, longer ones in chunks that are not.
                      RigOptions{
                          .chunk_bytes = 16384, .eager_limit_bytes = 2048, .knows_eager_limit = true}));

}  // namespace
}  // namespace comex::whole
