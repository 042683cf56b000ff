// Why a server refused a request, in words for the line about it.
#include <gtest/gtest.h>

#include "runtime/opening/server_options.h"
#include "unit/shm/support.h"

namespace comex::runtime {
namespace {

using protocol::Refusal;

pr::RefusedRequest refused(Refusal why, std::uint64_t bytes = 0, std::uint64_t offset = 0) {
  pr::RefusedRequest made;
  made.header.world = 7;
  made.header.target = 3;
  made.header.origin = 2;
  made.header.set_mutex(5);
  made.fault = {.refusal = why, .offset = offset, .bytes = bytes};
  return made;
}

TEST(RefusalText, names_what_is_wrong_with_a_message) {
  EXPECT_EQ(refusal_text(refused(Refusal::misaligned, 8), nullptr, 0),
            "the word is not aligned to its 8 bytes");
  EXPECT_EQ(refusal_text(refused(Refusal::unknown_world), nullptr, 0), "its world 7 is not served here");
  EXPECT_EQ(refusal_text(refused(Refusal::malformed), nullptr, 0),
            "the message is malformed: do all ranks run the same library?");
  EXPECT_EQ(refusal_text(refused(Refusal::past_end, 8), nullptr, 0), "there is no such worker");
}

TEST(RefusalText, names_the_mutex_and_who_does_not_hold_it) {
  EXPECT_EQ(refusal_text(refused(Refusal::no_such_mutex, 4), nullptr, 0),
            "mutex 5 is out of range: worker 3 has 4");
  pr::RefusedRequest request = refused(Refusal::not_the_holder);
  EXPECT_EQ(refusal_text(request, nullptr, 0), "mutex 5 is not held by worker 2");
  request.header.by = {.endpoint = 9, .rank = 4};
  EXPECT_EQ(refusal_text(request, nullptr, 0), "mutex 5 is not held by endpoint 4 of worker 2");
}

TEST(RefusalText, names_the_memory_that_is_not_there) {
  shm::MemoryOs os;
  shm::Arena arena = shm::mapped_arena(os, shm::small_arena(1));
  const shm::Extent extent = arena.extents().allocate(3, 5000).value();
  const auto text = [&](Refusal why, std::uint64_t offset) {
    return refusal_text(refused(why, 8, extent.offset + offset), &arena, 0x1000);
  };
  EXPECT_NE(text(Refusal::past_end, 4996).find("reach 4 bytes past the end"), std::string::npos);
  EXPECT_NE(text(Refusal::wrong_owner, 0).find("belong to worker 3"), std::string::npos);
  EXPECT_NE(text(Refusal::no_extent, 9000).find("not in memory that was allocated"), std::string::npos);
  ASSERT_TRUE(arena.extents().retire(extent.offset));
  EXPECT_NE(text(Refusal::freed, 0).find("lie in a segment that was freed"), std::string::npos);
}

}  // namespace
}  // namespace comex::runtime
