#include "transport/slot_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace comex::transport {
namespace {

TEST(SlotTable, gives_out_each_slot_once_and_as_many_as_there_are) {
  SlotTable<std::string> slots(5, 1);
  for (std::uint32_t i = 1; i < 5; ++i) EXPECT_EQ(slots.take("first"), i);
  EXPECT_EQ(slots.available(), 0u);
  slots.at(2) = "";
  EXPECT_EQ(*slots.find(2), "") << "it is out";
  slots.give_back(2);
  EXPECT_EQ(slots.find(2), nullptr);
  EXPECT_EQ(slots.available(), 1u);
  EXPECT_EQ(slots.take("second"), 2u);
  EXPECT_EQ(*slots.find(2), "second");
  EXPECT_EQ(slots.find(0), nullptr) << "below the first";
  EXPECT_EQ(slots.find(77), nullptr);
}

TEST(SlotTable, shows_the_slots_that_are_out) {
  SlotTable<int> slots;
  for (int i = 0; i < 4; ++i) slots.take(i);
  slots.give_back(1);
  std::vector<int> seen;
  slots.for_each([&](int value) { seen.push_back(value); });
  EXPECT_EQ(seen, (std::vector<int>{0, 2, 3}));
}

TEST(SlotTable, begins_again_with_the_first_slot_when_it_is_tidied_and_none_is_out) {
  SlotTable<int> slots(4000, 1);
  for (std::uint32_t i = 1; i <= 3000; ++i) EXPECT_EQ(slots.take(7), i);
  for (std::uint32_t i = 3000; i > 1; --i) slots.give_back(i);
  slots.tidy();
  ASSERT_NE(slots.find(1), nullptr) << "it is out";
  slots.give_back(1);
  slots.tidy();
  EXPECT_EQ(slots.available(), 3999u);
  for (std::uint32_t i = 1; i <= 3000; ++i) EXPECT_EQ(slots.take(7), i);
}

}  // namespace
}  // namespace comex::transport
