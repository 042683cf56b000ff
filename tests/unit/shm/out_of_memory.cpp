// What is said when shared memory does not fit: the limit that was met, numbers that add up, a hint that
// fits.
#include "shm/out_of_memory.h"

#include <utility>

#include "shm/arena_layout.h"
#include "support.h"

namespace comex::shm {
namespace {

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

class OutOfMemoryTest : public testing::Test {
 protected:
  MemoryOs os_;
  Arena arena_ = mapped_arena(os_, small_arena(4));
  Extents& extents_ = arena_.extents();

  std::vector<Extent> fill(std::uint64_t bytes, int times) {
    std::vector<Extent> made;
    for (int i = 0; i < times; ++i) made.push_back(extents_.allocate(0, bytes).value());
    return made;
  }
  void leave(std::uint64_t bytes, Limit limit) {
    os_.faults.limit_bytes = os_.granted_bytes() + bytes;
    os_.faults.limit = limit;
  }
  std::string refusal(std::uint64_t bytes, Worker owner = 0) {
    const Result<Extent> made = extents_.allocate(owner, bytes);
    EXPECT_FALSE(made);
    EXPECT_TRUE(is_consistent(arena_));
    return made ? "" : made.failure().text;
  }
  SlotBlock& slot(HostSlot which) {
    return *reinterpret_cast<SlotBlock*>(
        arena_.at(arena_.geometry().slots_offset + which * slot_block_bytes));
  }
};

TEST_F(OutOfMemoryTest, names_the_file_size_limit_that_ends_the_page_table) {
  os_.faults.file_bytes = arena_.geometry().records_offset + commit_chunk_bytes;
  expect_parts(
      refusal(100),
      {"wanted 100 bytes, with the arena's own records 69632, free 0",
       "limited by the file-size limit (ulimit -f); on this host nobody holds any; raise ulimit -f"});
}

TEST_F(OutOfMemoryTest, names_the_file_size_limit_that_ends_the_data) {
  fill(mebibyte, 1);
  os_.faults.file_bytes = arena_.geometry().data_offset + 3 * mebibyte;
  expect_parts(refusal(4 * mebibyte),
               {"wanted 4194304 bytes, free 2097152, limited by the file-size limit (ulimit -f);"});
  expect_parts(refusal(512 * mebibyte), {"free 2097152, limited by the file-size limit"});
}

TEST_F(OutOfMemoryTest, names_the_memory_when_there_is_less_of_it_than_before_the_end_of_files) {
  fill(mebibyte, 1);
  os_.faults.file_bytes = arena_.geometry().data_offset + 3 * mebibyte;
  leave(mebibyte, Limit::cgroup);
  expect_parts(refusal(4 * mebibyte), {"free 1048576, limited by a cgroup's memory limit", "--memory"});
}

TEST_F(OutOfMemoryTest, names_the_limit_that_ends_the_records) {
  fill(page_bytes, 1022);  // two records more are the arena's own
  leave(2 * page_bytes, Limit::mount);
  expect_parts(refusal(100, 3),
               {"worker 3: wanted 100 bytes, with the arena's own records 69632, free 8192",
                "limited by the shared-memory mount", "worker 0 holds 4186112 in 1022", "--shm-size"});
}

TEST_F(OutOfMemoryTest, says_so_when_all_records_are_in_use) {
  Extents::ExtentsSite place;
  place.os = &os_;
  place.object = arena_.lock_party().object;
  place.base = arena_.base();
  place.block = &reinterpret_cast<ArenaHeader*>(arena_.base())->extents;
  place.first_slot = &slot(0).memory;
  place.slot_stride = slot_block_bytes;
  place.geometry = arena_.geometry();
  place.geometry.max_records = 5;
  Extents few(place);
  std::vector<Extent> held;
  for (int i = 0; i < 3; ++i) held.push_back(few.allocate(0, 4000).value());
  for (int i = 0; i < 10; ++i) {  // free neighbours join, and the record of one is used again
    for (const std::size_t last : {1U, 2U}) ASSERT_TRUE(few.release(held.at(last).offset));
    for (const std::size_t last : {1U, 2U}) held.at(last) = few.allocate(0, 4000).value();
  }
  const Result<Extent> made = few.allocate(0, 4000);
  ASSERT_FALSE(made);
  expect_parts(made.failure().text,
               {"limited by the arena's extent records (all 5 are in use)", "fewer and larger"});
}

TEST_F(OutOfMemoryTest, counts_what_others_allocate_at_the_same_time) {
  fill(mebibyte, 1);
  const Arena other = attached_arena(os_, arena_.ticket(), 1, 0);
  slot(1).memory.committing = 2 * mebibyte;
  slot(2).memory.committing = 64 * mebibyte;  // of one that is dead
  leave(3 * mebibyte, Limit::mount);
  expect_parts(refusal(2 * mebibyte - 5), {"wanted 2097147 bytes, with what others of this host allocate "
                                           "just now 4194304, free 3145728, limited"});
  EXPECT_TRUE(extents_.allocate(0, mebibyte));
}

TEST_F(OutOfMemoryTest, counts_what_other_threads_of_the_worker_allocate_at_the_same_time) {
  fill(mebibyte, 1);
  slot(0).memory.committing = 2 * mebibyte;
  leave(3 * mebibyte, Limit::mount);
  expect_parts(refusal(2 * mebibyte - 5), {"with what others of this host allocate just now 4194304, free"});
  EXPECT_EQ(slot(0).memory.committing, 2 * mebibyte);
}

TEST_F(OutOfMemoryTest, does_not_claim_that_more_is_free_than_wanted) {
  os_.faults.hidden_bytes = os_.granted_bytes() + 40 * mebibyte;
  os_.faults.limit_bytes = os_.granted_bytes() + 100 * mebibyte;
  expect_parts(refusal(64 * mebibyte), {"wanted 67108864 bytes, free by now ", "(errno 28)"});
}

TEST_F(OutOfMemoryTest, counts_whole_pages_as_what_somebody_holds) {
  fill(3000, 10);
  leave(page_bytes, Limit::ram);
  expect_parts(refusal(2 * page_bytes), {"worker 0 holds 40960 in 10"});
}

TEST_F(OutOfMemoryTest, gives_up_what_it_keeps_for_its_records_too) {
  const std::vector<Extent> made = fill(5 * mebibyte, 5);
  fill(36 * mebibyte, 1);
  for (const std::size_t at : {0U, 2U, 4U}) ASSERT_TRUE(extents_.release(made[at].offset));
  ASSERT_EQ(block_of(arena_).kept_bytes, 15 * mebibyte);
  leave(page_bytes, Limit::ram);
  const Result<Extent> larger = extents_.allocate(0, 10 * mebibyte);  // behind what the table covers so far
  EXPECT_TRUE(larger) << larger.failure().text;
}

TEST(OutOfMemory, of_a_new_arena_is_told_with_numbers_and_a_hint) {
  MemoryOs os;
  os.faults.limit = Limit::mount;
  for (const std::uint64_t free_bytes : {0ULL, 64 * 1024ULL}) {
    os.faults.limit_bytes = free_bytes;
    const Result<Arena> made = Arena::create(os, small_arena());
    ASSERT_FALSE(made);
    const std::uint64_t left = free_bytes == 0 ? 0 : free_bytes - page_bytes;
    expect_parts(made.failure().text,
                 {"for this host's arena: wanted ", " bytes, free " + std::to_string(left) + ",",
                  "limited by the shared-memory mount", "errno 28", "COMEX_ARENA=memfd"});
  }
  os.faults = {};
  os.faults.file_bytes = 64 * 1024;
  expect_parts(Arena::create(os, small_arena()).failure().text,
               {"free 65536, limited by the file-size limit (ulimit -f)", "; raise ulimit -f"});
}

// All ranks of a host allocate at the same time.
TEST(OutOfMemory, of_one_rank_leaves_the_memory_to_another) {
  HookedOs os;
  ArenaOptions options = small_arena(2);
  options.keep_bytes = 0;
  Arena arena = mapped_arena(os, options);
  Arena other = attached_arena(os, arena.ticket(), 1, 0);
  ASSERT_TRUE(arena.extents().allocate(0, mebibyte));  // the records
  os.faults.limit_bytes = os.granted_bytes() + 8 * mebibyte;
  bool is_inside = false;
  os.at_limits = [&] {
    if (std::exchange(is_inside, true)) return;
    const Result<Extent> fits = other.extents().allocate(1, 2 * mebibyte);
    EXPECT_TRUE(fits) << fits.failure().text;
    if (fits) static_cast<void>(other.extents().release(fits->offset));
    is_inside = false;
  };
  EXPECT_FALSE(arena.extents().allocate(0, 40 * mebibyte));
  EXPECT_TRUE(arena.extents().allocate(0, 6 * mebibyte));
}

TEST_F(OutOfMemoryTest, names_eight_owners_and_counts_the_others) {
  for (Worker owner = 0; owner < 10; ++owner)
    ASSERT_TRUE(extents_.allocate(owner, (20 - owner) * page_bytes));
  leave(page_bytes, Limit::ram);
  expect_parts(refusal(2 * page_bytes),
               {"worker 0 holds 81920 in 1", "worker 7 holds 53248 in 1 and 2 workers more"});
}

}  // namespace
}  // namespace comex::shm
