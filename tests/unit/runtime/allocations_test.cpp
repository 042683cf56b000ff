// Which allocations a worker finds by an address or an id.
#include "runtime/allocations.h"

#include <gtest/gtest.h>

namespace comex::runtime {
namespace {

char parts_memory[4];
constexpr std::uint32_t me = groups::process_itself;

Allocation part(std::uint64_t id, void* own, std::vector<void*> of_all = {}) {
  return {.id = id,
          .members = groups::ConnectionTable::range(0, 2),
          .endpoints = {},
          .my_rank = 0,
          .own = own,
          .of_all = std::move(of_all)};
}

TEST(Allocations, are_named_by_the_own_address_only) {
  Allocations known;
  known.add(part(7, &parts_memory[0]));
  ASSERT_TRUE(known.named_by(&parts_memory[0]));
  EXPECT_EQ(known.named_by(&parts_memory[0])->id, 7u);
  EXPECT_FALSE(known.named_by(&parts_memory[1]));
}

TEST(Allocations, over_worlds_are_named_by_any_members_address_but_the_own_one_first) {
  Allocations known;
  known.add(part(7, &parts_memory[0], {&parts_memory[0], &parts_memory[1], &parts_memory[2]}));
  known.add(part(8, &parts_memory[1]));
  EXPECT_EQ(known.named_by(&parts_memory[2])->id, 7u);
  EXPECT_EQ(known.named_by(&parts_memory[1])->id, 8u);
  known.remove(8, me);
  EXPECT_EQ(known.named_by(&parts_memory[1])->id, 7u);
  known.remove(7, me);
  EXPECT_FALSE(known.named_by(&parts_memory[2]));
}

// Another thread may have got the memory before this one forgets its allocation.
TEST(Allocations, are_still_named_by_their_address_when_one_that_had_it_before_is_removed) {
  Allocations known;
  known.add(part(7, &parts_memory[0]));
  known.add(part(8, &parts_memory[0]));
  known.remove(7, me);
  ASSERT_TRUE(known.named_by(&parts_memory[0]));
  EXPECT_EQ(known.named_by(&parts_memory[0])->id, 8u);
}

TEST(Allocations, of_no_bytes_are_known_by_their_id_and_by_no_address) {
  Allocations known;
  known.add(part(7, nullptr));
  EXPECT_FALSE(known.named_by(nullptr));
  ASSERT_TRUE(known.by_id(7, me));
  EXPECT_EQ(known.by_id(7, me)->own, nullptr);
  EXPECT_FALSE(known.by_id(7, me + 1));
  known.remove(7, me);
  EXPECT_FALSE(known.by_id(7, me));
}

}  // namespace
}  // namespace comex::runtime
