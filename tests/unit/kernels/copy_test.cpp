#include "kernels/copy.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/packed_side.h"
#include "unit/core/patch_naive.h"

namespace comex::kernels {
namespace {

using testing::BytePair;
using testing::RawPatch;
using testing::RawPatchMaker;

std::vector<std::byte> random_bytes(std::uint64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// A random rectangle with its memory on both sides.
struct Scene {
  RawPatch raw;
  Patch patch;
  std::vector<BytePair> bytes;
  std::vector<std::byte> near;
  std::vector<std::byte> far;
};

// Rectangles whose `written` side overlaps itself are left out: their result is not defined.
Scene make_scene(RawPatchMaker& maker, Side written) {
  Scene scene;
  do {
    scene.raw = maker.make(maker.pick(0, 3) == 0 ? 16 : maker.pick(1, 3));
  } while (overlaps(scene.raw, written));
  scene.patch =
      make_patch(scene.raw.levels, scene.raw.near_strides, scene.raw.far_strides, scene.raw.counts).value();
  scene.bytes = naive_bytes(scene.raw);
  scene.near = random_bytes(scene.patch.extent_bytes(Side::near), 1);
  scene.far = random_bytes(scene.patch.far_extent_bytes(), 2);
  return scene;
}

std::size_t index(std::int64_t offset) {
  return static_cast<std::size_t>(offset);
}

TEST(CopyPatch, from_near_to_far_moves_exactly_the_bytes_of_the_rectangle) {
  RawPatchMaker maker(11);
  for (int round = 0; round < 2000; ++round) {
    Scene scene = make_scene(maker, Side::far);
    std::vector<std::byte> expected = scene.far;
    for (const BytePair& byte : scene.bytes) expected[index(byte.far)] = scene.near[index(byte.near)];
    copy_near_to_far(scene.patch, scene.near.data(), scene.far.data());
    ASSERT_EQ(scene.far, expected) << "round " << round;
  }
}

TEST(CopyPatch, from_far_to_near_moves_exactly_the_bytes_of_the_rectangle) {
  RawPatchMaker maker(12);
  for (int round = 0; round < 2000; ++round) {
    Scene scene = make_scene(maker, Side::near);
    std::vector<std::byte> expected = scene.near;
    for (const BytePair& byte : scene.bytes) expected[index(byte.near)] = scene.far[index(byte.far)];
    copy_far_to_near(scene.patch, scene.far.data(), scene.near.data());
    ASSERT_EQ(scene.near, expected) << "round " << round;
  }
}

TEST(Packing, in_chunks_cut_anywhere_and_unpacking_in_others_is_a_copy) {
  RawPatchMaker maker(13);
  for (int round = 0; round < 2000; ++round) {
    Scene scene = make_scene(maker, Side::far);
    std::vector<std::byte> expected = scene.far;
    for (const BytePair& byte : scene.bytes) expected[index(byte.far)] = scene.near[index(byte.near)];

    std::vector<std::byte> packed(scene.bytes.size() + 1, std::byte{0x5a});
    const auto in_chunks = [&](const auto& move) {
      for (std::uint64_t at = 0; at < scene.bytes.size();) {
        const auto chunk =
            std::min<std::uint64_t>(static_cast<std::uint64_t>(maker.pick(1, 300)), scene.bytes.size() - at);
        move(packed.data() + at, chunk);
        at += chunk;
      }
    };
    PackedSide origin = PackedSide::of_patch(scene.near.data(), 0, scene.patch, Side::near);
    in_chunks([&](std::byte* part, std::uint64_t bytes) { origin.gather(part, bytes); });
    ASSERT_EQ(packed.back(), std::byte{0x5a});
    PackedSide target = PackedSide::of_patch(scene.far.data(), 0, scene.patch, Side::far);
    in_chunks([&](std::byte* part, std::uint64_t bytes) { target.scatter(part, bytes); });
    ASSERT_EQ(scene.far, expected) << "round " << round;
  }
}

TEST(Packing, of_segments_and_of_one_place_goes_on_where_it_was_cut) {
  std::mt19937 random(1);
  std::vector<std::byte> memory = random_bytes(4000, 6);
  const std::vector<std::uint64_t> places = {1, 500, 300, 1000};
  constexpr std::uint64_t segment = 37;
  for (const bool by_address : {false, true}) {
    std::vector<std::byte> list(places.size() * 8 + 1);  // unaligned
    std::vector<std::byte> expected;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::uint64_t place =
          places[i] + (by_address ? reinterpret_cast<std::uintptr_t>(memory.data()) : 0);
      std::memcpy(list.data() + 1 + i * 8, &place, 8);
      const auto first = memory.begin() + static_cast<std::ptrdiff_t>(places[i]);
      expected.insert(expected.end(), first, first + segment);
    }
    const auto side = [&] {
      return PackedSide::of_segments(by_address ? nullptr : memory.data(), list.data() + 1, segment);
    };
    for (int round = 0; round < 200; ++round) {
      PackedSide from = side();
      std::vector<std::byte> packed(expected.size());
      PackedSide to = PackedSide::of_bytes(packed.data());
      EXPECT_EQ(from.contiguous(), nullptr);
      std::uint64_t at = random() % expected.size();
      from.skip(at);
      to.skip(at);
      while (at < expected.size()) {
        const std::uint64_t bytes = std::min<std::uint64_t>(random() % 50 + 1, expected.size() - at);
        std::vector<std::byte> part(bytes);
        from.gather(part.data(), bytes);
        ASSERT_EQ(to.contiguous(), packed.data() + at);
        to.scatter(part.data(), bytes);
        ASSERT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(at)));
        ASSERT_TRUE(std::equal(part.begin(), part.end(), packed.begin() + static_cast<std::ptrdiff_t>(at)));
        at += bytes;
      }
    }
    std::reverse(expected.begin(), expected.end());
    PackedSide back = side();
    back.scatter(expected.data(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(memory[places[i / segment] + i % segment], expected[i]);
  }
}

TEST(CopyRows, of_every_length_touch_nothing_between_the_rows) {
  constexpr std::uint64_t rows = 5;
  for (std::uint64_t bytes = 0; bytes <= 300; ++bytes) {
    const std::uint64_t from_stride = bytes + 3;
    const std::uint64_t to_stride = bytes + 5;
    const std::vector<std::byte> from = random_bytes(rows * from_stride + 1, 3);
    std::vector<std::byte> to = random_bytes(rows * to_stride + 1, 4);
    std::vector<std::byte> expected = to;
    for (std::uint64_t row = 0; row < rows; ++row)
      for (std::uint64_t i = 0; i < bytes; ++i)
        expected[1 + row * to_stride + i] = from[1 + row * from_stride + i];
    copy_rows(to.data() + 1, static_cast<std::int64_t>(to_stride), from.data() + 1,
              static_cast<std::int64_t>(from_stride), bytes, rows);
    ASSERT_EQ(to, expected) << bytes;
  }
}

// Random bytes that repeat after a prime number of them: as good as random, and sooner made.
std::vector<std::byte> repeated_bytes(std::uint64_t size) {
  static const std::vector<std::byte> pattern = random_bytes(65521, 5);
  std::vector<std::byte> bytes(size);
  for (std::uint64_t at = 0; at < size; at += pattern.size())
    std::memcpy(bytes.data() + at, pattern.data(), std::min<std::uint64_t>(pattern.size(), size - at));
  return bytes;
}

TEST(CopyBytes, of_large_unaligned_pieces_copies_all_and_no_more) {
  const std::uint64_t sizes[] = {0,
                                 1,
                                 8,
                                 100,
                                 big_copy_bytes - 1,
                                 big_copy_bytes,
                                 big_copy_bytes + 13,
                                 streamed_copy_bytes - 1,
                                 streamed_copy_bytes + 77};
  const std::vector<std::byte> from = repeated_bytes(streamed_copy_bytes + 1000);
  for (const std::uint64_t bytes : sizes) {
    std::vector<std::byte> to(bytes + 64, std::byte{9});
    copy_bytes(to.data() + 7, from.data() + 3, bytes);
    ASSERT_EQ(std::memcmp(to.data() + 7, from.data() + 3, bytes), 0) << bytes;
    ASSERT_EQ(std::count(to.begin(), to.begin() + 7, std::byte{9}), 7);
    ASSERT_EQ(std::count(to.end() - 57, to.end(), std::byte{9}), 57);
  }
}

TEST(CopyBytes, between_any_alignments_copies_all_and_no_more) {
  const std::vector<std::byte> from = random_bytes(big_copy_bytes + 512, 6);
  for (std::uint64_t skew = 0; skew < 64; ++skew) {
    for (std::uint64_t bytes = big_copy_bytes; bytes < big_copy_bytes + 160; bytes += 1 + skew % 7) {
      std::vector<std::byte> to(bytes + 128, std::byte{9});
      copy_bytes(to.data() + skew, from.data() + bytes % 64, bytes);
      std::vector<std::byte> expected(to.size(), std::byte{9});
      std::memcpy(expected.data() + skew, from.data() + bytes % 64, bytes);
      ASSERT_EQ(to, expected) << bytes << " to an address of " << skew;
    }
  }
}

TEST(CopyBytes, onto_themselves_move_pieces_of_every_size) {
  for (std::uint64_t bytes = 1; bytes <= 5000; ++bytes) {
    for (const std::uint64_t shift :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8}, bytes - 1, bytes}) {
      const std::vector<std::byte> before = repeated_bytes(bytes + shift);
      std::vector<std::byte> up = before;
      copy_bytes(up.data() + shift, up.data(), bytes);
      ASSERT_EQ(std::memcmp(up.data() + shift, before.data(), bytes), 0) << bytes << " up by " << shift;
      std::vector<std::byte> down = before;
      copy_bytes(down.data(), down.data() + shift, bytes);
      ASSERT_EQ(std::memcmp(down.data(), before.data() + shift, bytes), 0) << bytes << " down by " << shift;
    }
  }
}

