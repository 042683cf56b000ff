#include "kernels/striped_accumulate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "kernels/scattered_accumulate.h"
#include "unit/core/patch_naive.h"

namespace comex::kernels {
namespace {

using testing::RawPatch;
using testing::RawPatchMaker;

// Notes what is locked; blocks in `busy` refuse the try forms.
class NotingGuard {
 public:
  void lock(std::uint64_t block) {
    EXPECT_TRUE(held.empty()) << "a second lock while one is held";
    held.insert(block);
    ++locks;
    added = 0;
  }
  bool try_lock(std::uint64_t block) {
    if (busy.count(block) != 0) return false;
    lock(block);
    return true;
  }
  void unlock(std::uint64_t block) { EXPECT_EQ(held.erase(block), 1U); }
  void lock_two(std::uint64_t first, std::uint64_t second) {
    EXPECT_TRUE(held.empty());
    EXPECT_EQ(first + 1, second);
    held = {first, second};
    ++pairs;
    added = 0;
  }
  bool try_lock_two(std::uint64_t first, std::uint64_t second) {
    if (busy.count(first) != 0 || busy.count(second) != 0) return false;
    lock_two(first, second);
    return true;
  }
  void unlock_two(std::uint64_t, std::uint64_t) {
    EXPECT_EQ(held.size(), 2U);
    held.clear();
  }

  std::set<std::uint64_t> held;
  std::set<std::uint64_t> busy;
  int locks = 0;
  int pairs = 0;
  std::uint64_t added = 0;
};
static_assert(BlockGuard<NotingGuard>);

// What the kernel's double checks against; a plain function can reach nothing else.
thread_local NotingGuard* watched = nullptr;
thread_local std::byte* watched_start = nullptr;  // far address of arena offset 0

void checked_kernel(std::byte* far, const std::byte* near, std::uint64_t bytes, const Scale& scale) {
  const auto first = static_cast<std::uint64_t>(far - watched_start);
  for (std::uint64_t block = first >> stripe_block_shift; block <= (first + bytes - 1) >> stripe_block_shift;
       ++block)
    EXPECT_EQ(watched->held.count(block), 1U) << "block " << block << " is written without its lock";
  watched->added += bytes;
  EXPECT_LE(watched->added, stripe_block_bytes) << "a lock is held for more than a block";
  accumulate_kernel(Scalar::int64, Combine::sum).run(far, near, bytes, scale);
}

void checked_rows(std::byte* far, std::int64_t far_stride, const std::byte* near, std::int64_t near_stride,
                  std::uint64_t bytes, std::uint64_t count, const Scale& scale) {
  for (; count != 0; --count, far += far_stride, near += near_stride) checked_kernel(far, near, bytes, scale);
}

class StripedAccumulate : public ::testing::Test {
 protected:
  StripedAccumulate() : arena_(16 * stripe_block_bytes), near_(arena_.size()) {
    for (std::size_t i = 0; i < near_.size(); ++i) near_[i] = static_cast<std::byte>(i * 131 >> 3U);
    watched = &guard_;
    watched_start = arena_.data();
    work_.kernel = {checked_kernel, checked_rows};
    work_.element_bytes = 8;
    work_.scale.bytes[0] = 3;
  }
  FarMemory at(std::uint64_t offset) { return {arena_.data() + offset, offset}; }
  bool is_as(const std::vector<std::byte>& expected) const {
    return std::memcmp(arena_.data(), expected.data(), arena_.size()) == 0;
  }
  void add_naively(std::vector<std::byte>& arena, std::uint64_t far, std::uint64_t near) {
    std::uint64_t a;
    std::uint64_t b;
    std::memcpy(&a, arena.data() + far, 8);
    std::memcpy(&b, near_.data() + near, 8);
    a += 3 * b;
    std::memcpy(arena.data() + far, &a, 8);
  }

