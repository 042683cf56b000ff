#include "shm/extents.h"

#include "support.h"

namespace comex::shm {
namespace {

class Explaining : public testing::Test {
 protected:
  MemoryOs os_;
  Arena arena_ = mapped_arena(os_, small_arena(2));
  Extents& extents_ = arena_.extents();
  Extent extent_ = extents_.allocate(3, 5000).value();
  // Another process of the host, in the middle of an allocation.
  Arena other_ = attached_arena(os_, arena_.ticket(), 1, 0);
  OwnerLock lock_{block_of(arena_).lock};
  const LockParty allocating_{&os_, other_.lock_party().object, 1};

  std::string text(Worker target, std::uint64_t offset, LockWait wait) {
    return extents_.text_of({extents_.check(target, offset, 8), target, offset, 8}, 0x1000, wait);
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(Explaining, tells_the_nearest_segment) {
  for (const LockWait wait : {LockWait::waits, LockWait::never_waits}) {
    const std::string far_off = text(3, extent_.offset + 9000, wait);
    EXPECT_TRUE(has(far_off, "not in memory that was allocated by comex; nearest is segment")) << far_off;
    EXPECT_TRUE(has(far_off, "5000 bytes of worker 3")) << far_off;
  }
  EXPECT_FALSE(lock_.is_locked());
}

TEST_F(Explaining, never_waits_for_one_that_allocates_if_told_so) {
  ASSERT_EQ(lock_.lock(allocating_), LockResult::acquired);
  const std::string far_off = text(3, extent_.offset + 9000, LockWait::never_waits);
  EXPECT_TRUE(has(far_off, "not in memory that was allocated by comex; the nearest segment is not known"))
      << far_off;
  EXPECT_TRUE(lock_.is_locked());
  lock_.unlock(allocating_);
}

TEST_F(Explaining, tells_the_segment_hit_although_another_allocates) {
  ASSERT_EQ(lock_.lock(allocating_), LockResult::acquired);
  const std::string past = text(3, extent_.offset + 4996, LockWait::never_waits);
  EXPECT_TRUE(has(past, "reach 4 bytes past the end; nearest is segment")) << past;
  const std::string wrong = text(7, extent_.offset, LockWait::never_waits);
  EXPECT_TRUE(has(wrong, "belong to worker 3, not to the target worker 7; nearest is segment")) << wrong;
  ASSERT_TRUE(extents_.retire(extent_.offset));
  const std::string freed = text(3, extent_.offset, LockWait::never_waits);
  EXPECT_TRUE(has(freed, "lie in a segment that was freed; the nearest segment is not known")) << freed;
  lock_.unlock(allocating_);
}

// Between the check and its text.
TEST_F(Explaining, names_no_segment_that_is_gone_since) {
  const Extent other = extents_.allocate(2, 5000).value();
  ASSERT_TRUE(extents_.release(extent_.offset));
  for (const LockWait wait : {LockWait::waits, LockWait::never_waits}) {
    if (wait == LockWait::never_waits) {
      ASSERT_EQ(lock_.lock(allocating_), LockResult::acquired);
    }
    for (const BoundsVerdict was : {BoundsVerdict::wrong_owner, BoundsVerdict::past_end}) {
      const std::string gone = extents_.text_of({was, 7, extent_.offset, 8}, 0x1000, wait);
      EXPECT_TRUE(has(gone, "not in memory that was allocated by comex; ")) << gone;
    }
  }
  lock_.unlock(allocating_);
  EXPECT_EQ(extents_.check(2, other.offset, 5000), BoundsVerdict::ok);
}

TEST_F(Explaining, takes_over_from_one_that_died_while_it_allocated) {
  ASSERT_EQ(lock_.lock(allocating_), LockResult::acquired);
  os_.kill_slot(1);
  const std::string far_off = text(3, extent_.offset + 9000, LockWait::never_waits);
  EXPECT_TRUE(has(far_off, "nearest is segment")) << far_off;
  EXPECT_EQ(block_of(arena_).rebuilds, 1u);
}

}  // namespace
}  // namespace comex::shm