// A process that writes one of two values again and again, and one that looks: a longer put is made of
// smaller stores, but that of a word is not.
TEST(CopyBytes, of_an_aligned_word_stores_it_whole) {
  void* const place = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  auto* const ends = static_cast<std::atomic<int>*>(place);
  auto* const word = static_cast<std::byte*>(place) + 64;
  const pid_t writer = fork();
  if (writer == 0) {
    for (unsigned turn = 0; !ends->load(std::memory_order_relaxed); ++turn) {
      std::uint64_t value = 0;
      std::memset(&value, turn % 2 == 0 ? 0xff : 0, sizeof value);
      for (const std::uint64_t bytes : {8u, 4u, 2u}) copy_bytes(word + 8 * bytes, &value, bytes);
    }
    _exit(0);
  }
  unsigned torn = 0, changes = 0;
  std::uint64_t before = 0;
  for (int look = 0; changes < 2000 && look < 5'000'000; ++look) {
    const auto wide =
        reinterpret_cast<std::atomic<std::uint64_t>*>(word + 64)->load(std::memory_order_relaxed);
    const auto half =
        reinterpret_cast<std::atomic<std::uint32_t>*>(word + 32)->load(std::memory_order_relaxed);
    const auto quarter =
        reinterpret_cast<std::atomic<std::uint16_t>*>(word + 16)->load(std::memory_order_relaxed);
    const bool is_whole = (wide == 0 || wide == UINT64_MAX) && (half == 0 || half == UINT32_MAX) &&
                          (quarter == 0 || quarter == UINT16_MAX);
    changes += wide != before ? 1 : 0;
    before = wide;
    torn += is_whole ? 0 : 1;
  }
  ends->store(1);
  waitpid(writer, nullptr, 0);
  munmap(place, 4096);
  EXPECT_EQ(torn, 0u);
}

TEST(CopyBytes, of_nothing_looks_at_no_address) {
  copy_bytes(nullptr, nullptr, 0);
}

}  // namespace
}  // namespace comex::kernels