  std::vector<std::byte> arena_;
  std::vector<std::byte> near_;
  NotingGuard guard_;
  Accumulation work_;
};

TEST_F(StripedAccumulate, of_a_run_locks_each_block_once) {
  std::vector<std::byte> expected = arena_;
  for (std::uint64_t i = 0; i < 3 * stripe_block_bytes; i += 8) add_naively(expected, 4096 + i, i);
  accumulate_run(guard_, at(4096), near_.data(), 3 * stripe_block_bytes, work_);
  EXPECT_TRUE(is_as(expected));
  EXPECT_EQ(guard_.locks, 4);
  EXPECT_EQ(guard_.pairs, 0);
  EXPECT_TRUE(guard_.held.empty());
}

TEST_F(StripedAccumulate, of_a_run_up_to_the_end_of_a_block_takes_one_lock_and_beyond_it_two) {
  std::vector<std::byte> expected = arena_;
  for (std::uint64_t i = 0; i < 64; i += 8) add_naively(expected, stripe_block_bytes - 64 + i, i);
  accumulate_run(guard_, at(stripe_block_bytes - 64), near_.data(), 64, work_);
  EXPECT_TRUE(is_as(expected));
  EXPECT_EQ(guard_.locks, 1);
  accumulate_run(guard_, at(stripe_block_bytes - 64), near_.data(), 72, work_);
  EXPECT_EQ(guard_.locks, 3);
  accumulate_run(guard_, at(0), near_.data(), 7, work_);
  EXPECT_EQ(guard_.locks, 3) << "a run without an element";
  EXPECT_TRUE(guard_.held.empty());
}

TEST_F(StripedAccumulate, of_an_element_across_two_blocks_takes_both) {
  std::vector<std::byte> expected = arena_;
  for (std::uint64_t i = 0; i < 2 * stripe_block_bytes; i += 8) add_naively(expected, 4 + i, i);
  accumulate_run(guard_, at(4), near_.data(), 2 * stripe_block_bytes, work_);
  EXPECT_TRUE(is_as(expected));
  EXPECT_EQ(guard_.locks, 2);
  EXPECT_EQ(guard_.pairs, 2);
  EXPECT_TRUE(guard_.held.empty());
}

// Far addresses are offsets here; the order shows in the last value of each word, since it is overwritten.
TEST_F(StripedAccumulate, of_scattered_words_locks_a_block_once_for_a_group_and_keeps_their_order) {
  constexpr std::uint64_t words = 2 * SegmentLists::most;
  std::vector<void*> near;
  std::vector<void*> far;
  for (std::uint64_t i = 0; i < words; ++i) {
    near.push_back(near_.data() + 8 * i);
    far.push_back(reinterpret_cast<void*>((i % 4 * stripe_block_bytes) + 64 + 8 * (i % 3)));
  }
  far[100] = far[700] = reinterpret_cast<void*>(stripe_block_bytes - 4);
  std::vector<std::byte> expected = arena_;
  for (std::uint64_t i = 0; i < words; ++i) {
    const auto offset = reinterpret_cast<std::uint64_t>(far[i]);
    std::memcpy(expected.data() + offset, near_.data() + 8 * i, 8);
  }
  work_.kernel.run = [](std::byte* to, const std::byte* from, std::uint64_t bytes, const Scale&) {
    EXPECT_FALSE(watched->held.empty());
    std::memcpy(to, from, bytes);
  };
  accumulate_segments(
      guard_, Scatter{near.data(), far.data(), words, 8},
      [this](void* offset) { return at(reinterpret_cast<std::uint64_t>(offset)); }, work_);
  EXPECT_TRUE(is_as(expected));
  EXPECT_EQ(guard_.pairs, 2);
  EXPECT_EQ(guard_.locks, 4 * 4);
  EXPECT_TRUE(guard_.held.empty());
}

TEST_F(StripedAccumulate, ignores_trailing_bytes_and_pieces_short_of_an_element) {
  std::vector<std::byte> expected = arena_;
  add_naively(expected, 0, 0);
  accumulate_run(guard_, at(0), near_.data(), 15, work_);
  EXPECT_EQ(try_accumulate_run(guard_, at(64), near_.data(), 7, work_), 7U);
  EXPECT_TRUE(is_as(expected));
}

TEST_F(StripedAccumulate, of_rows_in_one_block_takes_one_lock) {
  const int strides[] = {100};
  const int counts[] = {64, 128};
  const Patch patch = make_patch(1, strides, strides, counts, 8).value();
  accumulate_patch(guard_, patch, at(stripe_block_bytes), near_.data(), work_);
  EXPECT_EQ(guard_.locks, 1);
}

TEST_F(StripedAccumulate, of_rows_that_return_to_one_block_lets_others_in_between) {
  const int near_strides[] = {64};
  const int far_strides[] = {0};
  const int counts[] = {64, 1024};
  const Patch patch = make_patch(1, near_strides, far_strides, counts, 8).value();
  accumulate_patch(guard_, patch, at(0), near_.data(), work_);
  EXPECT_EQ(guard_.locks, 4);
}

TEST_F(StripedAccumulate, of_random_rectangles_adds_each_element_under_its_lock) {
  RawPatchMaker maker(21);
  for (int round = 0; round < 400; ++round) {
    const RawPatch raw = maker.make(8);
    const Patch patch = make_patch(raw.levels, raw.near_strides, raw.far_strides, raw.counts, 8).value();
    ASSERT_LE(std::max(patch.extent_bytes(Side::near), patch.far_extent_bytes()), 14 * stripe_block_bytes);
    const std::uint64_t start = 2 * stripe_block_bytes - static_cast<std::uint64_t>(maker.pick(0, 2000));
    std::vector<std::byte> expected = arena_;
    const std::vector<testing::BytePair> bytes = naive_bytes(raw);
    for (std::size_t i = 0; i < bytes.size(); i += 8)
      add_naively(expected, start + static_cast<std::uint64_t>(bytes[i].far),
                  static_cast<std::uint64_t>(bytes[i].near));
    accumulate_patch(guard_, patch, at(start), near_.data(), work_);
    ASSERT_TRUE(is_as(expected)) << "round " << round;
    ASSERT_TRUE(guard_.held.empty());
  }
}

TEST_F(StripedAccumulate, of_a_packed_body_stops_at_a_busy_block_and_goes_on_later) {
  RawPatchMaker maker(22);
  for (int round = 0; round < 400; ++round) {
    const RawPatch raw = maker.make(8);
    const Patch patch = make_patch(raw.levels, raw.near_strides, raw.far_strides, raw.counts, 8).value();
    ASSERT_LE(std::max(patch.extent_bytes(Side::near), patch.far_extent_bytes()), 14 * stripe_block_bytes);
    const std::uint64_t start = 2 * stripe_block_bytes - static_cast<std::uint64_t>(maker.pick(0, 2000));
    std::vector<std::byte> expected = arena_;
    const std::vector<testing::BytePair> bytes = naive_bytes(raw);
    for (std::size_t i = 0; i < bytes.size(); i += 8)
      add_naively(expected, start + static_cast<std::uint64_t>(bytes[i].far), i);
    RunCursor cursor(patch);
    while (!cursor.done()) {
      guard_.busy.clear();
      for (const std::uint64_t block : {1U, 2U})
        if (maker.pick(0, 2) == 0) guard_.busy.insert(block);
      const std::uint64_t before = cursor.position();
      const auto chunk = std::min<std::uint64_t>(16U * static_cast<unsigned>(maker.pick(1, 40)),
                                                 patch.total_bytes() - before);
      const std::uint64_t done =
          try_accumulate_packed(guard_, cursor, at(start), near_.data() + before, chunk, work_);
      ASSERT_LE(done, chunk);
      ASSERT_EQ(cursor.position(), before + done);
      ASSERT_TRUE(guard_.held.empty());
      if (guard_.busy.empty()) {
        ASSERT_EQ(done, chunk);
      }
    }
    ASSERT_TRUE(is_as(expected)) << "round " << round;
  }
}

TEST_F(StripedAccumulate, of_a_run_reports_how_far_it_came) {
  std::vector<std::byte> expected = arena_;
  for (std::uint64_t i = 0; i < 4 * stripe_block_bytes; i += 8) add_naively(expected, 4 + i, i);
  std::uint64_t done = 0;
  for (const std::uint64_t busy : {0U, 1U, 2U, 3U, 4U, 99U}) {
    guard_.busy = {busy};
    done +=
        try_accumulate_run(guard_, at(4 + done), near_.data() + done, 4 * stripe_block_bytes - done, work_);
    // The element that crosses into the busy block waits too.
    const std::uint64_t reached = busy == 0 ? 0 : (busy << stripe_block_shift) - 8;
    EXPECT_EQ(done, std::min(reached, 4 * stripe_block_bytes));
  }
  EXPECT_TRUE(is_as(expected));
}

// One mutex for each of a few blocks.
class MutexGuard {
 public:
  explicit MutexGuard(std::vector<std::mutex>& mutexes) : mutexes_(mutexes) {}
  void lock(std::uint64_t block) { mutexes_[block].lock(); }
  bool try_lock(std::uint64_t block) { return mutexes_[block].try_lock(); }
  void unlock(std::uint64_t block) { mutexes_[block].unlock(); }
  void lock_two(std::uint64_t first, std::uint64_t second) {
    lock(first);
    lock(second);
  }
  bool try_lock_two(std::uint64_t first, std::uint64_t second) {
    if (!try_lock(first)) return false;
    if (try_lock(second)) return true;
    unlock(first);
    return false;
  }
  void unlock_two(std::uint64_t first, std::uint64_t second) {
    unlock(second);
    unlock(first);
  }

