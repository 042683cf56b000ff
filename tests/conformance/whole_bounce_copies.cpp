// Bodies whose two ends lie badly for a copy in the kernel go another way where there is one, and arrive the
// same.
#include <algorithm>

#include "conformance/whole_rig.h"
#include "core/staging_room.h"

namespace comex::whole {
namespace {

constexpr std::uint32_t chunk_of_detours = 16 * 1024;
constexpr std::uint64_t row = 64;
constexpr std::uint64_t bytes = 3 * chunk_of_detours + row;
constexpr RigOptions in_kernel{
    .chunk_bytes = chunk_of_detours, .staging_bytes = 8 * chunk_of_detours, .copied_in_kernel_from = 4096};
constexpr std::uint64_t places[] = {0, 8, 16, 24, 32, 40, 64, 2048, 4064, 4072, 4088};

bool lies_just_behind(std::uint64_t place, std::uint64_t other) {
  const std::uint64_t distance = (place + page_of_rooms - other) % page_of_rooms;
  return distance >= 1 && distance <= 31;
}

// The first byte that lies there in its page.
std::byte* at_place(std::byte* from, std::uint64_t place) {
  return from + (place + page_of_rooms - place_in_page(from)) % page_of_rooms;
}

// Which side lies in rows that are apart.
enum class Rows { none, near, far };

Operation operation_of(Action action, Rows rows, std::byte* near, std::byte* far) {
  Operation operation = contiguous(action, near, far, bytes);
  if (action == Action::acc) {
    operation.scalar = Scalar::int64;
    operation.scale = scale_of(std::int64_t{1});
  }
  if (rows == Rows::none) return operation;
  operation.layout = protocol::Layout::strided;
  operation.patch.levels = 1;
  operation.patch.counts[0] = row;
  operation.patch.counts[1] = bytes / row;
  operation.patch.near_strides[0] = rows == Rows::near ? row + 32 : row;
  operation.patch.far_strides[0] = rows == Rows::far ? row + 32 : row;
  return operation;
}

std::uint64_t at_row(std::uint64_t position, bool lies_in_rows) {
  return lies_in_rows ? position / row * (row + 32) + position % row : position;
}

struct Seen {
  std::uint64_t badly_placed = 0;
  bool has_staged = false;
};

// Of an operation whose ends lie there; what arrives is checked.
Seen carry_out(const RigOptions& options, Action action, Rows rows, std::uint64_t near_place,
               std::uint64_t far_place) {
  Rig rig(options);
  std::vector<std::byte> memory(2 * bytes + 2 * page_of_rooms);
  std::byte* const near = at_place(memory.data(), near_place);
  std::byte* const far = at_place(rig.region, far_place);
  const std::vector<std::byte> data = pattern(2 * bytes, 7);
  const bool is_get = action == Action::get;
  std::copy(data.begin(), data.end(), is_get ? far : near);
  nb::Completion done;
  rig.origin().start(operation_of(action, rows, near, far), rig.far, done);
  rig.finish(done);
  rig.fence();
  rig.expect_quiet();
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < bytes; ++i)
    wrong += near[at_row(i, rows == Rows::near)] != far[at_row(i, rows == Rows::far)] ? 1U : 0U;
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(rig.refused, 0u);
  return {rig.fabric.badly_placed(0, 1) + rig.fabric.badly_placed(1, 0), rig.server->staging_peak() != 0};
}

class WholeDetours : public ::testing::TestWithParam<Action> {};

TEST_P(WholeDetours, leave_no_body_badly_placed) {
  for (const Rows rows : {Rows::none, Rows::near, Rows::far}) {
    for (const std::uint64_t near : places) {
      for (const std::uint64_t far : places) {
        const Seen seen = carry_out(in_kernel, GetParam(), rows, near, far);
        EXPECT_EQ(seen.badly_placed, 0u)
            << "rows " << static_cast<int>(rows) << ", near " << near << ", far " << far;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Of, WholeDetours, ::testing::Values(Action::put, Action::get, Action::acc));

TEST(WholeDetours, are_taken_only_by_what_lies_badly) {
  for (const std::uint64_t near : places) {
    for (const std::uint64_t far : places) {
      SCOPED_TRACE(::testing::Message() << "near " << near << ", far " << far);
      EXPECT_EQ(carry_out(in_kernel, Action::get, Rows::none, near, far).has_staged,
                lies_just_behind(near, far));
      EXPECT_EQ(carry_out(in_kernel, Action::put, Rows::none, near, far).has_staged,
                lies_just_behind(far, near));
      EXPECT_FALSE(carry_out(in_kernel, Action::get, Rows::near, near, far).has_staged);
      EXPECT_FALSE(carry_out(in_kernel, Action::put, Rows::near, near, far).has_staged);
    }
  }
}

TEST(WholeDetours, are_taken_only_where_the_kernel_copies_and_there_is_room_to_spare) {
  RigOptions elsewhere = in_kernel;
  elsewhere.copied_in_kernel_from = 0;
  RigOptions sent_at_once = in_kernel;
  sent_at_once.copied_in_kernel_from = chunk_of_detours + 1;
  RigOptions many_origins = in_kernel;
  many_origins.staging_reserve = 0;  // pieces are smaller than chunks
  RigOptions no_room = in_kernel;
  no_room.staging_bytes = 3 * chunk_of_detours;
  for (const RigOptions& options : {elsewhere, sent_at_once, many_origins, no_room}) {
    const Seen seen = carry_out(options, Action::get, Rows::none, 16, 0);
    EXPECT_FALSE(seen.has_staged);
    EXPECT_NE(seen.badly_placed, 0u);
  }
}

}  // namespace
}  // namespace comex::whole
