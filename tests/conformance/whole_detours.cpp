// Bodies whose two ends lie badly for a copy in the kernel go through staging there, and arrive the same.
#include <algorithm>

#include "conformance/whole_rig.h"
#include "core/staging_room.h"

namespace comex::whole {
namespace {

constexpr std::uint32_t chunk_of_detours = 16 * 1024;
constexpr std::uint64_t bytes = 3 * chunk_of_detours + 40;
constexpr RigOptions in_kernel{.chunk_bytes = chunk_of_detours, .copies_in_kernel = true};
constexpr std::uint64_t places[] = {0, 8, 16, 24, 32, 40, 64, 2048, 4064, 4072, 4088};

// The first byte that lies there in its page.
std::byte* at_place(std::byte* from, std::uint64_t place) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  return from + (place - address) % page_of_rooms;
}

bool lies_just_behind(std::uint64_t place, std::uint64_t other) {
  const std::uint64_t distance = (place + page_of_rooms - other) % page_of_rooms;
  return distance >= 1 && distance <= 31;
}

struct Ends {
  std::vector<std::byte> memory = std::vector<std::byte>(bytes + 2 * page_of_rooms);
  std::byte* near = nullptr;
  std::byte* far = nullptr;
  Ends(Rig& rig, std::uint64_t near_place, std::uint64_t far_place)
      : near(at_place(memory.data(), near_place)), far(at_place(rig.region, far_place)) {}
};

void carry_out(Rig& rig, Action action, std::byte* near, std::byte* far) {
  nb::Completion done;
  rig.origin().start(contiguous(action, near, far, bytes), rig.far, done);
  rig.finish(done);
  rig.fence();
  rig.expect_quiet();
}

bool is_same(const std::byte* a, const std::byte* b) {
  return std::equal(a, a + bytes, b);
}

TEST(WholeDetours, gets_and_puts_take_them_where_one_end_lies_just_behind_the_other) {
  for (const std::uint64_t near : places) {
    for (const std::uint64_t far : places) {
      SCOPED_TRACE(::testing::Message() << "near " << near << ", far " << far);
      Rig getting(in_kernel);
      Ends got(getting, near, far);
      const std::vector<std::byte> data = pattern(bytes, 7);
      std::copy(data.begin(), data.end(), got.far);
      carry_out(getting, Action::get, got.near, got.far);
      EXPECT_TRUE(is_same(got.near, data.data()));
      EXPECT_EQ(getting.server->staging_peak() != 0, lies_just_behind(near, far));

      Rig putting(in_kernel);
      Ends sent(putting, near, far);
      std::copy(data.begin(), data.end(), sent.near);
      carry_out(putting, Action::put, sent.near, sent.far);
      EXPECT_TRUE(is_same(sent.far, data.data()));
      EXPECT_EQ(putting.server->staging_peak() != 0, lies_just_behind(far, near));
    }
  }
}

TEST(WholeDetours, none_are_taken_where_nobody_copies_in_the_kernel_or_chunks_are_small) {
  RigOptions elsewhere = in_kernel;
  elsewhere.copies_in_kernel = false;
  RigOptions small = in_kernel;
  small.chunk_bytes = 4096;
  RigOptions many_origins = in_kernel;
  many_origins.staging_reserve = 0;  // pieces are smaller than chunks
  for (const RigOptions& options : {elsewhere, small, many_origins}) {
    Rig rig(options);
    Ends ends(rig, 16, 0);
    const std::vector<std::byte> data = pattern(bytes, 9);
    std::copy(data.begin(), data.end(), ends.far);
    carry_out(rig, Action::get, ends.near, ends.far);
    EXPECT_TRUE(is_same(ends.near, data.data()));
    EXPECT_EQ(rig.server->staging_peak(), 0u);
  }
}

// The origin packs where it copies well to the target's memory, so the server need not.
TEST(WholeDetours, what_the_origin_packs_takes_none) {
  for (const std::uint64_t far : places) {
    Rig rig(in_kernel);
    std::vector<std::byte> rows = pattern(2 * bytes, 3);
    std::byte* const place = at_place(rig.region, far);
    Operation put = contiguous(Action::put, rows.data(), place, 64);
    put.layout = protocol::Layout::strided;
    put.patch.levels = 1;
    put.patch.counts[0] = 64;
    put.patch.counts[1] = bytes / 64;
    put.patch.near_strides[0] = 96;
    put.patch.far_strides[0] = 64;
    nb::Completion done;
    rig.origin().start(put, rig.far, done);
    rig.finish(done);
    rig.fence();
    for (std::uint64_t row = 0; row < bytes / 64; ++row)
      EXPECT_TRUE(std::equal(place + row * 64, place + row * 64 + 64, rows.data() + row * 96)) << row;
    EXPECT_EQ(rig.server->staging_peak(), 0u) << far;
    rig.expect_quiet();
  }
}

}  // namespace
}  // namespace comex::whole