 private:
  std::vector<std::mutex>& mutexes_;
};

std::atomic<int> inside{0};

// Comes back only when a second one has come in, so it ends only if both locks are held together.
void meeting_kernel(std::byte*, const std::byte*, std::uint64_t, const Scale&) {
  inside.fetch_add(1);
  while (inside.load() < 2) std::this_thread::yield();
}

TEST(StripedAccumulates, to_different_blocks_are_held_at_the_same_time) {
  std::vector<std::mutex> mutexes(4);
  std::vector<std::byte> arena(4 * stripe_block_bytes);
  inside = 0;
  const auto add_to = [&](std::uint64_t block) {
    MutexGuard guard(mutexes);
    const Accumulation meeting{{meeting_kernel, nullptr}, 8, {}};
    const std::uint64_t offset = block * stripe_block_bytes;
    accumulate_run(guard, {arena.data() + offset, offset}, arena.data(), 64, meeting);
  };
  std::thread other([&] { add_to(1); });
  add_to(2);
  other.join();
  EXPECT_EQ(inside.load(), 2);
}

TEST(StripedAccumulates, of_several_threads_to_the_same_words_add_up) {
  constexpr int threads = 4;
  constexpr int rounds = 200;
  std::vector<std::mutex> mutexes(4);
  std::vector<std::byte> arena(3 * stripe_block_bytes);
  const std::vector<std::int64_t> ones(4096, 1);
  Scale scale = {};
  scale.bytes[0] = 2;
  const Accumulation work = make_accumulation(Scalar::int64, scale);
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&] {
      MutexGuard guard(mutexes);
      const auto* near = reinterpret_cast<const std::byte*>(ones.data());
      for (int round = 0; round < rounds; ++round) {
        std::uint64_t done = 0;  // at offset 4: elements cross blocks
        if (round % 2 == 0) accumulate_run(guard, {arena.data() + 4, 4}, near, 32768, work);
        while (round % 2 != 0 && done < 32768)
          done +=
              try_accumulate_run(guard, {arena.data() + 4 + done, 4 + done}, near + done, 32768 - done, work);
      }
    });
  for (std::thread& thread : running) thread.join();
  for (std::size_t i = 0; i < 4096; ++i) {
    std::int64_t sum = 0;
    std::memcpy(&sum, arena.data() + 4 + 8 * i, 8);
    ASSERT_EQ(sum, 2 * threads * rounds) << i;
  }
}

}  // namespace
}  // namespace comex::kernels
